package forecast

import (
	"math"
	"math/rand/v2"
	"testing"
)

func equal(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// Of n scores of equal weight the r-th smallest is the quantile of order r/(n+1), whatever their order is.
func TestRanks(t *testing.T) {
	s := NewScores([]float64{30, 10, 20, 50, 40, 70, 60, 90, 80}, equal(9))
	for q, want := range map[float64]float64{0.1: 10, 0.5: 50, 0.9: 90, 0.25: 25, 0.05: 10, 0.99: 90} {
		if got := s.At(q); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile of order %v is %v, want %v", q, got, want)
		}
	}
	if low, high := s.Range(); math.Abs(low-0.1) > 1e-9 || math.Abs(high-0.9) > 1e-9 {
		t.Errorf("there are quantiles from %v to %v, want 0.1 to 0.9", low, high)
	}
	if low, high := NewScores(nil, nil).Range(); low <= high {
		t.Errorf("no scores have quantiles from %v to %v", low, high)
	}
}

// Ties are one value with the weight of all.
func TestTies(t *testing.T) {
	s := NewScores([]float64{1, 2, 2, 2, 2, 2, 2, 2, 3}, equal(9))
	for _, q := range []float64{0.2, 0.5, 0.8} {
		if got := s.At(q); got != 2 {
			t.Errorf("quantile of order %v is %v, want 2", q, got)
		}
	}
}

// A score of double weight is two scores, but for the one that is to come: its weight is the mean.
func TestWeights(t *testing.T) {
	s := NewScores([]float64{1, 2, 3}, []float64{1, 2, 1})
	mean := 4.0 / 3
	for i, want := range []float64{mean/2 + 0.5, mean/2 + 2, mean/2 + 3.5} {
		if got := s.At(want / (4 + mean)); math.Abs(got-float64(i+1)) > 1e-9 {
			t.Errorf("quantile of order %v is %v, want %d", want/(4+mean), got, i+1)
		}
	}
	for c := range 3 {
		w := []float64{1, 2, 1}
		for i := range w {
			w[i] *= math.Pow(7, float64(c))
		}
		if got, want := NewScores([]float64{1, 2, 3}, w).At(0.4), s.At(0.4); math.Abs(got-want) > 1e-9 {
			t.Errorf("scaled weights give %v instead of %v", got, want)
		}
	}
}

// The range between the quantiles of order 0.1 and 0.9 holds 80% of the next scores, for every number of them from 9
// on and whatever the distribution: here half of an exponential one, skewed and with a tail. Ranks rounded outwards
// would hold 89% at 18.
func TestHoldsWhatItPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() float64 { return math.Pow(r.ExpFloat64(), 1.5) }
	for _, n := range []int{9, 12, 18, 19, 35, 60} {
		const trials = 20_000
		held, below := 0, 0
		for range trials {
			scores, weights := make([]float64, n), make([]float64, n)
			for i := range scores {
				scores[i], weights[i] = draw(), math.Exp2(-float64(n-i)/25)
			}
			s := NewScores(scores, weights)
			switch next := draw(); {
			case next < s.At(0.1):
				below++
			case next <= s.At(0.9):
				held++
			}
		}
		// The standard error is 0.003; between two ranks of a skewed tail a straight line lies up to 0.012 too high.
		if ratio := float64(held) / trials; math.Abs(ratio-0.805) > 0.018 {
			t.Errorf("after %d scores the range holds %.3f", n, ratio)
		}
		if ratio := float64(below) / trials; math.Abs(ratio-0.1) > 0.012 {
			t.Errorf("after %d scores %.3f are below the range", n, ratio)
		}
	}
}
