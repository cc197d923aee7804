// Package powerfit fits y = a + b x^c by weighted least squares.
//
// For a given c the best a and b are linear (variable projection: Golub and Pereyra, 1973), so only c is searched:
// on a grid from 0.1 to 6, then by golden section around the best. gonum has neither: its stat.LinearRegression
// could do the inner step, but its optimize needs a start and derivatives or a simplex, and has no bracketed search
// in one dimension.
package powerfit

import "math"

// A Point is a measurement. X is 0 or from 1e-21 to 1e19, Y at most 1e12, Weight above 0: then all predictions of a
// fit for such an X are finite.
type Point struct {
	X, Y, Weight float64
}

// A Fit is y = A + B X^C. R2 is the weighted coefficient of determination of its points.
type Fit struct {
	A, B, C, R2 float64
	// Low and High are the smallest X above 0 and the largest of the points.
	Low, High float64

	// B as a factor of (X/scale)^C: X^C alone overflows where the product does not.
	factor, scale float64
}

// At returns the fitted value at x, at least 0.
func (f Fit) At(x float64) float64 {
	if f.scale == 0 {
		return max(0, f.A+f.B*math.Pow(x, f.C))
	}
	return max(0, f.A+f.factor*math.Pow(x/f.scale, f.C))
}

// The search of docs/facts/nearestfit.md N2: a grid of powers, then a golden section.
const (
	gridStep  = 0.1
	gridSteps = 60
	lowest    = 0.05 // of the golden section
	sections  = 40
	coarse    = 18 // sections for joined points: they determine the power only to 1e-4
	distinct  = 4  // least number of sizes: three unknowns and one to check the fit
)

// MostPower is the largest power that New tries if the caller knows no smaller one.
const MostPower = gridStep * gridSteps

// New fits points in any order, with a power of at most about most. There is no fit for fewer than four distinct X, or
// if Y does not vary. Points of one X count as their mean: that changes no coefficient. More than MaxDistinct different
// X are joined with their neighbors first.
func New(points []Point, most float64) (Fit, bool) {
	s := condense(points)
	if len(s.x) < distinct || !(s.total > 0) {
		return Fit{}, false
	}
	best, low := 0, math.Inf(1)
	for i := range s.x {
		s.z[i] = 1
	}
	steps := min(gridSteps, max(1, int(math.Round(most/gridStep))))
	for k := 1; k <= steps; k++ {
		for i := range s.z {
			s.z[i] *= s.step[i]
		}
		if _, _, sse := s.linear(); sse < low {
			best, low = k, sse
		}
	}
	c := s.section(float64(best)*gridStep-gridStep, float64(best)*gridStep+gridStep)
	a, b, sse := s.at(c)
	f := Fit{
		C: c, R2: 1 - sse/s.total, A: a * s.yScale, factor: b * s.yScale, scale: s.xScale, Low: s.low, High: s.xScale,
	}
	f.B = f.factor / math.Pow(s.xScale, c)
	if !finite(f.A) || !finite(f.factor) || !finite(f.R2) {
		return Fit{}, false
	}
	return f, true
}

// section returns the middle of the interval that a golden section of [low, high] leaves (Kiefer, 1953).
func (s *sums) section(low, high float64) float64 {
	low = max(lowest, low)
	ratio := (math.Sqrt(5) - 1) / 2
	c1, c2 := high-ratio*(high-low), low+ratio*(high-low)
	_, _, f1 := s.at(c1)
	_, _, f2 := s.at(c2)
	steps := sections
	if s.joined {
		steps = coarse
	}
	for range steps {
		if f1 < f2 {
			high, c2, f2 = c2, c1, f1
			c1 = high - ratio*(high-low)
			_, _, f1 = s.at(c1)
		} else {
			low, c1, f1 = c1, c2, f2
			c2 = low + ratio*(high-low)
			_, _, f2 = s.at(c2)
		}
	}
	return (low + high) / 2
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
