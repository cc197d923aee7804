package powerfit

import (
	"cmp"
	"math"
	"slices"
)

// MaxDistinct is the number of different X from which a fit uses means: it bounds the cost of a fit.
const MaxDistinct = 256

// sums are points for one fit, by distinct x, scaled to at most 1.
type sums struct {
	x, y, w        []float64
	log            []float64 // of x: x^c = exp(c log x) for any c
	step           []float64 // x^gridStep
	z              []float64 // x^c of the present c
	weight, mean   float64   // of all y
	within         float64   // squares within points of one x, which no curve can explain
	total          float64   // squares around the mean
	xScale, yScale float64
	low            float64 // the smallest x above 0, not scaled
	joined         bool    // points of different x have become one
}

func condense(points []Point) *sums {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
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
	bins, joined := bins(points)
	s.joined = joined
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

// bins returns a number for each of the sorted points: one for each distinct x or, if there are too many, one for
// each part of the range of equal width in log x.
func bins(points []Point) (out []int, joined bool) {
	out = make([]int, len(points))
	n := 0
	for i := 1; i < len(points); i++ {
		if points[i].X != points[i-1].X {
			n++
		}
		out[i] = n
	}
	if n < MaxDistinct {
		return out, false
	}
	first := 0 // log 0 has no width
	for points[first].X == 0 {
		out[first] = 0
		first++
	}
	low := math.Log(points[first].X)
	width := (math.Log(points[len(points)-1].X) - low) / (MaxDistinct - 2)
	for i := first; i < len(points); i++ {
		out[i] = 1 + int((math.Log(points[i].X)-low)/width)
	}
	return out, true
}

// at solves for a and b at power c.
func (s *sums) at(c float64) (a, b, sse float64) {
	for i, l := range s.log {
		s.z[i] = math.Exp(c * l)
	}
	return s.linear()
}

// linear returns the weighted least squares fit of y = a + b z, and its squared error. If z does not vary, b is 0.
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
