package phasetype

import (
	"math"
	"slices"
)

// Copies are independent variables of one distribution.
type Copies struct {
	Variable Variable
	Count    int // at least 1
}

// Moments are those of a maximum or a minimum.
type Moments struct {
	Mean, Variance float64 // seconds, seconds squared
	// Error bounds the error of the mean, in seconds, as estimated by the quadrature; rounding comes on top.
	Error float64
}

// Maximum returns the moments of the largest of any number of independent variables, which a join waits for.
//
// The mean is the integral of 1-ΠF over time, by adaptive quadrature to about 1e-12; a million copies cost as much
// as one. The variance is ∫ 2|t-mean| · (ΠF below the mean, 1-ΠF above), in which nothing is subtracted.
//
// Errors are a *ParameterError.
func Maximum(of []Copies) (Moments, error) {
	if len(of) == 0 {
		return Moments{}, fault("the largest of nothing: give at least one variable")
	}
	for i, c := range of {
		if c.Variable == nil || c.Count < 1 {
			return Moments{}, fault("variable %d: %d copies: give at least 1 of something", i+1, c.Count)
		}
		if m, ok := c.Variable.(Mixture); ok {
			if err := m.Validate(); err != nil {
				return Moments{}, err
			}
		}
		if m := c.Variable.Mean(); !usable(m) {
			return Moments{}, fault("variable %d: a mean of %v s: give a number from %g to %g", i+1, m, smallest,
				largest)
		}
	}
	return moments(func(t float64) float64 {
		log := 0.0
		for _, c := range of {
			log += float64(c.Count) * math.Log1p(-c.Variable.Survival(t))
		}
		return log
	}, scale(of)), nil
}

func minimum(a, b Variable) Moments {
	return moments(func(t float64) float64 { return math.Log1p(-a.Survival(t) * b.Survival(t)) },
		max(a.Mean(), b.Mean()))
}

func scale(of []Copies) float64 {
	s := 0.0
	for _, c := range of {
		s = max(s, c.Variable.Mean())
	}
	return s
}

// negligible is the probability that is ignored at either end.
const negligible = 1e-22

// moments integrates a distribution, given its logarithm and a time that is about as long as its mean.
func moments(log func(t float64) float64, about float64) Moments {
	if math.IsNaN(log(about)) {
		return Moments{Mean: math.NaN(), Variance: math.NaN(), Error: math.NaN()}
	}
	knots := knots(log, about)
	over := func(f func(t float64) float64) (sum, off float64) {
		for i := range knots[1:] {
			s, e := integrate(f, knots[i], knots[i+1])
			sum, off = sum+s, off+e
		}
		return sum, off
	}
	above, off := over(func(t float64) float64 { return -math.Expm1(log(t)) })
	mean := knots[0] + above
	// The kink at the mean becomes a knot.
	if i, found := slices.BinarySearch(knots, mean); !found && i > 0 && i < len(knots) {
		knots = slices.Insert(knots, i, mean)
	}
	variance, _ := over(func(t float64) float64 {
		if t < mean {
			return 2 * (mean - t) / mean * math.Exp(log(t))
		}
		return 2 * (t - mean) / mean * -math.Expm1(log(t))
	})
	return Moments{Mean: mean, Variance: variance * mean, Error: off}
}

// knots divides the time in which a distribution rises from 0 to 1 into pieces, each twice as long as the previous
// one: the distribution may have its mass anywhere on a logarithmic scale.
func knots(log func(t float64) float64, about float64) []float64 {
	upper := about
	for range 1000 {
		if -math.Expm1(log(upper)) <= negligible {
			break
		}
		upper *= 2
	}
	from := bisect(upper, func(t float64) bool { return math.Exp(log(t)) <= negligible })
	to := bisect(upper, func(t float64) bool { return -math.Expm1(log(t)) > negligible })
	all := []float64{from}
	for j := 45; j >= 0; j-- {
		if t := from + math.Ldexp(to-from, -j); t > all[len(all)-1] {
			all = append(all, t)
		}
	}
	return all
}

// bisect returns the end of the times at which a condition is true, if it is true at first and false at upper.
func bisect(upper float64, holds func(t float64) bool) float64 {
	lower := 0.0
	for range 60 {
		if middle := lower + (upper-lower)/2; holds(middle) {
			lower = middle
		} else {
			upper = middle
		}
	}
	return lower
}
