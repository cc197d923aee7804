package estimators_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// Whatever the counters say, no scenario panics, and each says a time that is one, or nothing.
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
