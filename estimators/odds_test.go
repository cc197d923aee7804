package estimators_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// oddNumber returns a number, often one that no valid counter has.
func oddNumber(r *rand.Rand) float64 {
	return []float64{math.NaN(), 0, 1, 7, 1e3, 1e6, -5, math.Inf(1), 1e300, 100 * r.Float64()}[r.IntN(10)]
}

func oddSeries(r *rand.Rand, n int) dag.Series {
	switch r.IntN(3) {
	case 0:
		return dag.Series{}
	case 1:
		return dag.Uniform(oddNumber(r))
	}
	v := make([]float64, r.IntN(n+2))
	for i := range v {
		v[i] = oddNumber(r)
	}
	return dag.Each(v)
}

func oddPhase(r *rand.Rand, k dag.StageIndex) dag.Stage {
	p := dag.Stage{Tasks: r.IntN(8), Known: r.IntN(4) > 0}
	for range r.IntN([]int{1, dag.Pipelines}[k] + 1) {
		p.Pipelines = append(p.Pipelines, dag.Pipeline{Tuples: oddSeries(r, p.Tasks), Alpha: oddSeries(r, p.Tasks)})
	}
	return p
}

func oddAttempts(r *rand.Rand, n int, at dag.Instant) []dag.Attempt {
	var list []dag.Attempt
	for task := range n + 1 { // one more than there are
		for number := range r.IntN(3) {
			a := dag.Attempt{
				Task: int32(task), Number: int32(number), State: dag.AttemptState(r.IntN(5)),
				Slot: int32(r.IntN(6) - 1),
				Node: int32(r.IntN(4) - 1), Start: at - dag.Instant(r.IntN(90_000)), End: dag.NoInstant,
				Ratio: oddNumber(r), Out: oddNumber(r), Bytes: oddNumber(r),
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
				First: dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant}, FirstReport: dag.NoInstant,
			}
			for p := range a.Done {
				a.Done[p], a.Total[p] = oddNumber(r), oddNumber(r)
			}
			if a.State > dag.AttemptRunning {
				a.End = at - dag.Instant(r.IntN(9_000))
			}
			if r.IntN(9) == 0 {
				a.Start = dag.NoInstant
			}
			list = append(list, a)
		}
	}
	return list
}

// oddRun returns a run with invalid counters.
func oddRun(r *rand.Rand, policy dag.Policy) dag.Run {
	plan := &dag.Plan{Cluster: dag.Cluster{
		Policy: policy, MapSlots: 1 + r.IntN(4), ReduceSlots: 1 + r.IntN(4),
		SlotsPerNode: r.IntN(3), Setup: time.Duration(r.IntN(3)) * time.Second, MemoryMB: 4096,
	}}
	for j := range 1 + r.IntN(3) {
		job := dag.Job{Node: string(rune('a' + j)), Stages: dag.MapReduce(oddPhase(r, dag.Map),
			oddPhase(r, dag.Reduce))}
		if j > 0 && r.IntN(2) == 0 {
			job.After = []int{j - 1}
		}
		plan.Jobs = append(plan.Jobs, job)
	}
	var run dag.Run
	for tick := range 1 + r.IntN(3) {
		at := dag.Instant(1_000_000 + 7_000*tick)
		s := &dag.Snapshot{Plan: plan, At: at, State: dag.Running, Stale: dag.NoInstant, Jobs: plan.BlockedJobs()}
		for j := range s.Jobs {
			s.Jobs[j] = dag.JobState{
				Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant,
				State: dag.State(r.IntN(6)), Stages: make([]dag.StageState, dag.MapReduceStages),
			}
			if s.Jobs[j].State != dag.Blocked {
				s.Jobs[j].Submitted = at - 60_000
				s.Jobs[j].Stages[dag.Map].Attempts = oddAttempts(r, plan.Jobs[j].Stages[dag.Map].Tasks, at)
				s.Jobs[j].Stages[dag.Reduce].Attempts = oddAttempts(r, plan.Jobs[j].Stages[dag.Reduce].Tasks, at)
			}
		}
		run = run.Append(s)
	}
	return run
}

// What a scenario supposes is as likely as the sampler draws it: the law is the same.
func TestProbabilitiesAreTheSamplers(t *testing.T) {
	t.Parallel()
	plan := joinPlan(17)
	plan.Cluster.FailRate = 0.1
	w := estimators.NewReplayContext(dag.Run{}.Append(golden.Start(plan)), plannedCosts, estimators.Options{})
	sch, err := w.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	// The fault is called for each attempt of the schedule, but not for those that repeat it.
	law, counts, draws := estimators.NewFailureLaw(w.Now(), 0), make([]int, 50), 4096
	for i := range draws {
		fault := law.Fault(estimators.NewDraws(1, estimators.Mix(uint64(i)), uint64(i), uint64(draws)), 0)
		n := 0
		for _, s := range sch.Spans {
			for k := range int(s.Count) {
				if _, fails := fault(schedule.Task{Job: int(s.Job), Stage: s.Stage, Index: int(s.First) + k}, s.Start,
					s.End); fails {
					n++
				}
			}
		}
		counts[min(n, len(counts)-1)]++
	}
	for name, n := range map[string]int{
		"standard": 0, "one_failure": 1, "failure_until_proven": 1, "three_failures": 3,
		"failure_halfway": 1, "average_failure": 1,
	} {
		p := *answer(t, w, name).Probability
		drawn := float64(counts[n]) / float64(draws)
		if p < 0.01 || math.Abs(p-drawn) > 4*math.Sqrt(p/float64(draws))+0.01 {
			t.Errorf("%s: probability %.3f, drawn %.3f", name, p, drawn)
		}
	}
	for _, name := range []string{"skew_low", "skew_high", "best_guess"} {
		if p := answer(t, w, name).Probability; p != nil {
			t.Errorf("%s supposes nothing of failures, and has probability %v", name, *p)
		}
	}
}

// A rate comes from the plan, else from the first profile that has one; a higher one makes no failure less likely.
// If a job's size is unknown, there is no value.
func TestGivenFailRate(t *testing.T) {
	t.Parallel()
	none := func(change func(*dag.Plan), profiles ...*dag.Plan) *float64 {
		plan := joinPlan(17)
		change(plan)
		s := golden.Start(plan)
		s.Profiles = profiles
		return answer(t, estimators.NewReplayContext(dag.Run{}.Append(s), plannedCosts, estimators.Options{}),
			"standard").Probability
	}
	low, high := &dag.Plan{Cluster: dag.Cluster{FailRate: 0.01}}, &dag.Plan{Cluster: dag.Cluster{FailRate: 0.5}}
	rare, often := none(func(p *dag.Plan) { p.Cluster.FailRate = 0.01 }),
		none(func(p *dag.Plan) { p.Cluster.FailRate = 0.5 })
	if !(*rare > 0.8 && *often < 0.2) {
		t.Errorf("no failure has probability %v and %v", *rare, *often)
	}
	if got := none(func(*dag.Plan) {}, &dag.Plan{}, high, low); *got != *often {
		t.Errorf("by the profile %v, want %v", *got, *often)
	}
	if got := none(func(p *dag.Plan) { p.Cluster.FailRate = 0.01 }, high); *got != *rare {
		t.Errorf("by the plan %v, want %v", *got, *rare)
	}
	if got := none(func(p *dag.Plan) { p.Jobs[2].Stages[dag.Map].Known = false }); got != nil {
		t.Errorf("a job of unknown size, and no failure has probability %v", *got)
	}
}
