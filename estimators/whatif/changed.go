package whatif

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// changed is a cost model for a changed cluster state, for the scenarios of estimators. It serves one replay and the
// samples of one range.
type changed struct {
	model estimators.Costs
	w     *clusterState
}

// costsIn returns the model's costs after the change.
func (r *Replay) costsIn(w *clusterState, c Change) estimators.Costs {
	one := &changed{r.costs, w}
	out := estimators.Costs{
		Left: w.left(), Full: one.full, Rem: one.rem,
		Completed: w.s, Warnings: r.costs.Warnings, AssumedRatio: r.costs.AssumedRatio,
	}
	if out.AssumedRatio == nil {
		out.AssumedRatio = func(*schedule.Schedule) float64 { return 0 }
	}
	if r.costs.Sampling != nil {
		out.Sampling = func() func(estimators.Draws) estimators.Drawn {
			return changedDraws(r.costs.Sampling(), c,
				w.fault)
		}
	}
	return out
}

// full returns the cost of a task that starts alone, in milliseconds.
func (c *changed) full(job int, k dag.StageIndex, i int) float64 {
	return milliseconds(c.w.costs.of(schedule.Task{
		Job: job, Stage: k, Index: i, Slot: -1, Node: -1, Start: dag.NoInstant, Together: 1,
	}))
}

func milliseconds(c schedule.Cost) float64 { return float64((c.Setup + c.Work) / time.Millisecond) }

// taskOf returns the task of a running attempt.
func taskOf(j int, k dag.StageIndex, a *dag.Attempt) schedule.Task {
	return schedule.Task{
		Job: j, Stage: k, Index: int(a.Task), Attempt: int(a.Number), Slot: int(a.Slot), Node: int(a.Node), Running: a,
		Start: a.Start,
	}
}

// rem returns the remaining cost of a task, in milliseconds.
func (c *changed) rem(job int, k dag.StageIndex, i int) float64 {
	if i < c.w.costs.phases[job][k].was && c.model.Rem(job, k, i) == 0 {
		return 0
	}
	list := c.w.s.Jobs[job].Stages[k].Attempts
	for at := range list {
		if a := &list[at]; int(a.Task) == i && a.State == dag.AttemptRunning {
			return milliseconds(c.w.costs.of(taskOf(job, k, a)))
		}
	}
	return c.full(job, k, i)
}

// changedDraws draws samples from a model and applies the change to each. lost are the failures of the change.
func changedDraws(draw func(estimators.Draws) estimators.Drawn, change Change,
	lost schedule.Fault,
) func(estimators.Draws) estimators.Drawn {
	if draw == nil {
		return nil
	}
	return func(d estimators.Draws) estimators.Drawn {
		drawn := draw(d)
		w, err := worldOf(drawn.Snapshot, drawn.Left, change)
		if err != nil { // the change applied to the plan without an error, so ignore it for the sample
			return drawn
		}
		out := estimators.Drawn{Snapshot: w.s, Left: w.left(), Fault: drawn.Fault}
		if lost != nil {
			out.Fault = func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
				if at, ok := lost(t, start, end); ok || drawn.Fault == nil {
					return at, ok
				}
				return drawn.Fault(t, start, end)
			}
		}
		return out
	}
}
