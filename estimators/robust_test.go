package estimators_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/schedule"
)

// With any counters, no scenario panics, and each gives a valid time or none.
func TestOddRuns(t *testing.T) {
	answered, failed := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		run := oddRun(r, dag.Policy(seed%2))
		for i, e := range estimators.Shared(everyScenario(), paper.Model(paper.ObservedSlowdown),
			estimators.Options{}) {
			name := everyScenario()[i].Name
			got, err := e.Estimate(run)
			if err != nil {
				failed++
				continue
			}
			answered++
			for _, d := range []*time.Duration{got.Remaining, got.Low, got.High} {
				if d != nil && *d < 0 {
					t.Fatalf("seed %d: %s: %v", seed, name, *d)
				}
			}
			if got.Progress < 0 || got.Progress > 1 || got.AssumedRatio < 0 || got.AssumedRatio > 1 ||
				math.IsNaN(got.AssumedRatio) {
				t.Fatalf("seed %d: %s: progress %v, assumed %v", seed, name, got.Progress, got.AssumedRatio)
			}
		}
	}
	t.Logf("%d estimates, %d errors", answered, failed)
	if answered == 0 {
		t.Error("nothing was estimated")
	}
}

// Estimators that share a world answer as they would alone, in any order and from tick to tick.
func TestSharedAnswersAsAlone(t *testing.T) {
	c := play(t, truth{Plan: joinPlan(17), Seed: 3, Noise: 0.02, Fault: failsAt(1,
		dag.Map, 0, 59_000)})
	all := everyScenario()
	model := paper.Model(paper.ObservedSlowdown)
	together := estimators.Shared(all, model, estimators.Options{})
	run := dag.Run{}.Append(c.At(0))
	for at := dag.Instant(20_000); at < c.Total; at += 97_000 {
		run = run.Append(c.At(at))
		order := rand.New(rand.NewPCG(uint64(at), 1)).Perm(len(all))
		for _, i := range order {
			got, err := together[i].Estimate(run)
			want, err2 := estimators.New(all[i], model, estimators.Options{}).Estimate(run)
			if (err == nil) != (err2 == nil) || text(got) != text(want) {
				t.Errorf("t=%d %s: together %s (%v), alone %s (%v)", at, all[i].Name, text(got), err, text(want), err2)
			}
		}
	}
}

func text(e estimators.Estimate) string {
	remaining := "?"
	if e.Remaining != nil {
		remaining = e.Remaining.String()
	}
	return fmt.Sprintf("%s %s %v %v %v", e.Scenario, remaining, e.Progress, e.Origin, e.AssumedRatio)
}

// halfDone is a stage of Spark on 200 cores. The given tasks have ended and as many are left. Lengths are
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

// plannedCosts are costs by the plan alone.
var plannedCosts = paper.Model(paper.FixedSlowdown([4]float64{1, 1, 1, 1}))

func everyScenario() []estimators.Scenario { return append(estimators.Scenarios(), paper.Others()...) }

func answer(t *testing.T, w *estimators.ReplayContext, name string) estimators.Estimate {
	t.Helper()
	e, err := pick(t, everyScenario(), name)[0].Of(w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
