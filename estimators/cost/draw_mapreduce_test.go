package cost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// TestNoRangeTooEarly checks that there is no range before anything has shown work.
func TestNoRangeTooEarly(t *testing.T) {
	t.Parallel()
	if d := drawn(t, mapping(5500, 25, 600)); len(d) > 0 {
		t.Errorf("%v to %v", d.At(0.1), d.At(0.9))
	}
}

// TestAssumedIsWide checks the range while no reduce has run: reduces may take almost no time, or more than all other
// work.
func TestAssumedIsWide(t *testing.T) {
	t.Parallel()
	if d := drawn(t, mapping(14_000, 25, 600)); len(d) == 0 || d.At(0.95) < 2*d.At(0.1) {
		t.Errorf("%v", d)
	}
}

// TestRangeOfAProfile checks that the range is wide before this run has launched anything, as its load is not known,
// and that the launch narrows it.
func TestRangeOfAProfile(t *testing.T) {
	t.Parallel()
	profile := learned()
	width := func(s *dag.Snapshot) float64 {
		d := drawn(t, attached(s, profile))
		return float64(d.At(0.9)) / float64(d.At(0.1))
	}
	before := mapping(4000, 25, 600)
	before.Jobs[0].Stages[dag.Map].Attempts, before.Jobs[0].HeldMB = nil, 512
	was, is := width(before), width(mapping(20_000, 25, 600))
	if was < 1.8 || is > 0.8*was {
		t.Errorf("80%% of the ends lie within %.2f before the launch, within %.2f after 20 s", was, is)
	}
}

// TestTheEndMayTakeLong checks that a job whose tasks have all ended may end at once, and later the longer it waits:
// one of Hadoop 0.20 cleans up for some time.
func TestTheEndMayTakeLong(t *testing.T) {
	t.Parallel()
	last := func(waits dag.Instant) estimators.Distribution {
		s := finished(25)
		s.At, s.State = s.Jobs[0].LastSuccess()+waits, dag.Running
		s.Jobs[0].State, s.Jobs[0].Finished = dag.Running, dag.NoInstant
		return drawn(t, s)
	}
	soon, late := last(100), last(5000)
	if soon.At(0.5) > 2*time.Second || late.At(0.9) < 5*time.Second || late.At(0.5) < soon.At(0.5) {
		t.Errorf("after 0.1 s: %v to %v; after 5 s: %v to %v", soon.At(0.1), soon.At(0.9), late.At(0.1), late.At(0.9))
	}
}

// TestDrawingChangesNothing checks that draws are pure: they leave the snapshot as it was.
func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	s := mapping(14_000, 25, 600)
	s.Load = []dag.Load{{ID: "other", HeldMB: 256, Submitted: 1, Until: dag.NoInstant}}
	before := s.Plan.Overheads
	a := drawn(t, s)
	if b := drawn(t, s); !slices.Equal(a, b) || s.Plan.Overheads != before || s.Load[0].Until.Known() {
		t.Error("a second draw differs, or the snapshot has changed")
	}
}

// hostile is a job whose counters, instants and states are those of a broken cluster.
func hostile(r *rand.Rand, policy dag.Policy) *dag.Snapshot {
	numbers := [...]float64{
		0, -1, 1e-300, 1, 600, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1),
	}
	instants := [...]dag.Instant{dag.NoInstant, 0, 5000, 13_999, 14_000, 90_000, math.MaxInt32 * 1000}
	number := func() float64 { return numbers[r.IntN(len(numbers))] }
	at := func() dag.Instant { return instants[r.IntN(len(instants))] }
	s := mapping(14_000, 25, 600)
	s.Plan.Cluster.Policy, s.Plan.Cluster.MapSlots, s.Plan.Cluster.ReduceSlots = policy, 1+r.IntN(9), 1+r.IntN(4)
	js := &s.Jobs[0]
	js.Stages[dag.Reduce].Attempts = slices.Clone(js.Stages[dag.Map].Attempts[:r.IntN(4)])
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			for range r.IntN(2) * (1 + r.IntN(4)) {
				a := &js.Stages[k].Attempts[i]
				switch r.IntN(7) {
				case 0:
					a.Done[r.IntN(dag.Pipelines)] = number()
				case 1:
					a.Total[r.IntN(dag.Pipelines)] = number()
				case 2:
					a.Out, a.Bytes, a.Ratio = number(), number(), number()
				case 3:
					a.Start, a.End = at(), at()
				case 4:
					a.State = dag.AttemptState(r.IntN(5))
				case 5:
					a.First, a.Last = dag.Mark{At: at(), Done: number(), Out: number()},
						dag.Mark{At: at(), Done: number(), Out: number()}
				case 6:
					a.CopyEnd, a.SortEnd = at(), at()
				}
			}
		}
	}
	return s
}

// TestHostileCounters checks that hostile counters give a distribution or none: no panic, no negative or unbounded
// time, and the same each time.
func TestHostileCounters(t *testing.T) {
	t.Parallel()
	profile, some := learned(), 0
	for seed := range uint64(240) {
		s := hostile(rand.New(rand.NewPCG(seed, 8)), dag.Policy(seed%2))
		if seed%3 == 0 {
			s = attached(s, profile)
		}
		e := estimators.New(estimators.Sampled(), Costs, estimators.Options{Samples: 32})
		got, err := e.Estimate(runOf(s))
		m := newModel(runOf(s), Options{})
		for k := range dag.StageIndex(dag.MapReduceStages) {
			for i := range m.stages[0][k].n {
				if full, rem := m.full(0, k, i), m.rem(0, k, i); !(full >= 0 && rem >= 0) || math.IsInf(full+rem, 0) {
					t.Errorf("seed %d: task %d of stage %d takes %v and has %v left", seed, i, k, full, rem)
				}
			}
		}
		if err != nil || len(got.Distribution) == 0 {
			continue
		}
		some++
		d := got.Distribution
		if !slices.IsSorted(d) || d[0] < 0 || d[len(d)-1] > dag.MaxLength {
			t.Errorf("seed %d: %v to %v", seed, d[0], d[len(d)-1])
		}
		if again, err := e.Estimate(runOf(s)); err != nil || !slices.Equal(again.Distribution, d) {
			t.Errorf("seed %d: a second estimate differs: %v", seed, err)
		}
		if _, err := dagProfile(s); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if some < 80 {
		t.Errorf("%d distributions only", some)
	}
}

// dagProfile learns a profile of a run and validates it.
func dagProfile(s *dag.Snapshot) (*dag.Plan, error) {
	p := Learn(runOf(s))
	return p, dag.ValidateProfile(p)
}

// TestLittleWorkIsNotWide checks the range while maps start up whose work is a small part of their start: how little
// the work is known does not widen the whole, which reached to 15 s.
func TestLittleWorkIsNotWide(t *testing.T) {
	t.Parallel()
	s := mapping(10_500, 0.33, 600)
	s.Plan.Jobs[0].Stages[dag.Map].Tasks, s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 8, 0
	all := s.Jobs[0].Stages[dag.Map].Attempts
	for i := 3; i < len(all); i++ {
		all[i] = blank(int32(i), 6000) //nolint:gosec // eight maps
	}
	d := drawn(t, s)
	if len(d) == 0 || d.At(0.9) > 14*time.Second {
		t.Errorf("%v to %v", d.At(0.1), d.At(0.9))
	}
}
