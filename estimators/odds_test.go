package estimators_test

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

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
	// Each attempt of the schedule is asked whether it fails, without those that repeat it.
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
// Where a job's size is not known nothing is said.
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
