package whatif_test

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// TestRestage checks what changes of a stage's tasks are worth in a finished run: a task of 40 s on the first of four
// cores, then, after a pause of 10 s, eight tasks of 5 s.
func TestRestage(t *testing.T) {
	t.Parallel()
	a := func(task int32, start, took dag.Instant) dag.Attempt {
		a := dag.BlankAttempt(task, 0)
		a.State, a.Slot, a.Start, a.End = dag.AttemptSucceeded, task%4, 1_000_000+start, 1_000_000+start+took
		return a
	}
	second := dag.StageState{Submitted: 1_050_000}
	for task := range int32(8) {
		second.Attempts = append(second.Attempts, a(task, 50_000+dag.Instant(task/4)*5000, 5000))
	}
	s := &dag.Snapshot{
		Plan: &dag.Plan{
			Name: "q", Engine: "Spark", Whole: dag.Whole{Name: "application", Part: "stage", Parts: "stages"},
			Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4}, Driver: dag.Eager,
			Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{
				{Name: "a", Tasks: 1, Known: true},
				{Name: "b", Tasks: 8, Known: true, After: []dag.Edge{{From: 0, Kind: dag.Broadcast}}},
			}}},
		},
		State: dag.Succeeded, At: 1_060_000, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			State: dag.Succeeded, Submitted: 1_000_000, Started: 1_000_000, Finished: 1_060_000,
			Stages: []dag.StageState{{Submitted: 1_000_000, Attempts: []dag.Attempt{a(0, 0, 40_000)}}, second},
		}},
	}
	past, ok := whatif.Again(dag.Run{}.Append(s))
	if !ok {
		t.Fatal("the run has not ended")
	}
	replay, err := whatif.NewReplayOf(past, cost.Costs)
	if err != nil {
		t.Fatal(err)
	}
	half := func(int) float64 { return 0.5 }
	for name, c := range map[string]struct {
		change whatif.StageChange
		want   time.Duration
	}{
		"nothing":          {whatif.StageChange{Stage: 1}, 60 * time.Second},
		"no pause":         {whatif.StageChange{Stage: 1, NoPause: true}, 50 * time.Second},
		"half the work":    {whatif.StageChange{Stage: 1, Work: half}, 55 * time.Second},
		"two tasks of one": {whatif.StageChange{Stage: 0, Tasks: 2, Work: half}, 40 * time.Second},
		"four of eight":    {whatif.StageChange{Stage: 1, Tasks: 4}, 55 * time.Second},
		"one slow task": {whatif.StageChange{Stage: 1, Work: func(task int) float64 {
			return 1 + float64(task/7)
		}}, 65 * time.Second},
	} {
		answer, err := replay.Predict(whatif.Change{Stages: []whatif.StageChange{c.change}})
		if err != nil || answer.Remaining == nil || (*answer.Remaining-c.want).Abs() > 100*time.Millisecond {
			t.Errorf("%s: %v, %v, want %v", name, answer.Remaining, err, c.want)
		}
	}
}
