package phasetype

import "math"

// A Sum is exponential stages of any rates, one after the other: the hypoexponential distribution.
type Sum struct {
	rates []float64
	jump  float64   // the largest rate
	left  []float64 // how likely it is not over after so many jumps
}

// maxSteps bounds what a sum costs: stages times jumps.
const maxSteps = 4_000_000

// NewSum takes the rates of the stages, a second, in any order, equal ones too.
//
// The survival function is found by uniformisation (A. Jensen, 1953): jumps at the largest rate, of which some go on.
// It adds positive numbers only. The textbook's sum of exponentials divides by the differences of rates, and fails
// where two are nearly equal.
//
// A *ParameterError says which rates cannot be: one that is some ten thousand times as fast as the slowest is one of
// them.
func NewSum(rates ...float64) (*Sum, error) {
	if len(rates) == 0 || len(rates) > MaxStages {
		return nil, fault("a sum of %d stages: give 1 to %d", len(rates), MaxStages)
	}
	s := &Sum{rates: rates}
	slowest := math.Inf(1)
	for i, r := range rates {
		if !usable(r) {
			return nil, fault("stage %d: a rate of %v a second: give a number from %g to %g", i+1, r, smallest, largest)
		}
		s.jump, slowest = max(s.jump, r), min(slowest, r)
	}
	s.rates = append([]float64(nil), rates...)
	at := make([]float64, len(rates))
	at[0] = 1
	for steps := 0; ; steps += len(rates) {
		sum := 0.0
		for _, p := range at {
			sum += p
		}
		if s.left = append(s.left, sum); sum < 1e-25 {
			return s, nil
		}
		if steps > maxSteps {
			return nil, fault(
				"%d stages, the fastest %.3g times as fast as the slowest: leave out the fastest, which add next to nothing",
				len(rates), s.jump/slowest)
		}
		for i := len(at) - 1; i >= 0; i-- {
			on := rates[i] / s.jump
			if i+1 < len(at) {
				at[i+1] += at[i] * on
			}
			at[i] *= 1 - on
		}
	}
}

// Mean is in seconds.
func (s *Sum) Mean() float64 {
	sum := 0.0
	for _, r := range s.rates {
		sum += 1 / r
	}
	return sum
}

// Variance is in seconds squared.
func (s *Sum) Variance() float64 {
	sum := 0.0
	for _, r := range s.rates {
		sum += 1 / (r * r)
	}
	return sum
}

// Survival is the probability that it is longer than t seconds.
func (s *Sum) Survival(t float64) float64 {
	x := s.jump * t
	switch {
	case !(x > 0):
		return 1
	case x-12*math.Sqrt(x) > float64(len(s.left)):
		return 0
	}
	// From the likeliest number of jumps both ways, until they no longer count; likelihoods are parts of the likeliest
	// one.
	mode := int(x)
	sum, all := 0.0, 0.0
	add := func(n int, p float64) {
		all += p
		if n < len(s.left) {
			sum += p * s.left[n]
		}
	}
	for n, p := mode, 1.0; p > 1e-20; n++ {
		add(n, p)
		p *= x / float64(n+1)
	}
	for n, p := mode-1, float64(mode)/x; n >= 0 && p > 1e-20; n-- {
		add(n, p)
		p *= float64(n) / x
	}
	return min(sum/all, 1)
}
