package estimators

import (
	"math"
	"testing"
)

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
