package paper

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
)

// An extra segment that is less than the one before leaves nothing, and takes nothing from the sum
// (facts/paratimer.md A10).
func TestExtraSegmentsAreNotNegative(t *testing.T) {
	w := estimators.NewReplayContext(runOf(golden.Start(golden.OneJob())), plannedCosts, estimators.Options{})
	left := []float64{5000, 1000, 3000}
	path := &pathfrag.Path{
		Fragments: []pathfrag.Fragment{{ID: 0}, {ID: 1}, {ID: 2}},
		Critical: []pathfrag.Segment{
			{Fragment: 0, End: 5000},
			{Fragment: 1, Extra: true, Start: 5000, End: 6000},
			{Fragment: 2, Extra: true, Start: 500, End: 6000},
		},
	}
	track := func(_ *tracking, f *pathfrag.Fragment) float64 { return left[f.ID] }
	// 5000, nothing of 1000 - 5000, and 3000 - 500 that has not started.
	if got := (&tracking{now: w, plan: w, path: path, track: track}).remaining(); got != 7500 {
		t.Errorf("remaining %v, want 7500", got)
	}
}

// noisy reports whether some attempt of a case took another time than in its plan. Then it is unknown where the
// others stood before their snapshot.
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

// asPlanned reports whether what a snapshot shows of an attempt is the planned course.
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
