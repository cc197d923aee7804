package paper

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// noisy says whether some attempt of a case took another time than its plan says. Then nobody can tell where the others
// stood before their snapshot.
func noisy(c *golden.Case) bool {
	for i := range c.Instants {
		s := c.Instants[i].Snapshot
		for j := range s.Jobs {
			for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
				for _, a := range s.Jobs[j].Stages[k].Attempts {
					if !asPlanned(s, j, k, a) {
						return true
					}
				}
			}
		}
	}
	return false
}

// asPlanned says whether what a snapshot shows of an attempt is the planned course.
func asPlanned(s *dag.Snapshot, j int, k dag.StageIndex, a dag.Attempt) bool {
	done, end := planned(s.Plan, j, k, int(a.Task), a.Start, s.At)
	switch a.State {
	case dag.AttemptSucceeded:
		return end == a.End
	case dag.AttemptRunning:
		return done == a.Done
	case dag.AttemptFailed:
		return end > a.End
	}
	return true
}

// rewind returns the state that a snapshot of a case without noise had ms before, at 0 at the earliest. An attempt that
// has failed since runs.
func rewind(s *dag.Snapshot, ms dag.Instant) *dag.Snapshot {
	before := &dag.Snapshot{Plan: s.Plan, At: max(0, s.At-ms), State: s.State, Jobs: s.Plan.BlockedJobs()}
	for j := range s.Jobs {
		before.Jobs[j].Submitted = s.Jobs[j].Submitted
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			phase := &before.Jobs[j].Stages[k]
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.Start > before.At {
					continue
				}
				if a.State == dag.AttemptRunning || a.End > before.At {
					a.State, a.End = dag.AttemptRunning, dag.NoInstant
					a.Done, _ = planned(s.Plan, j, k, int(a.Task), a.Start, before.At)
				}
				phase.Attempts = append(phase.Attempts, a)
			}
		}
	}
	return before
}

// planned is how far an attempt that started at start is by the plan at an instant, K = floor(N (t-t0) / (t1-t0)), and
// when it ends.
func planned(plan *dag.Plan, j int, k dag.StageIndex, task int, start, at dag.Instant) (done [dag.Pipelines]float64,
	end dag.Instant,
) {
	t0 := start.Add(plan.Cluster.Setup)
	for p, pipe := range plan.Jobs[j].Stages[k].Pipelines {
		n := pipe.Tuples.At(task)
		t1 := t0 + dag.Instant(math.Floor(n*pipe.Alpha.At(task)+0.5))
		switch {
		case at < t0:
		case at >= t1:
			done[p] = n
		default:
			done[p] = math.Floor(n * float64(at-t0) / float64(t1-t0))
		}
		t0 = t1
	}
	return done, t0
}
