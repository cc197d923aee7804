package observed

import (
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// manySamples make quantiles of order 0.1 and 0.9 exact enough to see what a law does to them.
const manySamples = 256

// ranged returns the distribution of what is left of a query.
func ranged(t *testing.T, s *dag.Snapshot) estimators.Distribution {
	t.Helper()
	model := func(run dag.Run) estimators.Costs { return New(run, Options{}).Costs() }
	e, err := estimators.New(estimators.Sampled(), model, estimators.Options{Samples: manySamples}).Estimate(runOf(s))
	if err != nil {
		t.Fatal(err)
	}
	return e.Distribution
}

// Before anything has shown work there is no scale for a range, and none is given.
func TestNoRangeTooEarly(t *testing.T) {
	s := group(6000, 25, 600)
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		a.First.At, a.Last.At, a.FirstReport = dag.NoInstant, dag.NoInstant, dag.NoInstant
	}
	if d := ranged(t, s); len(d) > 0 {
		t.Errorf("nothing has reported, and the range is %v to %v", d.At(0.1), d.At(0.9))
	}
}

// Reduces that nobody has seen may take next to nothing, or longer than all that is known.
func TestAssumedIsWide(t *testing.T) {
	d := ranged(t, group(14_000, 25, 600))
	if len(d) == 0 {
		t.Fatal("no range")
	}
	if d.At(0.95) < 2*d.At(0.1) {
		t.Errorf("from %v to %v", d.At(0.1), d.At(0.95))
	}
}

// A map far past its time may take as long again as it has been silent.
func TestSilentAttemptIsConditional(t *testing.T) {
	median := func(now dag.Instant) time.Duration {
		s := group(now, 25, 600)
		done := mapAttempt(0, 5000, 5000, 25, 600, 26_000)
		for i := range s.Jobs[0].Stages[dag.Map].Attempts {
			a := done
			a.Task = int32(i)
			a.State, a.End, a.Done[0] = dag.AttemptSucceeded, 25_000, 600
			s.Jobs[0].Stages[dag.Map].Attempts[i] = a
		}
		stuck := mapAttempt(8, 26_000, 5000, 25, 600, 36_000)
		rest := stuck
		rest.Task, rest.State, rest.End, rest.Done[0] = 9, dag.AttemptSucceeded, 45_000, 600
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, stuck, rest)
		s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 0
		return ranged(t, s).At(0.5)
	}
	one, five := median(100_000), median(340_000)
	if one < 20*time.Second || five < 3*one || five > 8*one {
		t.Errorf("silent for a minute: median %v; for five: %v", one, five)
	}
}

// Drawing is a pure function: the snapshot that is drawn from stays as it was.
func TestDrawingChangesNothing(t *testing.T) {
	s := group(14_000, 25, 600)
	s.Load = []dag.Load{{ID: "other", HeldMB: 256, Submitted: 1, Until: dag.NoInstant}}
	before := s.Plan.Overheads
	a := ranged(t, s)
	if b := ranged(t, s); !slices.Equal(a, b) || s.Plan.Overheads != before || s.Load[0].Until.Known() {
		t.Error("the second look differs, or the snapshot has changed")
	}
}
