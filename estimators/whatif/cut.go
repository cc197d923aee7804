package whatif

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A moment is how a replay stands at one instant: what an observer would see then, and what is left of what runs.
type moment struct {
	s   *dag.Snapshot
	cut *schedule.Cut
}

// A course is a whole replay, of which moments can be seen.
type course struct {
	w *clusterState
	s *schedule.Trace
}

// course replays a world.
func (w *clusterState) course() (*course, error) {
	trace, err := schedule.NewTrace(w.s, w.left(), w.fault)
	if err != nil {
		return nil, err
	}
	return &course{w, trace}, nil
}

// at is the moment at an instant that is not before now. What starts then has not.
func (c *course) at(t dag.Instant) *moment {
	cut := c.s.Cut(t)
	plan := *cut.Snapshot.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	cut.Snapshot.Plan = &plan
	return &moment{cut.Snapshot, cut}
}

// clusterState goes on from the moment, with what is left of what runs.
func (m *moment) clusterState(w *clusterState) *clusterState {
	left := w.left()
	from := *w
	from.s = m.s
	from.replayed = func(t schedule.Task) schedule.Cost {
		if cost, ok := m.cut.Left(&t); ok {
			return cost
		}
		return left(t)
	}
	return &from
}

// took is how long an attempt has run, 0 of one whose start is not known.
func took(a *dag.Attempt, now dag.Instant) time.Duration {
	end := a.End
	if !end.Known() {
		end = now
	}
	if !a.Start.Known() || end < a.Start {
		return 0
	}
	return end.Sub(a.Start)
}
