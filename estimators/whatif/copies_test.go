package whatif_test

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// TestCopiedTask checks that a slow task and its copy are no failure: the replay of the run takes as long as the run,
// which lies within its range, and nothing is saved without failures.
func TestCopiedTask(t *testing.T) {
	t.Parallel()
	a := func(task, number int32, state dag.AttemptState, start, end dag.Instant) dag.Attempt {
		return dag.Attempt{
			Task: task, Number: number, State: state, Start: start, End: end, Done: [dag.Pipelines]float64{100},
			Slot: -1, Node: -1, First: dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant},
			FirstReport: dag.NoInstant, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
		}
	}
	const start = 1_000_000
	var attempts []dag.Attempt
	for task := range int32(8) {
		from := start + dag.Instant(task/4)*5000
		if task == 1 {
			attempts = append(attempts, a(task, 0, dag.AttemptKilled, from, start+40_010),
				a(task, 1, dag.AttemptSucceeded, start+35_000, start+40_000))
			continue
		}
		attempts = append(attempts, a(task, 0, dag.AttemptSucceeded, from, from+5000))
	}
	copies := &dag.Snapshot{
		Plan: &dag.Plan{
			Name: "q", Engine: "Spark", Whole: dag.Whole{Name: "application", Part: "stage", Parts: "stages"},
			Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4}, Driver: dag.Eager,
			Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{{Name: "s", Tasks: 8, Known: true}}}},
		},
		State: dag.Succeeded, At: start + 41_000, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			State: dag.Succeeded, Submitted: start, Started: start, Finished: start + 40_000,
			Stages: []dag.StageState{{Attempts: attempts}},
		}},
	}
	past, ok := whatif.Again(dag.Run{}.Append(copies))
	if !ok || past.Struck || len(past.Lost) > 0 {
		t.Fatalf("%v: %+v", ok, past)
	}
	replay, err := whatif.NewReplayOf(past, cost.Costs)
	if err != nil {
		t.Fatal(err)
	}
	if miss := replay.Miss(); miss < -0.02 || miss > 0.02 {
		t.Errorf("the replay misses the run by %.2f", miss)
	}
	answer, err := replay.PredictRange(whatif.Change{})
	if err != nil || answer.Low == nil || *answer.Low > 40*time.Second || *answer.High < 40*time.Second {
		t.Errorf("the run of 40s is outside its range: %+v (%v)", answer, err)
	}
	without, err := replay.End(whatif.Change{Unfailing: true})
	if err != nil || without != 40*time.Second {
		t.Errorf("without failures it takes %v, %v", without, err)
	}
}
