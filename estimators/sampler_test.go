package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// spreadAt is the distribution of a join at a ratio of its run, whose tasks' times have the noise.
func spreadAt(t *testing.T, noise, ratio float64, fault schedule.Fault) (Distribution, time.Duration) {
	t.Helper()
	c := play(t, truth{plan: joinPlan(20), seed: 3, noise: noise, fault: fault})
	s := c.at(dag.Instant(ratio * float64(c.total)))
	w := NewReplayContext(dag.Run{}.Append(s), Paper(ObservedSlowdown), Options{})
	e, err := Sampled().Of(w)
	if err != nil || len(e.Distribution) == 0 {
		t.Fatalf("%d values: %v", len(e.Distribution), err)
	}
	ms, err := w.standardMS()
	if err != nil {
		t.Fatal(err)
	}
	return e.Distribution, taskcost.Exact(ms)
}

func width(d Distribution) time.Duration { return d.At(0.9) - d.At(0.1) }

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
		t.Errorf("at 80 %%: %v wide, at 60 %%: %v", width(later), width(quiet))
	}
}

// Failures that the run has shown come again: they make it later, and hardly ever sooner.
func TestFailuresWidenTheUpperSide(t *testing.T) {
	c := play(t, truth{plan: joinPlan(20), seed: 3, noise: 0.1})
	s := c.at(c.total / 2)
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

func sampledOf(t *testing.T, s *dag.Snapshot) Distribution {
	t.Helper()
	e, err := New(Sampled(), Paper(ObservedSlowdown), Options{}).Estimate(dag.Run{}.Append(s))
	if err != nil || len(e.Distribution) == 0 {
		t.Fatalf("%d values: %v", len(e.Distribution), err)
	}
	return e.Distribution
}

func TestNoUncertaintyIsAPoint(t *testing.T) {
	c := play(t, truth{plan: joinPlan(20), seed: 3})
	sure := c.at(c.total / 2)
	model := func(run dag.Run) Costs {
		costs := Paper(ObservedSlowdown)(run)
		costs.Sampling = func() func(Draws) Drawn {
			return func(Draws) Drawn { return Drawn{Snapshot: sure, Left: costs.Left} }
		}
		return costs
	}
	e, err := New(Sampled(), model, Options{}).Estimate(dag.Run{}.Append(sure))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.total.Sub(sure.At); e.Distribution.At(0) != e.Distribution.At(1) ||
		(e.Distribution.At(0)-want).Abs() > time.Second {
		t.Errorf("from %v to %v, want %v", e.Distribution.At(0), e.Distribution.At(1), want)
	}
}

// The same run gives the same values, however many goroutines replay; another run gives others.
func TestSampledIsDeterministic(t *testing.T) {
	c := play(t, truth{plan: joinPlan(20), seed: 3, noise: 0.1})
	s := c.at(c.total / 3)
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
	c := play(t, truth{plan: joinPlan(20), seed: 3, noise: 0.1})
	var before Distribution
	for i := range dag.Instant(5) {
		at := c.total/2 + i*1000
		d := sampledOf(t, c.at(at))
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
	f := NewFactors(nil, 0.1)
	was := 0.0
	for _, over := range []float64{2, 5, 10, 20} {
		rest := NewRest(10_000, over*10_000, f, 1)
		left := rest.At(0.5, 1)
		if ratio := left / (over * 10_000); ratio < 0.5 || ratio > 2 {
			t.Errorf("%v times over: median %v ms left", over, left)
		}
		if left <= was {
			t.Errorf("%v times over: %v ms left, less than before", over, left)
		}
		was = left
	}
	fresh := NewRest(10_000, 0, f, 1)
	if left := fresh.At(0.5, 1); math.Abs(left-10_000) > 300 {
		t.Errorf("just started: median %v ms left of 10,000", left)
	}
	for _, age := range []float64{0, 3000, 9000, 11_000, 50_000} {
		rest := NewRest(10_000, age, f, 1)
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
		e, err := New(Sampled(), Paper(ObservedSlowdown), Options{Samples: 32}).Estimate(run)
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
	s := *play(t, truth{plan: joinPlan(20), seed: 3}).at(0)
	s.State = dag.Succeeded
	e, err := New(Sampled(), Paper(ObservedSlowdown), Options{}).Estimate(dag.Run{}.Append(&s))
	if err != nil || len(e.Distribution) > 0 || e.Remaining == nil || *e.Remaining != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestSamples(t *testing.T) {
	for _, c := range []struct{ tasks, most, want int }{
		{0, 0, 128},
		{100, 0, 128},
		{2500, 0, 128},
		{5000, 0, 64},
		{10_000, 0, 32},
		{10_000_000, 0, 32},
		{100, 100, 64},
		{100, 300, 256},
	} {
		if got := samples(c.tasks, c.most); got != c.want {
			t.Errorf("%d tasks, at most %d: %d samples, want %d", c.tasks, c.most, got, c.want)
		}
	}
}

// Each of n equal parts holds one of n common numbers.
func TestCommonNumbersAreStratified(t *testing.T) {
	for _, n := range []uint64{32, 64, 128} {
		seen := make([]bool, n)
		for i := range n {
			u := Draws{seed: 77, sample: i, of: n}.Common(ForRate, 3, dag.Reduce)
			seen[int(u*float64(n))] = true
		}
		if i := slices.Index(seen, false); i >= 0 {
			t.Errorf("of %d, none in part %d", n, i)
		}
	}
}

// Tasks of one phase are wrong each by itself too: one replay gives them different times.
func TestTasksDifferWithinAReplay(t *testing.T) {
	c := play(t, truth{plan: joinPlan(20), seed: 3})
	w := NewReplayContext(dag.Run{}.Append(c.at(0)), Paper(ObservedSlowdown), Options{})
	left := w.sampling()(Draws{seed: 1, own: 2, of: 32}).Left
	one, two := left(schedule.Task{Index: 0, Slot: -1, Node: -1}), left(schedule.Task{Index: 1, Slot: -1, Node: -1})
	if one.Work == two.Work || one.Same != 1 {
		t.Errorf("both take %v, and %d tasks are the same", one.Work, one.Same)
	}
}

// A long query is replayed seldom: its quantiles are those of many replays all the same.
func TestFewSamplesOfManyTasks(t *testing.T) {
	t.Parallel()
	plan := joinPlan(20)
	reduce := phaseOf(16, 2_500_000, 0.0128, 2_500_000, 0.0064, 2_500_000, 0.0208)
	plan.Jobs = []dag.Job{{Node: "j1", Stages: dag.MapReduce(phaseOf(5500, 250_000, 0.29), reduce)}}
	c := play(t, truth{plan: plan, seed: 3, noise: 0.2})
	run := dag.Run{}.Append(c.at(c.total / 10))
	few, err := New(Sampled(), Paper(ObservedSlowdown), Options{}).Estimate(run)
	if err != nil {
		t.Fatal(err)
	}
	many, err := New(Sampled(), Paper(ObservedSlowdown), Options{Samples: 4 * len(few.Distribution)}).Estimate(run)
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
