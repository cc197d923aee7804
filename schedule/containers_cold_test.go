package schedule

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// coldStarts replays a snapshot and returns which starts were asked for as cold ones, and how many were not.
func coldStarts(t *testing.T, s *dag.Snapshot, opt Options) (cold []dag.Instant, warm int) {
	t.Helper()
	left := func(task Task) Cost {
		switch {
		case task.Running != nil:
		case task.Cold:
			cold = append(cold, task.Start)
		default:
			warm++
		}
		return joinLeft(task)
	}
	mustReplay(t, s, left, opt)
	return cold, warm
}

// Only the run's first batch starts cold (docs/facts/measured.md 4), however the replay is told.
func TestYARNFirstBatchIsCold(t *testing.T) {
	for name, opt := range map[string]Options{"in full": {}, "lean": {EndOnly: &EndOnly{}}} {
		cold, warm := coldStarts(t, blankSnapshot(joinPlan()), opt)
		if len(cold) == 0 || warm == 0 {
			t.Fatalf("%s: %d cold starts, %d warm ones", name, len(cold), warm)
		}
		for _, at := range cold {
			if at > cold[0].Add(together) {
				t.Errorf("%s: a start at %d is cold, the first was at %d", name, at, cold[0])
			}
		}
	}
}

// A run in which a task has started long ago, or a job has ended, starts none cold.
func TestYARNLaterStartsAreWarm(t *testing.T) {
	s := blankSnapshot(joinPlan())
	s.At = 60_000
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Finished = dag.Succeeded, 0, 50_000
	if cold, warm := coldStarts(t, s, Options{}); len(cold) > 0 || warm == 0 {
		t.Errorf("after a job: %d cold starts, %d warm ones", len(cold), warm)
	}
	s = blankSnapshot(joinPlan())
	s.At = 60_000
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Started = dag.Running, 0, 3000
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{{
		State: dag.AttemptFailed, Start: 5000, End: 7000, Slot: -1,
		Node: -1,
	}}
	if cold, warm := coldStarts(t, s, Options{}); len(cold) > 0 || warm == 0 {
		t.Errorf("after an attempt: %d cold starts, %d warm ones", len(cold), warm)
	}
}
