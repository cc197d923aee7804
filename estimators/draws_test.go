package estimators

import (
	"math"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

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

// The probabilities of 0, 1, 2 … failures add up to one, and to the rate's mean.
func TestFailureProbabilities(t *testing.T) {
	t.Parallel()
	for _, l := range []FailureLaw{{0.5, 1e6}, {3.5, 1e6}, {10, 1e7}} {
		sum, mean := 0.0, 0.0
		for n := range 2000 {
			p := l.Probability(n, 2e6)
			sum += p
			mean += float64(n) * p
		}
		if want := l.shape / l.ms * 2e6; math.Abs(sum-1) > 1e-6 || math.Abs(mean-want) > 1e-3*want {
			t.Errorf("%+v: the sum is %v, the mean %v, want 1 and %v", l, sum, mean, want)
		}
	}
	if p := (FailureLaw{0.5, 1e6}).Probability(0, 0); p != 1 {
		t.Errorf("nothing is left, and no failure has probability %v", p)
	}
}
