package simulate

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Know is what the watcher of a simulated run knows in addition to its reports.
type Know uint8

// Values of Know.
const (
	All     Know = iota // the plan with all sizes and costs
	Profile             // the plan as the profile of an earlier run; of this run the same as Nothing
	Nothing             // the job graph; a job's number of tasks once it is submitted
)

var knowNames = [...]string{"all", "profile", "nothing"}

func (k Know) String() string {
	if int(k) < len(knowNames) {
		return knowNames[k]
	}
	return fmt.Sprintf("unknown(%d)", k)
}

// ParseKnow parses all, profile or nothing.
func ParseKnow(s string) (Know, error) {
	for i, n := range knowNames {
		if n == s {
			return Know(i), nil
		}
	}
	return 0, fmt.Errorf("%q is nothing that a watcher can know; say one of %v", s, knowNames)
}

// Options set the disturbances of a run. The zero value is a run without any.
type Options struct {
	Seed  uint64
	Know  Know
	Start dag.Instant   // start of the run; 0 is valid
	Every time.Duration // between snapshots, DefaultEvery if 0

	Noise float64 // sigma of the factor on each task's work, and on each key group's
	// Family is the shape of these factors.
	Family Family
	// Speed is the sigma of the factor on the work of all tasks of the run, of the gamma family.
	Speed float64
	// SetupNoise is the sigma of two factors on each task's set-up: one per run and one per task, both of Family.
	SetupNoise float64
	Stall      time.Duration // pause at the end of each map for combiners: K = N, but the map has not ended
	Slow       []SlowNode

	Fail     []Failure
	FailRate float64 // failures per task-hour
	// MaxAttempts is how many failures of one task fail its job; 4 if 0, as in Hadoop.
	MaxAttempts int
	Lose        []LostNode

	// Others are other users' applications. Queue and User are ours. Queues are the scheduler's queues (YARN).
	Others      []Other
	Queue, User string
	Queues      []dag.QueueState

	// Skew is the Zipf exponent of the reduces' sizes. The r-th largest of a job is proportional to r^-Skew, and the
	// sum is that of the plan. Task 0 is the largest.
	Skew float64
	// Groups is the origin of measured key groups, for reduces with groups in the plan. GroupsNone measures none.
	Groups dag.GroupOrigin
	// Lambda is how many keys of a map a tap names; DefaultLambda if 0.
	Lambda int
	// Shuffle assigns reduces in an order drawn from the seed, not by index.
	Shuffle bool
}

// DefaultEvery is the time between snapshots, as in the paper's experiments.
const DefaultEvery = 5 * time.Second

// DefaultLambda is the number of named keys of a map in the experiments of NearestFit.
const DefaultLambda = 2000

// A SlowNode takes Factor times as long for all work.
type SlowNode struct {
	Node   int
	Factor float64
}

// A Failure makes an attempt fail: the one that runs At after the run's start, or attempt Attempt after it has run
// for After.
type Failure struct {
	Job     string // its node in the plan
	Stage   dag.StageIndex
	Task    int           // from 0
	At      time.Duration // used if After is 0
	After   time.Duration
	Attempt int
}

// A LostNode fails At after the run's start, and its attempts stop working. Detect later the cluster notices: it
// kills them, and runs the node's finished maps again if a reduce of their job may still need them.
type LostNode struct {
	Node   int
	At     time.Duration
	Detect time.Duration
}

// An OptionError is an option with an invalid value.
type OptionError struct {
	Option string
	Why    string
}

func (e *OptionError) Error() string { return fmt.Sprintf("simulate: %s: %s", e.Option, e.Why) }

// check returns an *OptionError for the first option with an invalid value, or with a job, task or node that the plan
// does not have.
func (o *Options) check(p *dag.Plan) error {
	for _, check := range []func(*dag.Plan) error{
		o.checkClock, o.checkNoise, o.checkKeys, o.checkOthers, o.checkNodes, o.checkFailures,
	} {
		if err := check(p); err != nil {
			return err
		}
	}
	return nil
}

func badOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

// checkClock checks the content and times of reports.
func (o *Options) checkClock(*dag.Plan) error {
	switch {
	case int(o.Know) >= len(knowNames):
		return badOption("know", "there is no %v", o.Know)
	case !o.Start.Known() || o.Start < 0 || o.Start > maxStart:
		return badOption("start", "%d is not an instant from 0 to %d", o.Start, maxStart)
	case o.Every < 0 || o.Every > 0 && o.Every < time.Millisecond:
		return badOption("every", "%v is shorter than a millisecond", o.Every)
	}
	return nil
}

// checkNoise checks the variation of tasks and their failure rate.
func (o *Options) checkNoise(*dag.Plan) error {
	sigmas := []struct {
		option string
		sigma  float64
	}{{"noise", o.Noise}, {"speed", o.Speed}, {"setup noise", o.SetupNoise}}
	for _, s := range sigmas {
		if !(s.sigma >= 0 && s.sigma <= maxNoise) {
			return badOption(s.option, "sigma %v is not from 0 to %v", s.sigma, maxNoise)
		}
	}
	switch {
	case int(o.Family) >= len(familyNames):
		return badOption("family", "there is no %v", o.Family)
	case o.Stall < 0 || o.Stall > maxPause:
		return badOption("stall", "%v is not from 0 to %v", o.Stall, maxPause)
	case !(o.FailRate >= 0 && o.FailRate <= maxRate):
		return badOption("fail rate", "%v a task-hour is not from 0 to %v", o.FailRate, maxRate)
	case o.MaxAttempts < 0:
		return badOption("max attempts", "%d is negative", o.MaxAttempts)
	}
	return nil
}

// checkKeys checks the distribution of keys and their reports.
func (o *Options) checkKeys(*dag.Plan) error {
	switch {
	case o.Groups > dag.GroupsComplete:
		return badOption("groups", "there is no origin %v", o.Groups)
	case o.Lambda < 0:
		return badOption("lambda", "%d is negative", o.Lambda)
	case !(o.Skew >= 0 && o.Skew <= maxSkew):
		return badOption("skew", "exponent %v is not from 0 to %v", o.Skew, maxSkew)
	}
	return nil
}

// checkNodes checks slow and lost nodes.
func (o *Options) checkNodes(p *dag.Plan) error {
	nodes := nodeCount(p)
	for _, s := range o.Slow {
		if s.Node < 0 || s.Node >= nodes {
			return badOption("slow", "there is no node %d; the plan has nodes 0 to %d", s.Node, nodes-1)
		}
		if !(s.Factor > 0 && s.Factor <= maxFactor) {
			return badOption("slow", "node %d: factor %v is not above 0 and at most %v", s.Node, s.Factor, maxFactor)
		}
	}
	for _, l := range o.Lose {
		if l.Node < 0 || l.Node >= nodes {
			return badOption("lose", "there is no node %d; the plan has nodes 0 to %d", l.Node, nodes-1)
		}
		if l.At < 0 || l.Detect < 0 || l.At > maxPause || l.Detect > maxPause {
			return badOption("lose", "node %d: %v and %v are not from 0 to %v", l.Node, l.At, l.Detect, maxPause)
		}
	}
	return nil
}

// checkFailures checks the planned failures.
func (o *Options) checkFailures(p *dag.Plan) error {
	for _, f := range o.Fail {
		j := jobNamed(p, f.Job)
		if j < 0 {
			return badOption("fail", "the plan has no job %q", f.Job)
		}
		stages := p.Jobs[j].Stages
		if f.Stage < 0 || int(f.Stage) >= len(stages) {
			return badOption("fail", "job %s has no stage %d, only %d of them, counted from 0", f.Job, f.Stage, len(stages))
		}
		stage := &stages[f.Stage]
		if n := stage.Count(); f.Task < 0 || f.Task >= n {
			return badOption("fail", "job %s has no %v task %d, only %d of them, counted from 0", f.Job, stage.Name, f.Task, n)
		}
		if f.At < 0 || f.After < 0 || f.Attempt < 0 {
			return badOption("fail", "job %s, %v task %d: the time or attempt is negative", f.Job, stage.Name, f.Task)
		}
	}
	return nil
}

// Bounds that keep instants and durations far from overflow.
const (
	maxStart  = dag.Instant(1 << 50)
	maxPause  = 10 * 365 * 24 * time.Hour
	maxNoise  = 3
	maxRate   = 1e6
	maxSkew   = 10
	maxFactor = 1e6
	maxWorkMS = 1e12 // 30 years of one task
	maxTuples = 1e15
)

func jobNamed(p *dag.Plan, node string) int {
	for j := range p.Jobs {
		if p.Jobs[j].Node == node {
			return j
		}
	}
	return -1
}

// nodeCount returns how many nodes the plan's cluster has.
func nodeCount(p *dag.Plan) int {
	c := &p.Cluster
	if c.Policy != dag.FIFO {
		return len(c.Nodes)
	}
	per := max(1, c.SlotsPerNode)
	return (max(c.MapSlots, c.ReduceSlots) + per - 1) / per
}

// checkPlan returns an error if a plan cannot be simulated.
func checkPlan(p *dag.Plan) error {
	if _, err := dag.NewGraph(p); err != nil {
		return err
	}
	for j := range p.Jobs {
		for k := range p.Jobs[j].NumStages() {
			if err := checkPhase(&p.Jobs[j], k); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPhase(j *dag.Job, k dag.StageIndex) error {
	phase := &j.Stages[k]
	bad := func(format string, args ...any) error {
		return &OptionError{
			"plan",
			fmt.Sprintf("%v tasks of job %s: %s; only a plan with all sizes and costs can be played", phase.Name,
				j.Node, fmt.Sprintf(format, args...)),
		}
	}
	if !phase.Known {
		return bad("their number is not known")
	}
	if phase.Tasks < 0 || phase.Tasks > math.MaxInt32/2 {
		return bad("%d is not a number of tasks", phase.Tasks)
	}
	want := 1
	if phase.Copies() {
		want = dag.Pipelines
	}
	if phase.Tasks > 0 && len(phase.Pipelines) != want {
		return bad("%d pipelines instead of %d", len(phase.Pipelines), want)
	}
	for p, pipe := range phase.Pipelines {
		n := phase.Tasks
		if pipe.Tuples.IsUniform() && pipe.Alpha.IsUniform() {
			n = min(n, 1)
		}
		for i := range n {
			if n, alpha := pipe.Tuples.At(i), pipe.Alpha.At(i); !(n >= 0 && n <= maxTuples && alpha >= 0 &&
				n*alpha <= maxWorkMS) {
				return bad("task %d, pipeline %d: %v tuples at %v ms each are not known, negative or too much", i, p, n,
					alpha)
			}
		}
	}
	return nil
}
