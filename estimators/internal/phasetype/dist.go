// Package phasetype has distributions of service times that consist of exponential stages, and moments of the
// largest and the smallest of several: a join waits for the largest.
//
// gonum's stat/distuv has single exponential and gamma distributions, no mixtures and no maxima; its integrate/quad has
// no quadrature with an error estimate.
package phasetype

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A Variable is a time in seconds, at least 0.
type Variable interface {
	Mean() float64
	Variance() float64
	// Survival returns the probability that it is longer than t; it falls from 1 to 0.
	Survival(t float64) float64
}

// A Branch is an Erlang distribution in a mixture: Stages exponential stages of Rate each, one after the other.
type Branch struct {
	Weight float64 // above 0; those of a mixture sum to 1
	Stages int     // from 1 to MaxStages
	Rate   float64 // a second
}

// A Mixture is a variable that follows one of its branches. One branch of one stage is the exponential
// distribution, several of one stage the hyper-exponential, one of several stages the Erlang.
type Mixture []Branch

// MaxStages bounds the work; with that number of stages the time varies by 1 %.
const MaxStages = 10_000

// A ParameterError means that the parameters of a distribution are invalid.
type ParameterError struct{ What string }

func (e *ParameterError) Error() string { return e.What }

func fault(format string, args ...any) error {
	return &ParameterError{What: fmt.Sprintf(format, args...)}
}

// Bounds within which squares do not overflow and quotients do not vanish.
const (
	largest  = 1e100
	smallest = 1e-100
)

func usable(v float64) bool { return v >= smallest && v <= largest }

// Validate returns a *ParameterError for weights that do not sum to 1, and for stages and rates beyond their bounds.
func (m Mixture) Validate() error {
	if len(m) == 0 {
		return fault("a mixture of nothing: give at least one branch")
	}
	sum := 0.0
	for i, b := range m {
		switch {
		case !(b.Weight > 0 && b.Weight <= 1):
			return fault("branch %d: a weight of %v: give a number above 0, at most 1", i+1, b.Weight)
		case b.Stages < 1 || b.Stages > MaxStages:
			return fault("branch %d: %d stages: give 1 to %d", i+1, b.Stages, MaxStages)
		case !usable(b.Rate):
			return fault("branch %d: a rate of %v a second: give a number from %g to %g", i+1, b.Rate, smallest,
				largest)
		}
		sum += b.Weight
	}
	if math.Abs(sum-1) > 1e-9 {
		return fault("weights that sum to %v: make it 1", sum)
	}
	return nil
}

// Mean returns the mean in seconds.
func (m Mixture) Mean() float64 {
	sum := 0.0
	for _, b := range m {
		sum += b.Weight * float64(b.Stages) / b.Rate
	}
	return sum
}

// Variance returns the variance in seconds squared: that within the branches plus that between them.
func (m Mixture) Variance() float64 {
	mean, sum := m.Mean(), 0.0
	for _, b := range m {
		k := float64(b.Stages)
		d := k/b.Rate - mean
		sum += b.Weight * (k/(b.Rate*b.Rate) + d*d)
	}
	return sum
}

// Survival returns the probability that it is longer than t seconds.
func (m Mixture) Survival(t float64) float64 {
	if !(t > 0) {
		return 1
	}
	sum := 0.0
	for _, b := range m {
		switch x := b.Rate * t; {
		case b.Stages == 1:
			sum += b.Weight * math.Exp(-x)
		case !math.IsInf(x, 1):
			sum += b.Weight * mathext.GammaIncRegComp(float64(b.Stages), x)
		}
	}
	return min(sum, 1)
}
