package simulate

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A planner makes the plan that the watcher is given. It is the same plan until something about it becomes known.
type planner struct {
	given     *dag.Plan // as the user gave it
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

// bare is a job without sizes and costs; the number of its tasks is known once it is submitted.
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

// clusterLeft is the cluster without its lost nodes, and without saying which are slow. Slots keep their numbers, so
// the highest ones may seem to be beyond the cluster.
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
