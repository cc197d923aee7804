package simulate

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// forever is longer than any run: the remaining time of a dead slot.
const forever = 100 * 365 * 24 * time.Hour

// firstBatch is how long starts are cold after the first start of the run (docs/facts/measured.md 4).
const firstBatch = 1600 * time.Millisecond

// left returns the true remaining cost of a task.
func (w *simulationState) left(t schedule.Task) schedule.Cost {
	if t.Job >= len(w.jobs) {
		return schedule.Cost{Work: forever, Same: 1}
	}
	p := &w.jobs[t.Job].phases[t.Stage]
	task := w.taskAt(t.Job, t.Stage, int32(t.Index))
	if t.Running != nil {
		r := find(p.tracks[:p.kept], task, int32(t.Attempt))
		if r == nil || r.frozen {
			return schedule.Cost{Work: forever, Same: 1}
		}
		x := w.extent(t.Job, t.Stage, int(task), t.Attempt, int(r.node))
		return schedule.Cost{Setup: max(0, r.ready.Sub(w.now)), Work: millis(w.workLeft(r, x)), Same: 1}
	}
	cost, node := schedule.Cost{Same: 1}, t.Node
	if w.plan.Cluster.Policy == dag.FIFO {
		node = int(w.slots.node(int32(t.Node)))
		cost.Setup = w.setup(t.Job, t.Stage, int(task), 0, false)
		if p.uniform {
			cost.Same = w.plan.Jobs[t.Job].Stages[t.Stage].Tasks - t.Index
		}
	} else {
		cost.Setup = w.setup(t.Job, t.Stage, int(task), t.Together, w.cold(t.Start))
		w.launch[attemptKey{t.Job, t.Stage, task, int32(t.Attempt)}] = launch{
			int32(t.Node),
			dag.Instant(cost.Setup / time.Millisecond),
		}
	}
	cost.Work = millis(w.extent(t.Job, t.Stage, int(task), t.Attempt, node).work)
	return cost
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// millisOf converts milliseconds to a Duration, rounded to nanoseconds.
func millisOf(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// cold reports whether a start belongs to the run's first batch.
func (w *simulationState) cold(start dag.Instant) bool {
	if !w.warm.Known() {
		w.warm = start.Add(firstBatch)
	}
	return start.Known() && start <= w.warm
}

// fault returns whether and when an attempt fails, and records when it would have ended otherwise.
func (w *simulationState) fault(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
	if t.Job >= len(w.jobs) {
		return 0, false
	}
	task := w.taskAt(t.Job, t.Stage, int32(t.Index))
	p := &w.jobs[t.Job].phases[t.Stage]
	if r := find(p.tracks[:p.kept], task, int32(t.Attempt)); r != nil && r.frozen {
		return 0, false
	}
	if t.Attempt >= w.limit()+len(w.opt.Lose) {
		return 0, false // its job has failed by then: a lost node kills an attempt of a task once
	}
	at, fails := w.failure(t.Job, t.Stage, int(task), t.Attempt, start, end)
	if fails {
		w.fate[attemptKey{t.Job, t.Stage, task, int32(t.Attempt)}] = end
	}
	return at, fails
}

// A planner makes the plan for the watcher. The plan stays the same until new facts about it become known.
type planner struct {
	given     *dag.Plan // the user's plan
	know      Know
	now       *dag.Plan
	submitted []bool
	lost      []dag.Instant
}

func (p *planner) plan(w *simulationState, s *dag.Snapshot) *dag.Plan {
	submitted := make([]bool, len(s.Jobs))
	for j := range s.Jobs {
		submitted[j] = s.Jobs[j].Submitted.Known()
	}
	if p.now != nil && slices.Equal(w.lostAt, p.lost) && (p.know == All || slices.Equal(submitted, p.submitted)) {
		return p.now
	}
	p.submitted, p.lost = submitted, slices.Clone(w.lostAt)
	plan := *w.plan
	plan.Jobs = plan.Jobs[:w.ours:w.ours]
	plan.Cluster = clusterLeft(&w.plan.Cluster, w.lostAt)
	if p.know != All {
		plan.Cluster.Setup, plan.Overheads = 0, dag.Overheads{}
		plan.Jobs = make([]dag.Job, w.ours)
		for j := range plan.Jobs {
			plan.Jobs[j] = bare(&w.plan.Jobs[j], submitted[j])
		}
	}
	p.now = &plan
	return p.now
}

// bare returns a job without sizes and costs. Its number of tasks is known once it is submitted.
func bare(j *dag.Job, submitted bool) dag.Job {
	b := *j
	b.Stages = dag.Bare(j.Stages)
	for k := range b.Stages {
		if submitted {
			b.Stages[k].Tasks, b.Stages[k].Known = j.Stages[k].Tasks, true
		}
	}
	return b
}

// clusterLeft returns the cluster without its lost nodes and without the slowness of nodes. Slots keep their numbers,
// so the highest ones may exceed the cluster's size.
func clusterLeft(c *dag.Cluster, lost []dag.Instant) dag.Cluster {
	left := *c
	left.Nodes = slices.Clone(c.Nodes)
	for n := range left.Nodes {
		left.Nodes[n].Slow = 0
	}
	per := max(1, c.SlotsPerNode)
	for n := range lost {
		if !lost[n].Known() {
			continue
		}
		if c.Policy != dag.FIFO {
			left.Cores -= min(c.Nodes[n].Cores, left.Cores)
			left.MemoryMB -= min(c.Nodes[n].MemoryMB, left.MemoryMB)
			continue
		}
		left.MapSlots -= max(0, min(per, c.MapSlots-n*per))
		left.ReduceSlots -= max(0, min(per, c.ReduceSlots-n*per))
	}
	return left
}
