package estimators_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/schedule"
)

// halfDone is a stage of Spark on 200 cores, of which the given tasks have ended and as many are left. Lengths are
// log-normal.
func halfDone(tasks int, sigma float64) dag.Run {
	const executors, cores = 50, 4
	stages := []dag.Stage{{Name: "scan", Tasks: 2 * tasks, Known: true, Pipelines: make([]dag.Pipeline, 1)}}
	s := &dag.Snapshot{
		Plan: &dag.Plan{
			Engine: "Spark", Cluster: dag.Cluster{Policy: dag.Executors, Cores: executors * cores},
			Jobs: []dag.Job{{Node: "application", Stages: stages}},
		},
		State: dag.Running, Stale: dag.NoInstant, Nodes: make([]dag.NodeState, executors),
		Jobs: []dag.JobState{{
			ID: "app-1", State: dag.Running, Finished: dag.NoInstant, Stages: make([]dag.StageState, 1),
		}},
	}
	for i := range s.Nodes {
		s.Nodes[i] = dag.NodeState{Cores: cores, LostAt: dag.NoInstant}
	}
	free := make([]dag.Instant, executors*cores)
	for i := range tasks {
		slot := slices.Index(free, slices.Min(free))
		start := free[slot]
		u := math.Mod((float64(i)+0.5)*math.Phi, 1)
		free[slot] = start.Add(time.Duration(float64(1500*time.Millisecond) * estimators.LogNormal(u, sigma)))
		//nolint:gosec // indices
		s.Jobs[0].Stages[0].Attempts = append(s.Jobs[0].Stages[0].Attempts, dag.Attempt{
			Task: int32(i), State: dag.AttemptSucceeded, Slot: int32(slot), Node: int32(slot / cores),
			Start: start, End: free[slot],
		})
	}
	s.At = slices.Max(free)
	return dag.Run{}.Append(s)
}

// TestRunsKeepHeavyTails compares replays in which several tasks are one event with replays of single tasks: the
// quantiles differ by less than a hundredth of the time left, however few waves are left and however long the longest
// tasks are.
func TestRunsKeepHeavyTails(t *testing.T) {
	t.Parallel()
	const samples = 128
	for _, sigma := range []float64{0.3, 0.7, 1, 1.5} {
		for _, waves := range []int{10, 25} {
			t.Run(fmt.Sprint(sigma, " in ", waves), func(t *testing.T) {
				t.Parallel()
				w := estimators.NewReplayContext(halfDone(200*waves, sigma), cost.Costs, estimators.Options{})
				draw := w.Sampling()
				var got, want estimators.Distribution
				for i := range uint64(samples) {
					d := draw(estimators.NewDraws(99, estimators.Mix(i), i, samples))
					single, err := schedule.Replay(d.Snapshot, d.Left, schedule.Options{EndOnly: &schedule.EndOnly{}})
					if err != nil {
						t.Fatal(err)
					}
					merged, err := schedule.Replay(d.Snapshot, d.Left, schedule.Options{
						EndOnly: &schedule.EndOnly{}, Runs: true,
					})
					if err != nil {
						t.Fatal(err)
					}
					got, want = append(got, merged.Remaining()), append(want, single.Remaining())
				}
				slices.Sort(got)
				slices.Sort(want)
				for _, q := range []float64{0.1, 0.5, 0.9} {
					if off := float64(got.At(q)-want.At(q)) / float64(want.At(0.5)); math.Abs(off) > 0.01 {
						t.Errorf("q%.0f: %v in runs, %v single: %+.2f%%", 100*q, got.At(q), want.At(q), 100*off)
					}
				}
			})
		}
	}
}
