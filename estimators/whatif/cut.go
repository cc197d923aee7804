package whatif

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/timeline"
)

// A moment is the state of a replay at one instant: the snapshot of an observer, and the remaining work of the
// running tasks.
type moment struct {
	s   *dag.Snapshot
	cut *timeline.Cut
}

// A course is a whole replay, from which moments can be taken.
type course struct {
	w *clusterState
	s *timeline.Trace
}

// course replays the cluster state.
func (w *clusterState) course() (*course, error) {
	trace, err := timeline.NewTrace(w.s, w.left(), w.fault)
	if err != nil {
		return nil, err
	}
	return &course{w, trace}, nil
}

// at returns the moment at t, which must not be before now. Tasks that start at t have not started yet.
func (c *course) at(t dag.Instant) *moment {
	cut := c.s.Cut(t)
	plan := *cut.Snapshot.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	cut.Snapshot.Plan = &plan
	return &moment{cut.Snapshot, cut}
}

// clusterState returns the state that continues from the moment, with the remaining work of the running tasks.
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

// took returns how long an attempt has run; 0 if its start is unknown.
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
