package cost

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// single returns a model like Costs in whose samples each task is an event of its own.
func single(r dag.Run) estimators.Costs {
	c := Costs(r)
	prepare := c.Sampling
	c.Sampling = func() func(estimators.Draws) estimators.Drawn {
		draw := prepare()
		return func(d estimators.Draws) estimators.Drawn {
			out := draw(d)
			out.Runs = false
			return out
		}
	}
	return c
}

// TestRunsEqualSingleTasks compares samples in which several tasks are one event with samples of single tasks: the
// quantiles differ by less than a hundredth of the time left.
func TestRunsEqualSingleTasks(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		tasks  int
		spread func(task int) float64 // of the length of a task
	}{
		{"alike", 100_000, func(task int) float64 { return 1 + 0.1*math.Sin(float64(task)) }},
		{"few waves", 40_000, func(task int) float64 { return 1 + 0.2*math.Sin(float64(task)) }},
		{"heavy tails", 100_000, func(task int) float64 {
			return math.Exp(estimators.Normal(math.Mod(float64(task)*math.Phi, 1)))
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			run := benchRun(x.tasks, 20, 50, false)
			s := run.Now()
			for k := range s.Jobs[0].Stages {
				for i := range s.Jobs[0].Stages[k].Attempts {
					a := &s.Jobs[0].Stages[k].Attempts[i]
					a.End = a.Start + dag.Instant(1500*min(x.spread(i), 20))
				}
			}
			estimate := func(model estimators.Model, samples int) estimators.Distribution {
				w := estimators.NewReplayContext(run, model, estimators.Options{Samples: samples})
				e, err := estimators.Sampled().Of(w)
				if err != nil || e.Distribution == nil {
					t.Fatal(e, err)
				}
				return e.Distribution
			}
			got, want := estimate(Costs, 128), estimate(single, 128)
			left := want.At(0.5)
			for _, q := range []float64{0.1, 0.5, 0.9} {
				off := float64(got.At(q)-want.At(q)) / float64(left)
				t.Logf("q%.0f: %v in runs, %v single: %+.2f%%", 100*q, got.At(q).Round(time.Second),
					want.At(q).Round(time.Second), 100*off)
				if math.Abs(off) > 0.01 {
					t.Errorf("q%.0f differs by %.2f%%", 100*q, 100*off)
				}
			}
		})
	}
}
