package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Know selects facts that the watcher of a simulated run gets in addition to its reports.
type Know uint8

// Values of Know.
const (
	All     Know = iota // the plan with all sizes and costs
	Profile             // the plan as the profile of an earlier run; of this run the same as Nothing
	Nothing             // the job graph; a job's number of tasks once it is submitted
)

// Options set the disturbances of a run. The zero value is a run without any.
type Options struct {
	Seed  uint64
	Know  Know
	Start dag.Instant   // start of the run; 0 is valid
	Every time.Duration // between snapshots, DefaultEvery if 0

	Noise float64 // sigma of the factor on each task's work, and on each key group's
	// Family is the shape of these factors; Lognormal if nil.
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

	Queue, User string // of snapshots

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

const defaultAttempts = 4 // Hadoop's mapreduce.map.maxattempts

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

// Bounds that keep instants, durations and memory far from overflow.
const (
	maxStart  = dag.Instant(1 << 50)
	maxPause  = 10 * 365 * 24 * time.Hour
	maxNoise  = 3
	maxRate   = 1e6
	maxSkew   = 10
	maxFactor = 1e6
	maxWorkMS = 1e12      // 30 years of one task
	maxGroups = 1_000_000 // of all jobs of a plan
)

// A checker keeps the first error of a plan and its options.
type checker struct{ err error }

// require adds an error about an option if ok is false and there is no error so far.
func (c *checker) require(ok bool, option, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("simulate: "+option+": "+format, args...)
	}
}

// within requires that a value, which may be NaN, lies within bounds.
func within[T cmp.Ordered](c *checker, option, what string, v, least, most T) {
	c.require(v >= least && v <= most, option, "%s %v is not from %v to %v", what, v, least, most)
}

// check returns an error for a plan that cannot be simulated: one of dag.ValidateProfile, or one about the first option
// with an invalid value, or with a job, task or node that the plan does not have.
func check(p *dag.Plan, o *Options) error {
	if err := dag.ValidateProfile(p); err != nil {
		return err
	}
	c := &checker{}
	c.plan(p)
	within(c, "know", "value", o.Know, All, Nothing)
	within(c, "start", "instant", o.Start, 0, maxStart)
	c.require(o.Every == 0 || o.Every >= time.Millisecond, "every", "%v is shorter than a millisecond", o.Every)
	within(c, "noise", "sigma", o.Noise, 0, maxNoise)
	within(c, "speed", "sigma", o.Speed, 0, maxNoise)
	within(c, "setup noise", "sigma", o.SetupNoise, 0, maxNoise)
	within(c, "stall", "pause", o.Stall, 0, maxPause)
	within(c, "fail rate", "number", o.FailRate, 0, maxRate)
	within(c, "max attempts", "number", o.MaxAttempts, 0, math.MaxInt32)
	within(c, "groups", "origin", o.Groups, dag.GroupsNone, dag.GroupsComplete)
	within(c, "lambda", "number", o.Lambda, 0, math.MaxInt32)
	within(c, "skew", "exponent", o.Skew, 0, maxSkew)
	last := nodeCount(p) - 1
	for _, s := range o.Slow {
		within(c, "slow", "node", s.Node, 0, last)
		within(c, "slow", "factor", s.Factor, 1/maxFactor, maxFactor)
	}
	for _, l := range o.Lose {
		within(c, "lose", "node", l.Node, 0, last)
		within(c, "lose", "time", l.At, 0, maxPause)
		within(c, "lose", "delay", l.Detect, 0, maxPause)
	}
	for i := range o.Fail {
		c.failure(p, &o.Fail[i])
	}
	return c.err
}

// plan requires that all sizes and costs are known, and bounds the key groups.
func (c *checker) plan(p *dag.Plan) {
	groups := 0.0
	for j := range p.Jobs {
		job := &p.Jobs[j]
		for k := range job.Stages {
			st := &job.Stages[k]
			c.require(st.Known && complete(st), "plan",
				"the number of %v tasks of job %s, their sizes or their costs are unknown or too much; only a plan with all of them can be played",
				st.Name, job.Node)
		}
		keyed := keyedJob(job)
		if keyed == nil {
			continue
		}
		for i := range keyed.reduces {
			ms := 0.0
			for _, s := range keyed.reduces[i].Explicit {
				groups += math.Round(s.Count)
				ms += math.Round(s.Count) * keyed.ms(s.Bytes)
			}
			c.require(ms >= 0 && ms <= maxWorkMS, "plan",
				"reduce task %d of job %s: its key groups take %v ms, more than can be played", i, job.Node, ms)
		}
	}
	c.require(groups <= maxGroups, "plan", "%.0f key groups are more than the %d that can be played", groups, maxGroups)
}

// complete reports whether a stage has the work of all its tasks.
func complete(st *dag.Stage) bool {
	if st.Tasks > 0 && len(st.Pipelines) == 0 {
		return false
	}
	for _, pipe := range st.Pipelines {
		tasks := st.Tasks
		if pipe.Tuples.IsUniform() && pipe.Alpha.IsUniform() {
			tasks = min(tasks, 1)
		}
		for i := range tasks {
			if ms := pipe.Tuples.At(i) * pipe.Alpha.At(i); !(ms <= maxWorkMS) { // or NaN
				return false
			}
		}
	}
	return true
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

func (c *checker) failure(p *dag.Plan, f *Failure) {
	j := slices.IndexFunc(p.Jobs, func(j dag.Job) bool { return j.Node == f.Job })
	c.require(j >= 0, "fail", "the plan has no job %q", f.Job)
	if j < 0 {
		return
	}
	stages := p.Jobs[j].Stages
	within(c, "fail", "stage", int(f.Stage), 0, len(stages)-1)
	if c.err == nil {
		within(c, "fail", "task", f.Task, 0, stages[f.Stage].Count()-1)
	}
	within(c, "fail", "time", min(f.At, f.After), 0, math.MaxInt64)
	within(c, "fail", "attempt", f.Attempt, 0, math.MaxInt32)
}
