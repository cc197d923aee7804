package nearestfit

import (
	"cmp"
	"math"
	"slices"
)

// A powerPoint is a size X, a time Y and a weight. If X is 0 or from 1e-21 to 1e19, Y at most 1e12 and Weight above
// 0, a fit of such points is finite for each such X.
type powerPoint struct {
	X, Y, Weight float64
}

// A powerFit is Y = A + B X^C, with the weighted coefficient of determination R2.
type powerFit struct {
	A, B, C, R2 float64
	// Low and High are the smallest X above 0 and the largest of the points.
	Low, High float64

	// B X^C is factor (X/scale)^C, in which no part overflows.
	factor, scale float64
}

// At returns the fitted value at x, at least 0.
func (f powerFit) At(x float64) float64 {
	if f.scale == 0 {
		return max(0, f.A+f.B*math.Pow(x, f.C))
	}
	return max(0, f.A+f.factor*math.Pow(x/f.scale, f.C))
}

// The search for the power (facts/nearestfit.md N2): a grid, then a golden section.
const (
	gridStep      = 0.1
	gridSteps     = 60
	powerSections = 40
	leastSizes    = 4 // different X that a fit needs: one more than it has unknowns
)

// mostPower is the largest power that fitPower tries.
const mostPower = gridStep * gridSteps

// fitPower returns the weighted least squares fit of points in any order, with a power of at most about most. ok is
// false if there are fewer than leastSizes different X, or if Y does not vary. Points of one X are joined, which does
// not change the fit; if there are more than mostSizes different X, those near each other are joined, too.
//
// For a given power c, the best a and b of y = a + b x^c are a linear regression (variable projection: Golub and
// Pereyra, 1973). So only c is searched: on a grid from 0.1 to 6, then by golden section around the best. Package
// optimize of gonum has no search in an interval.
func fitPower(points []powerPoint, most float64) (powerFit, bool) {
	s := sumsOf(points)
	if len(s.x) < leastSizes || !(s.total > 0) {
		return powerFit{}, false
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
	f := powerFit{
		C: c, R2: 1 - sse/s.total, A: a * s.yScale, factor: b * s.yScale, scale: s.xScale, Low: s.low, High: s.xScale,
	}
	f.B = f.factor / math.Pow(s.xScale, c)
	if !finite(f.A) || !finite(f.factor) || !finite(f.R2) {
		return powerFit{}, false
	}
	return f, true
}

// section returns the power between low and high with about the smallest error, by golden section (Kiefer, 1953).
func (s *sums) section(low, high float64) float64 {
	low = max(gridStep/2, low)
	ratio := (math.Sqrt(5) - 1) / 2
	c1, c2 := high-ratio*(high-low), low+ratio*(high-low)
	_, _, f1 := s.at(c1)
	_, _, f2 := s.at(c2)
	for range powerSections {
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

// mostSizes limits the different X of a fit, and the points of one size in a profile.
const mostSizes = 256

// sums are the points of a fit by x, scaled so that the largest x and y are 1.
type sums struct {
	x, y, w        []float64
	log            []float64 // log x
	step           []float64 // x^gridStep
	z              []float64 // x^c of the power c that is tried
	weight, mean   float64   // of all y
	within         float64   // squared deviations of joined points from their mean
	total          float64   // squared deviations from the mean of all
	xScale, yScale float64
	low            float64 // the smallest x above 0, not scaled
}

func sumsOf(points []powerPoint) *sums {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b powerPoint) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	s := &sums{}
	for _, p := range slices.Backward(points) {
		s.xScale, s.yScale = max(s.xScale, p.X), max(s.yScale, math.Abs(p.Y))
		if p.X > 0 {
			s.low = p.X
		}
	}
	if s.xScale == 0 || s.yScale == 0 {
		return s
	}
	bins := bins(points)
	for i, p := range points {
		x, y := p.X/s.xScale, p.Y/s.yScale
		last := len(s.x) - 1
		if last >= 0 && bins[i] == bins[i-1] {
			share := p.Weight / (s.w[last] + p.Weight)
			s.within += s.w[last] * share * (y - s.y[last]) * (y - s.y[last])
			s.x[last] += (x - s.x[last]) * share
			s.y[last] += (y - s.y[last]) * share
			s.w[last] += p.Weight
			continue
		}
		s.x, s.y, s.w = append(s.x, x), append(s.y, y), append(s.w, p.Weight)
	}
	for i := range s.y {
		s.weight += s.w[i]
		s.mean += (s.y[i] - s.mean) * s.w[i] / s.weight
	}
	s.total = s.within
	s.log, s.step, s.z = make([]float64, len(s.x)), make([]float64, len(s.x)), make([]float64, len(s.x))
	for i, x := range s.x {
		s.log[i] = math.Log(x)
		s.step[i] = math.Exp(gridStep * s.log[i])
		s.total += s.w[i] * (s.y[i] - s.mean) * (s.y[i] - s.mean)
	}
	return s
}

// bins returns a number for each of the sorted points; points with the same number are joined. There is one for each
// x or, if there are too many, one for each of mostSizes-1 parts of the range of log x.
func bins(points []powerPoint) []int {
	out := make([]int, len(points))
	n := 0
	for i := 1; i < len(points); i++ {
		if points[i].X != points[i-1].X {
			n++
		}
		out[i] = n
	}
	if n < mostSizes {
		return out
	}
	first := 0 // log 0 has no width
	for points[first].X == 0 {
		out[first] = 0
		first++
	}
	low := math.Log(points[first].X)
	width := (math.Log(points[len(points)-1].X) - low) / (mostSizes - 2)
	for i := first; i < len(points); i++ {
		out[i] = 1 + int((math.Log(points[i].X)-low)/width)
	}
	return out
}

// at returns the best a and b for the power c, and the squared error.
func (s *sums) at(c float64) (a, b, sse float64) {
	for i, l := range s.log {
		s.z[i] = math.Exp(c * l)
	}
	return s.linear()
}

// linear returns the best a and b of y = a + b z, and the squared error. If z does not vary, b is 0.
func (s *sums) linear() (a, b, sse float64) {
	z := 0.0
	for i, w := range s.w {
		z += w * s.z[i]
	}
	z /= s.weight
	zz, zy := 0.0, 0.0
	for i, w := range s.w {
		d := s.z[i] - z
		zz += w * d * d
		zy += w * d * (s.y[i] - s.mean)
	}
	a = s.mean
	if zz > 0 {
		b = zy / zz
		a -= b * z
	}
	sse = s.within
	for i, w := range s.w {
		r := s.y[i] - a - b*s.z[i]
		sse += w * r * r
	}
	return a, b, sse
}
