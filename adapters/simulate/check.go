package simulate

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Bounds that keep instants, durations and memory far from overflow.
const (
	maxStart  = dag.Instant(1 << 50)
	maxPause  = 10 * 365 * 24 * time.Hour
	maxNoise  = 3
	maxRate   = 1e6
	maxSkew   = 10
	maxFactor = 1e6
	maxWorkMS = 1e12 // 30 years of one task
	maxTuples = 1e15
	maxTasks  = math.MaxInt32 / 2
	maxGroups = 1_000_000 // of all jobs of a plan
)

// A checker keeps the first error of a plan and its options.
type checker struct{ err error }

// require reports whether there is no error so far. If ok is false, it adds an *OptionError.
func (c *checker) require(ok bool, option, format string, args ...any) bool {
	if !ok && c.err == nil {
		c.err = &OptionError{option, fmt.Sprintf(format, args...)}
	}
	return c.err == nil
}

// check returns an error for a plan that cannot be simulated: one of dag.NewGraph, or an *OptionError for the first
// option with an invalid value, or with a job, task or node that the plan does not have.
func check(p *dag.Plan, o *Options) error {
	if _, err := dag.NewGraph(p); err != nil {
		return err
	}
	c := &checker{}
	for j := range p.Jobs {
		for k := range p.Jobs[j].Stages {
			c.stage(&p.Jobs[j], &p.Jobs[j].Stages[k])
		}
	}
	if c.err == nil {
		c.groups(p)
	}
	c.variation(o)
	c.require(len(o.Owners) == 0 || p.Cluster.Policy == dag.YARN, "owners", "only a YARN cluster is shared")
	for _, a := range o.Owners {
		c.require(a.At <= 2*maxStart, "owners", "%v is not an instant up to %d", a.At, 2*maxStart)
	}
	c.nodes(p, o)
	for i := range o.Fail {
		c.failure(p, &o.Fail[i])
	}
	return c.err
}

// stage checks that a stage has all sizes and costs.
func (c *checker) stage(j *dag.Job, st *dag.Stage) {
	need := func(ok bool, format string, args ...any) bool {
		return c.require(ok, "plan", "%v tasks of job %s: %s; only a plan with all sizes and costs can be played",
			st.Name, j.Node, fmt.Sprintf(format, args...))
	}
	pipelines := 1
	if st.Copies() {
		pipelines = dag.Pipelines
	}
	if !need(st.Known, "their number is not known") ||
		!need(st.Tasks >= 0 && st.Tasks <= maxTasks, "%d is not a number of tasks", st.Tasks) ||
		!need(st.Tasks == 0 || len(st.Pipelines) == pipelines, "%d pipelines instead of %d", len(st.Pipelines),
			pipelines) {
		return
	}
	for p, pipe := range st.Pipelines {
		tasks := st.Tasks
		if pipe.Tuples.IsUniform() && pipe.Alpha.IsUniform() {
			tasks = min(tasks, 1)
		}
		for i := range tasks {
			n, alpha := pipe.Tuples.At(i), pipe.Alpha.At(i)
			if !(n >= 0 && n <= maxTuples && alpha >= 0 && n*alpha <= maxWorkMS) { // or NaN
				need(false, "task %d, pipeline %d: %v tuples at %v ms each are not known, negative or too much", i, p,
					n, alpha)
				return
			}
		}
	}
}

// groups checks the number, sizes and times of the plan's key groups.
func (c *checker) groups(p *dag.Plan) {
	all := 0.0
	for j := range p.Jobs {
		k := keyedJob(&p.Jobs[j])
		if k == nil {
			continue
		}
		for i := range k.reduces {
			ms := 0.0
			for _, s := range k.reduces[i].Explicit {
				c.require(s.Bytes >= 0 && s.Count >= 0, "plan", "reduce task %d of job %s: %v groups of %v bytes", i,
					p.Jobs[j].Node, s.Count, s.Bytes)
				all += math.Round(s.Count)
				ms += math.Round(s.Count) * k.ms(s.Bytes)
			}
			c.require(ms >= 0 && ms <= maxWorkMS, "plan",
				"reduce task %d of job %s: its key groups take %v ms, more than can be played", i, p.Jobs[j].Node, ms)
		}
	}
	c.require(all <= maxGroups, "plan", "%.0f key groups are more than the %d that can be played", all, maxGroups)
}

// variation checks the options that need no plan.
func (c *checker) variation(o *Options) {
	c.require(int(o.Know) < len(knowNames), "know", "there is no %v", o.Know)
	c.require(o.Start >= 0 && o.Start <= maxStart, "start", "%d is not an instant from 0 to %d", o.Start, maxStart)
	c.require(o.Every == 0 || o.Every >= time.Millisecond, "every", "%v is shorter than a millisecond", o.Every)
	sigma := func(option string, v float64) {
		c.require(v >= 0 && v <= maxNoise, option, "sigma %v is not from 0 to %v", v, maxNoise)
	}
	sigma("noise", o.Noise)
	sigma("speed", o.Speed)
	sigma("setup noise", o.SetupNoise)
	c.require(int(o.Family) < len(familyNames), "family", "there is no %v", o.Family)
	c.require(o.Stall >= 0 && o.Stall <= maxPause, "stall", "%v is not from 0 to %v", o.Stall, maxPause)
	c.require(o.FailRate >= 0 && o.FailRate <= maxRate, "fail rate", "%v a task-hour is not from 0 to %v", o.FailRate,
		maxRate)
	c.require(o.MaxAttempts >= 0, "max attempts", "%d is negative", o.MaxAttempts)
	c.require(o.Groups <= dag.GroupsComplete, "groups", "there is no origin %v", o.Groups)
	c.require(o.Lambda >= 0, "lambda", "%d is negative", o.Lambda)
	c.require(o.Skew >= 0 && o.Skew <= maxSkew, "skew", "exponent %v is not from 0 to %v", o.Skew, maxSkew)
}

// nodes checks slow and lost nodes.
func (c *checker) nodes(p *dag.Plan, o *Options) {
	nodes := nodeCount(p)
	known := func(option string, node int) {
		c.require(node >= 0 && node < nodes, option, "there is no node %d; the plan has nodes 0 to %d", node, nodes-1)
	}
	for _, s := range o.Slow {
		known("slow", s.Node)
		c.require(s.Factor > 0 && s.Factor <= maxFactor, "slow", "node %d: factor %v is not above 0 and at most %v",
			s.Node, s.Factor, maxFactor)
	}
	for _, l := range o.Lose {
		known("lose", l.Node)
		c.require(min(l.At, l.Detect) >= 0 && max(l.At, l.Detect) <= maxPause, "lose",
			"node %d: %v and %v are not from 0 to %v", l.Node, l.At, l.Detect, maxPause)
	}
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
	if !c.require(j >= 0, "fail", "the plan has no job %q", f.Job) {
		return
	}
	stages := p.Jobs[j].Stages
	if !c.require(f.Stage >= 0 && int(f.Stage) < len(stages), "fail",
		"job %s has no stage %d, only %d of them, counted from 0", f.Job, f.Stage, len(stages)) {
		return
	}
	name, n := stages[f.Stage].Name, stages[f.Stage].Count()
	c.require(f.Task >= 0 && f.Task < n, "fail", "job %s has no %v task %d, only %d of them, counted from 0", f.Job,
		name, f.Task, n)
	c.require(min(f.At, f.After) >= 0 && f.Attempt >= 0, "fail",
		"job %s, %v task %d: the time or attempt is negative", f.Job, name, f.Task)
}
