package whatif

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// changed is a cost model in a changed world, for the scenarios of estimators. It is made for one replay and the draws of one range.
type changed struct {
	model estimators.Costs
	w     *world
	left  schedule.Left
}

// changedSampler is one that can be drawn from.
type changedSampler struct {
	*changed
	sampler estimators.Sampler
	change  Change
	lost    schedule.Fault
}

// costsIn is the model in the world that the change leads to.
func (r *Replay) costsIn(w *world, c Change) estimators.Costs {
	one := &changed{model: r.costs, w: w, left: w.left()}
	if s, ok := r.costs.(estimators.Sampler); ok {
		return &changedSampler{one, s, c, w.fault}
	}
	return one
}

// Left is what is left of a task.
func (c *changed) Left(t schedule.Task) schedule.Cost { return c.left(t) }

// Full is the whole of a task that starts alone, in milliseconds.
func (c *changed) Full(job int, k dag.Kind, i int) float64 {
	cost := c.w.costs.of(schedule.Task{Job: job, Kind: k, Index: i, Slot: -1, Node: -1, Start: dag.NoInstant, Together: 1})
	return float64((cost.Setup + cost.Work) / time.Millisecond)
}

// Rem is what is left of it, in milliseconds.
func (c *changed) Rem(job int, k dag.Kind, i int) float64 {
	if i < c.w.costs.phases[job][k].was && c.model.Rem(job, k, i) == 0 {
		return 0
	}
	list := c.w.s.Jobs[job].Phase(k).Attempts
	for at := range list {
		if a := &list[at]; int(a.Task) == i && a.State == dag.AttemptRunning {
			cost := c.w.costs.of(schedule.Task{Job: job, Kind: k, Index: i, Attempt: int(a.Number), Slot: int(a.Slot), Node: int(a.Node), Running: a, Start: a.Start})
			return float64((cost.Setup + cost.Work) / time.Millisecond)
		}
	}
	return c.Full(job, k, i)
}

// Completed is the changed snapshot.
func (c *changed) Completed() *dag.Snapshot { return c.w.s }

// AssumedRatio is the model's, where it tells.
func (c *changed) AssumedRatio(s *schedule.Schedule) float64 {
	if d, ok := c.model.(estimators.Doubter); ok {
		return d.AssumedRatio(s)
	}
	return 0
}

// Warned is the model's.
func (c *changed) Warned() []dag.Warning {
	if w, ok := c.model.(estimators.Warner); ok {
		return w.Warned()
	}
	return nil
}

// Sampling draws from the model and changes what is drawn.
func (c *changedSampler) Sampling() func(estimators.Draws) estimators.Drawn {
	draw := c.sampler.Sampling()
	if draw == nil {
		return nil
	}
	return func(d estimators.Draws) estimators.Drawn {
		drawn := draw(d)
		w, err := worldOf(drawn.Snapshot, drawn.Left, c.change)
		if err != nil { // it was no error of the plan's, so it is none of the draw's
			return drawn
		}
		out := estimators.Drawn{Snapshot: w.s, Left: w.left(), Fault: drawn.Fault}
		if lost := c.lost; lost != nil {
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
