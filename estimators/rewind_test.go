package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// rewind returns the state that a snapshot had ms before (at 0 at the earliest), with whole tuples, as far as the
// attempts tell it. exact is false where an attempt took another time than its plan says and still runs or has
// failed, so that nobody can tell where it stood: the case has noise.
func rewind(s *dag.Snapshot, ms dag.Instant) (before *dag.Snapshot, exact bool) {
	before = &dag.Snapshot{Plan: s.Plan, At: max(0, s.At-ms), State: s.State, Jobs: make([]dag.JobState, len(s.Jobs))}
	exact = true
	for j := range s.Jobs {
		before.Jobs[j].Submitted = s.Jobs[j].Submitted
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[j].Phase(k).Attempts {
				if a.Start > before.At {
					continue
				}
				if a.State == dag.AttemptSucceeded && a.End <= before.At || a.State == dag.AttemptFailed && a.End <= before.At {
					phase := before.Jobs[j].Phase(k)
					phase.Attempts = append(phase.Attempts, a)
					continue
				}
				exact = rewindAttempt(s, before.At, j, k, &a) && exact
				phase := before.Jobs[j].Phase(k)
				phase.Attempts = append(phase.Attempts, a)
			}
		}
	}
	return before, exact
}

// rewindAttempt makes of a running what it was at an instant, and checks the planned course against what is known of it.
func rewindAttempt(s *dag.Snapshot, at dag.Instant, j int, k dag.Kind, a *dag.Attempt) bool {
	now := *a
	course := dag.Attempt{}
	end := planned(s.Plan, j, k, int(a.Task), a.Start, s.At, &course)
	exact := true
	switch a.State {
	case dag.AttemptSucceeded:
		exact = end == a.End
	case dag.AttemptRunning:
		exact = course.Done == now.Done
	case dag.AttemptFailed:
		exact = end > a.End
	}
	a.State, a.End, a.Done = dag.AttemptRunning, dag.NoInstant, [dag.Pipelines]float64{}
	planned(s.Plan, j, k, int(a.Task), a.Start, at, a)
	return exact
}

// planned sets how far an attempt that started at start is by the plan at an instant, K = floor(N (t-t0) / (t1-t0)), and returns its end.
func planned(plan *dag.Plan, j int, k dag.Kind, task int, start, at dag.Instant, a *dag.Attempt) dag.Instant {
	t0 := start.Add(plan.Cluster.Setup)
	for p, pipe := range plan.Jobs[j].Phase(k).Pipelines {
		n := pipe.Tuples.At(task)
		t1 := t0 + dag.Instant(math.Floor(n*pipe.Alpha.At(task)+0.5))
		switch {
		case at < t0:
		case at >= t1:
			a.Done[p] = n
		default:
			a.Done[p] = math.Floor(n * float64(at-t0) / float64(t1-t0))
		}
		t0 = t1
	}
	return t0
}
