package compare

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// Remember keeps what it takes to replay a run that succeeded: without its failures, alone, on another cluster.
func (r *Run) Remember(run dag.Run, model estimators.Model) {
	if past, ok := whatif.Again(run); ok && r.Succeeded() {
		r.past, r.model = &past, model
	}
}

// replayed is how many milliseconds a replay of the run takes: without other applications, without what failed unless
// failing, on another cluster and with the limits of other jobs (by node) if they are given. NaN if it cannot be
// replayed.
func (r *Run) replayed(failing bool, on *dag.Cluster, limits map[string]*dag.Job) float64 {
	if r.past == nil {
		return math.NaN()
	}
	past := *r.past
	if on != nil || limits != nil {
		past.Before = changedTo(past.Before.Now(), on, limits)
	}
	replay, err := whatif.NewReplayOf(past, r.model)
	if err != nil {
		return math.NaN()
	}
	told, err := replay.End(whatif.Change{Unfailing: !failing})
	if err != nil {
		return math.NaN()
	}
	// the answer is corrected by the miss, which is what is asked for here
	return float64(told.Milliseconds()) * (1 + replay.Miss())
}

func changedTo(s *dag.Snapshot, on *dag.Cluster, limits map[string]*dag.Job) dag.Run {
	out, plan := *s, *s.Plan
	if on != nil {
		setup := plan.Cluster.Setup // the tasks' own
		plan.Cluster, out.Nodes = *on, nil
		plan.Cluster.Setup = setup
	}
	plan.Jobs = slices.Clone(plan.Jobs)
	for j := range plan.Jobs {
		if l, ok := limits[plan.Jobs[j].Node]; ok {
			plan.Jobs[j].MasterMB, plan.Jobs[j].MapReduce = l.MasterMB, l.MapReduce
		}
	}
	out.Plan = &plan
	return dag.Run{}.Append(&out)
}
