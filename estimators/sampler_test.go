package estimators_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// spreadAt returns the distribution of a join at a ratio of its run, with noise on the times of tasks.
func spreadAt(t *testing.T, noise, ratio float64, fault schedule.Fault) (estimators.Distribution, time.Duration) {
	t.Helper()
	c := play(t, truth{Plan: joinPlan(20), Seed: 3, Noise: noise, Fault: fault})
	s := c.At(dag.Instant(ratio * float64(c.Total)))
	w := estimators.NewReplayContext(dag.Run{}.Append(s), paper.Model(paper.ObservedSlowdown), estimators.Options{})
	e, err := estimators.Sampled().Of(w)
	if err != nil || len(e.Distribution) == 0 {
		t.Fatalf("%d values: %v", len(e.Distribution), err)
	}
	standard, err := estimators.Scenarios()[0].Of(w)
	if err != nil {
		t.Fatal(err)
	}
	return e.Distribution, *standard.Remaining
}

func width(d estimators.Distribution) time.Duration { return d.At(0.9) - d.At(0.1) }

func TestSampledIsAroundStandard(t *testing.T) {
	for _, ratio := range []float64{0.1, 0.5, 0.9} {
		d, standard := spreadAt(t, 0.1, ratio, nil)
		if !slices.IsSorted(d) {
			t.Error("the values are not ascending")
		}
		if off := math.Abs(float64(d.At(0.5)-standard)) / float64(standard); off > 0.15 {
			t.Errorf("at %v: median %v, standard %v", ratio, d.At(0.5), standard)
		}
		if width(d) <= 0 {
			t.Errorf("at %v: no width", ratio)
		}
	}
}

func TestMoreSpreadIsWider(t *testing.T) {
	quiet, _ := spreadAt(t, 0.02, 0.6, nil)
	noisy, _ := spreadAt(t, 0.5, 0.6, nil)
	if width(noisy) < width(quiet)*5/4 {
		t.Errorf("tasks that vary by half: %v wide; that hardly vary: %v", width(noisy), width(quiet))
	}
	if later, _ := spreadAt(t, 0.1, 0.8, nil); width(later) >= width(quiet) {
		t.Errorf("at 80%%: %v wide, at 60%%: %v", width(later), width(quiet))
	}
}

// Failures that the run has shown come again: they make it later, and hardly ever sooner.
func TestFailuresWidenTheUpperSide(t *testing.T) {
	c := play(t, truth{Plan: joinPlan(20), Seed: 3, Noise: 0.1})
	s := c.At(c.Total / 2)
	without := sampledOf(t, s)
	failing := *s
	failing.Jobs = dag.CloneStates(s.Jobs)
	for j := range failing.Jobs {
		if list := failing.Jobs[j].Stages[dag.Map].Attempts; len(list) > 0 {
			last := list[len(list)-1]
			for number := range int32(4) {
				last.Number, last.State, last.Start, last.End = number+5, dag.AttemptFailed, s.At-2000, s.At-1000
				failing.Jobs[j].Stages[dag.Map].Attempts = append(
					slices.Clone(failing.Jobs[j].Stages[dag.Map].Attempts), last)
			}
			break
		}
	}
	with := sampledOf(t, &failing)
	low := math.Abs(float64(with.At(0.05)-without.At(0.05))) / float64(without.At(0.05))
	high := float64(with.At(0.95)-without.At(0.95)) / float64(without.At(0.95))
	if low > 0.1 || high < 0.02 || high < 2*low {
		t.Errorf("without: %v to %v; with four failures: %v to %v", without.At(0.05), without.At(0.95), with.At(0.05),
			with.At(0.95))
	}
}

func sampledOf(t *testing.T, s *dag.Snapshot) estimators.Distribution {
	t.Helper()
	e, err := estimators.New(estimators.Sampled(), paper.Model(paper.ObservedSlowdown),
		estimators.Options{}).Estimate(dag.Run{}.Append(s))
	if err != nil || len(e.Distribution) == 0 {
		t.Fatalf("%d values: %v", len(e.Distribution), err)
	}
	return e.Distribution
}

func TestNoUncertaintyIsAPoint(t *testing.T) {
	c := play(t, truth{Plan: joinPlan(20), Seed: 3})
	sure := c.At(c.Total / 2)
	model := func(run dag.Run) estimators.Costs {
		costs := paper.Model(paper.ObservedSlowdown)(run)
		costs.Sampling = func() func(estimators.Draws) estimators.Drawn {
			return func(estimators.Draws) estimators.Drawn { return estimators.Drawn{Snapshot: sure, Left: costs.Left} }
		}
		return costs
	}
	e, err := estimators.New(estimators.Sampled(), model, estimators.Options{}).Estimate(dag.Run{}.Append(sure))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.Total.Sub(sure.At); e.Distribution.At(0) != e.Distribution.At(1) ||
		(e.Distribution.At(0)-want).Abs() > time.Second {
		t.Errorf("from %v to %v, want %v", e.Distribution.At(0), e.Distribution.At(1), want)
	}
}

// The same run gives the same values, however many goroutines replay; another run gives others.
func TestSampledIsDeterministic(t *testing.T) {
	c := play(t, truth{Plan: joinPlan(20), Seed: 3, Noise: 0.1})
	s := c.At(c.Total / 3)
	s.ID = "pig_1"
	one := sampledOf(t, s)
	if two := sampledOf(t, s); !slices.Equal(one, two) {
		t.Error("twice the same run, and not the same values")
	}
	other := *s
	other.ID = "pig_2"
	if slices.Equal(one, sampledOf(t, &other)) {
		t.Error("another workflow has the very same values")
	}
}

// From one tick to the next quantiles move as far as standard does, give or take little: the worlds are the same ones.
func TestQuantilesDoNotJitter(t *testing.T) {
	c := play(t, truth{Plan: joinPlan(20), Seed: 3, Noise: 0.1})
	var before estimators.Distribution
	for i := range dag.Instant(5) {
		at := c.Total/2 + i*1000
		d := sampledOf(t, c.At(at))
		if before != nil {
			for _, q := range []float64{0.1, 0.5, 0.9} {
				if moved := (d.At(q) - before.At(q) + time.Second).Abs(); moved > d.At(q)/20 {
					t.Errorf("at %v ms the quantile %v moved by %v of %v", at, q, moved, d.At(q))
				}
			}
		}
		before = d
	}
}

// An attempt ten times over its time may well take as long again: never "any second now" (issue 4, section 2).
func TestOverrunGrows(t *testing.T) {
	f := estimators.NewFactors(nil, 0.1)
	was := 0.0
	for _, over := range []float64{2, 5, 10, 20} {
		rest := estimators.NewRest(10_000, over*10_000, f, 1)
		left := rest.At(0.5, 1)
		if ratio := left / (over * 10_000); ratio < 0.5 || ratio > 2 {
			t.Errorf("%v times over: median %v ms left", over, left)
		}
		if left <= was {
			t.Errorf("%v times over: %v ms left, less than before", over, left)
		}
		was = left
	}
	fresh := estimators.NewRest(10_000, 0, f, 1)
	if left := fresh.At(0.5, 1); math.Abs(left-10_000) > 300 {
		t.Errorf("just started: median %v ms left of 10,000", left)
	}
	for _, age := range []float64{0, 3000, 9000, 11_000, 50_000} {
		rest := estimators.NewRest(10_000, age, f, 1)
		for u := 0.005; u < 1; u += 0.01 {
			left := rest.At(u, 1)
			if !(left >= 0 && left < 1e6) {
				t.Fatalf("age %v: %v at %v", age, left, u)
			}
		}
	}
}

// A world of nothing but hostile counters gives a distribution, or none, and no panic.
func TestSampledOddRuns(t *testing.T) {
	some := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 6))
		run := oddRun(r, dag.Policy(seed%2))
		e, err := estimators.New(estimators.Sampled(), paper.Model(paper.ObservedSlowdown),
			estimators.Options{Samples: 32}).Estimate(run)
		if err != nil {
			continue
		}
		if d := e.Distribution; len(d) > 0 {
			some++
			if !slices.IsSorted(d) || d[0] < 0 {
				t.Fatalf("seed %d: %v", seed, d)
			}
		}
	}
	if some < 50 {
		t.Errorf("%d distributions only", some)
	}
}

func TestEndedRunsHaveNoRange(t *testing.T) {
	s := *play(t, truth{Plan: joinPlan(20), Seed: 3}).At(0)
	s.State = dag.Succeeded
	e, err := estimators.New(estimators.Sampled(), paper.Model(paper.ObservedSlowdown),
		estimators.Options{}).Estimate(dag.Run{}.Append(&s))
	if err != nil || len(e.Distribution) > 0 || e.Remaining == nil || *e.Remaining != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// Tasks of one phase are wrong each by itself too: one replay gives them different times.
func TestTasksDifferWithinAReplay(t *testing.T) {
	c := play(t, truth{Plan: joinPlan(20), Seed: 3})
	w := estimators.NewReplayContext(dag.Run{}.Append(c.At(0)), paper.Model(paper.ObservedSlowdown),
		estimators.Options{})
	left := w.Sampling()(estimators.NewDraws(1, 2, 0, 32)).Left
	one, two := left(schedule.Task{Index: 0, Slot: -1, Node: -1}), left(schedule.Task{Index: 1, Slot: -1, Node: -1})
	if one.Work == two.Work || one.Same != 1 {
		t.Errorf("both take %v, and %d tasks are the same", one.Work, one.Same)
	}
}

// A long query is replayed seldom: its quantiles are those of many replays all the same.
func TestFewSamplesOfManyTasks(t *testing.T) {
	t.Parallel()
	plan := joinPlan(20)
	reduce := golden.PhaseOf(16, 2_500_000, 0.0128, 2_500_000, 0.0064, 2_500_000, 0.0208)
	plan.Jobs = []dag.Job{{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(5500, 250_000, 0.29), reduce)}}
	c := play(t, truth{Plan: plan, Seed: 3, Noise: 0.2})
	run := dag.Run{}.Append(c.At(c.Total / 10))
	few, err := estimators.New(estimators.Sampled(), paper.Model(paper.ObservedSlowdown),
		estimators.Options{}).Estimate(run)
	if err != nil {
		t.Fatal(err)
	}
	many, err := estimators.New(estimators.Sampled(), paper.Model(paper.ObservedSlowdown),
		estimators.Options{Samples: 4 * len(few.Distribution)}).Estimate(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(few.Distribution) != 64 {
		t.Fatalf("%d samples", len(few.Distribution))
	}
	for _, q := range []float64{0.1, 0.25, 0.5, 0.75, 0.9} {
		if off := (few.Distribution.At(q) - many.Distribution.At(q)).Abs(); off > width(many.Distribution)/20 {
			t.Errorf("the quantile %v is off by %v of a range of %v", q, off, width(many.Distribution))
		}
	}
}
