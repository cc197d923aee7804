package simulate

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A truth has the true costs of a plan in this run.
type truth struct {
	plan *dag.Plan // sizes by task; other users' jobs come after ours
	ours int       // number of our jobs
	opt  *Options
	slow []float64 // by node
	pace float64   // factor of the whole run
	// order and place convert tasks to places in the order of assignment and back; nil if both are equal.
	order, place [][]int32
	keyed        []*keyed // by job; nil for a job that is not simulated by key group
}

func newTruth(p *dag.Plan, o *Options) *truth {
	ours := len(p.Jobs)
	p = withOthers(p, o.Others)
	t := &truth{
		plan: p, ours: ours, opt: o, pace: o.pace(), order: make([][]int32, len(p.Jobs)),
		place: make([][]int32, len(p.Jobs)),
	}
	for j := range p.Jobs {
		t.keyed = append(t.keyed, keyedJob(&p.Jobs[j]))
	}
	if o.Skew > 0 {
		t.plan = skewed(p, o.Skew)
	}
	if o.Shuffle {
		for j := range p.Jobs {
			if !p.Jobs[j].IsMapReduce() {
				continue
			}
			t.handOut(j, o.order(j, p.Jobs[j].Stages[dag.Reduce].Count()))
		}
	}
	t.slow = make([]float64, nodeCount(p))
	for n := range t.slow {
		t.slow[n] = 1
		if p.Cluster.Policy != dag.FIFO && p.Cluster.Nodes[n].Slow > 0 {
			t.slow[n] = p.Cluster.Nodes[n].Slow
		}
	}
	for _, s := range o.Slow {
		t.slow[s.Node] *= s.Factor
	}
	return t
}

// handOut sets the order in which the reduces of job j are assigned.
func (t *truth) handOut(j int, order []int32) {
	place := make([]int32, len(order))
	for i, task := range order {
		place[task] = int32(i)
	}
	t.order[j], t.place[j] = order, place
}

// copies reports whether the tasks of a stage are reduces.
func (t *truth) copies(job int, k dag.StageIndex) bool { return t.plan.Jobs[job].Stages[k].Copies() }

// taskAt returns the task at a place in the order of assignment.
func (t *truth) taskAt(job int, k dag.StageIndex, place int32) int32 {
	if k == dag.Reduce && t.order[job] != nil {
		return t.order[job][place]
	}
	return place
}

func (t *truth) placeOf(job int, k dag.StageIndex, task int32) int32 {
	if k == dag.Reduce && t.place[job] != nil {
		return t.place[job][task]
	}
	return task
}

// An extent is the duration of an attempt once it has its input, in milliseconds.
type extent struct {
	ends  [dag.Pipelines]int64 // ends of the pipelines, counted from the end of set-up
	pipes int
	work  int64 // all pipelines and the combine stall
	// For a reduce that is simulated by key group: its groups and the attempt's slowness factor.
	walk *walk
	slow float64
}

// extent is floor(s alpha N + 0.5) ms for each pipeline (docs/facts/paratimer.md A1). s is the product of the
// attempt's noise, the run's pace and the node's slowness. For a reduce with known key groups, the work is that of
// its groups.
func (t *truth) extent(job int, k dag.StageIndex, task, attempt, node int) extent {
	phase := &t.plan.Jobs[job].Stages[k]
	s := t.pace * t.opt.noise(job, k, task, attempt)
	if node >= 0 && node < len(t.slow) {
		s *= t.slow[node]
	}
	e := extent{pipes: len(phase.Pipelines)}
	for p, pipe := range phase.Pipelines {
		if k == dag.Reduce && p == dag.Work && t.keyed[job] != nil {
			e.walk, e.slow = t.walk(job, task, attempt), s
			e.work = e.groupEnd(len(e.walk.size) - 1)
			e.ends[p] = e.work
			continue
		}
		e.work += int64(min(maxWorkMS, math.Floor(s*pipe.Alpha.At(task)*pipe.Tuples.At(task)+0.5)))
		e.ends[p] = e.work
	}
	if k == dag.Map && t.plan.Jobs[job].IsMapReduce() {
		e.work += t.opt.Stall.Milliseconds()
	}
	return e
}

// setup returns the time from start to first tuple: the phase's own if the plan has it, else the cluster's. On YARN
// it follows the law of JVMs that start together on a node (dag.Overheads). cold means that the start is one of the
// first.
func (t *truth) setup(job int, k dag.StageIndex, task, together int, cold bool) time.Duration {
	factor := t.opt.startup(job, k, task)
	if ms := t.plan.Jobs[job].Stages[k].Setup.At(task); ms >= 0 && ms <= maxWorkMS {
		return millis(int64(min(factor*ms, maxWorkMS)))
	}
	setup, o := t.plan.Cluster.Setup, &t.plan.Overheads
	if t.plan.Cluster.Policy != dag.FIFO {
		setup += o.SetupMin + time.Duration(max(together, 1))*o.SetupPer
		if cold {
			setup += o.Cold
		}
	}
	if factor == 1 {
		return setup
	}
	return millis(int64(min(factor*float64(setup.Milliseconds()), maxWorkMS)))
}

// uniform reports whether all first attempts of the phase cost the same on every node.
func (t *truth) uniform(job int, k dag.StageIndex) bool {
	phase := &t.plan.Jobs[job].Stages[k]
	same := (!phase.Copies() || t.keyed[job] == nil) && t.opt.Noise == 0 && t.opt.SetupNoise == 0 &&
		phase.Setup.IsUniform() && !slices.ContainsFunc(t.slow, func(s float64) bool { return s != 1 })
	for _, p := range phase.Pipelines {
		same = same && p.Tuples.IsUniform() && p.Alpha.IsUniform()
	}
	return same
}

// skewed returns the plan with Zipf-sized reduces: weights r^-s, scaled to the phase's sum. Sizes are whole tuples.
// Reduces with key groups keep their sizes.
func skewed(p *dag.Plan, s float64) *dag.Plan {
	q := *p
	q.Jobs = dag.CloneJobs(p.Jobs)
	for j := range q.Jobs {
		if !q.Jobs[j].IsMapReduce() {
			continue
		}
		phase := &q.Jobs[j].Stages[dag.Reduce]
		n := phase.Count()
		if n < 2 || keyedPhase(phase) != nil {
			continue
		}
		weights := make([]float64, n)
		sum := 0.0
		for r := range weights {
			weights[r] = math.Pow(float64(r+1), -s)
			sum += weights[r]
		}
		share := func(of dag.Series) dag.Series {
			total := of.Sum(n)
			if math.IsNaN(total) {
				return of
			}
			v := make([]float64, n)
			for r := range v {
				v[r] = math.Round(total * weights[r] / sum)
			}
			return dag.Each(v)
		}
		phase.Pipelines = slices.Clone(phase.Pipelines)
		for i := range phase.Pipelines {
			phase.Pipelines[i].Tuples = share(phase.Pipelines[i].Tuples)
		}
		phase.Out, phase.Bytes = share(phase.Out), share(phase.Bytes)
	}
	return &q
}

// failure returns whether and when an attempt that runs from start to end fails.
func (t *truth) failure(job int, k dag.StageIndex, task, attempt int, start, end dag.Instant) (at dag.Instant,
	fails bool,
) {
	at = end
	for _, f := range t.opt.Fail {
		if f.Stage != k || f.Task != task || t.plan.Jobs[job].Node != f.Job {
			continue
		}
		when := t.opt.Start.Add(f.At)
		if f.After > 0 {
			if f.Attempt != attempt {
				continue
			}
			when = start.Add(f.After)
		}
		if when > start && when < at { // an attempt that starts at this instant is the next one
			at, fails = when, true
		}
	}
	if t.opt.FailRate > 0 {
		hours := random(t.opt.Seed, drawFailure, job, k, task, attempt).ExpFloat64() / t.opt.FailRate
		if hours < float64(maxPause/time.Hour) {
			if when := start + dag.Instant(hours*float64(time.Hour/time.Millisecond)); when < at {
				at, fails = when, true
			}
		}
	}
	return at, fails
}
