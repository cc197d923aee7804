package whatif

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// TestIdleCoresAreReplayed replays a finished run of two stages on two cores, whose executors came 30 s after the
// submission and whose driver needed 2 s to start each next task. Without these times the replay would take 24 s of 63.
func TestIdleCoresAreReplayed(t *testing.T) {
	t.Parallel()
	plan := &dag.Plan{
		Engine: "Spark", Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
		Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{
			{Name: "scan", Tasks: 6, Known: true},
			{Name: "reduce", Tasks: 4, Known: true, After: []dag.Edge{{From: 0, Kind: dag.Barrier}}},
		}}},
	}
	state := dag.JobState{State: dag.Succeeded, Submitted: 1000, Finished: 64_000, Stages: make([]dag.StageState, 2)}
	add := func(k dag.StageIndex, task, slot int32, start, end dag.Instant) {
		nan := math.NaN()
		state.Stages[k].Attempts = append(state.Stages[k].Attempts, dag.Attempt{
			Task: task, Slot: slot, Node: -1, State: dag.AttemptSucceeded, Start: start, End: end, Out: nan, Bytes: nan,
			Ratio: nan, Done: [dag.Pipelines]float64{nan, nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan},
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, First: dag.Mark{At: dag.NoInstant},
			Last: dag.Mark{At: dag.NoInstant}, FirstReport: dag.NoInstant,
		})
	}
	for i := range int32(3) {
		at := 31_000 + 7000*dag.Instant(i)
		add(0, 2*i, 0, at, at+5000)
		add(0, 2*i+1, 1, at, at+5000-3000*dag.Instant(i/2)) // at last the second core waits for the end of the stage
	}
	for i := range int32(2) {
		at := 52_000 + 6500*dag.Instant(i)
		add(1, 2*i, 0, at, at+4500)
		add(1, 2*i+1, 1, at, at+4500)
	}
	state.Stages[0].Submitted, state.Stages[1].Submitted = 1000, 1000
	state.Finished = 63_000
	past, ok := Again(dag.Run{}.Append(&dag.Snapshot{
		At: 63_000, State: dag.Succeeded, Plan: plan, Jobs: []dag.JobState{state}, Stale: dag.NoInstant,
	}))
	if !ok {
		t.Fatal("no job has run")
	}
	r, err := NewReplayOf(past, cost.Costs)
	if err != nil || !(math.Abs(r.Miss()) < 0.01) {
		t.Fatalf("the replay of %v misses by %v, %v", past.Took, r.Miss(), err)
	}
}
