package adesign

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	iterations = 300
	least      = 1e-6  // least target of a step, as a part of the complementarity
	precise    = 1e-12 // gap, as a part of the objective, at which the search ends
	proven     = 1e-6  // greatest gap of an optimal design if rounding allows no better one
	enough     = 1e-9  // gap, as a part of the objective, at which it ends after patience steps without gain
	patience   = 5
	near       = 1e-4 // complementarity, as a part of the objective, below which rounded designs are tried
	bound      = 1e-2 // greatest distance to a bound of a weight that may be rounded to it
	halvings   = 50
)

// A search is the primal-dual interior point method (Boyd and Vandenberghe, 11.7). Its constraints are the n weights
// x >= 0, the n rooms 1-x >= 0 and the slack >= 0 of the budget, in this order. Rooms are stored, because near 1 the
// difference has no digits.
type search struct {
	m          *model
	value      []float64 // of each constraint
	multiplier []float64 // of each constraint
	at         *point
}

// A direction is a change of a search's values and multipliers.
type direction struct{ value, multiplier []float64 }

func newSearch(m *model) *search {
	n := len(m.costs)
	s := &search{m: m, value: make([]float64, 2*n+1), multiplier: make([]float64, 2*n+1)}
	s.value[2*n] = 1
	total := floats.Sum(m.costs)
	for i, c := range m.costs {
		// Half of the budget: an equal part of it for each candidate, and an equal weight for each.
		x := min(0.5, 0.25/(float64(n)*c)+0.25/total)
		s.value[i], s.value[n+i] = x, 1-x
		s.value[2*n] -= c * x
	}
	return s
}

func (s *search) weights() []float64 { return s.value[:len(s.m.costs)] }

// start finds multipliers that make the Lagrangian stationary: then only complementarity is missing.
func (s *search) start() bool {
	var ok bool
	if s.at, ok = s.m.at(s.weights()); !ok {
		return false
	}
	n := len(s.m.costs)
	mean := s.at.objective / float64(n)
	_, price := s.m.bound(s.at.gain)
	s.multiplier[2*n] = max(price, mean)
	for i, gain := range s.at.gain {
		net := gain - s.multiplier[2*n]*s.m.costs[i]
		s.multiplier[i], s.multiplier[n+i] = max(0, -net)+mean, max(0, net)+mean
	}
	return true
}

func (s *search) run() (*Design, error) {
	best := &Design{Objective: math.NaN(), Gap: math.Inf(1)}
	for i := 1; i <= iterations && (s.at != nil || s.start()); i++ {
		if floats.Dot(s.value, s.multiplier) <= near*s.at.objective {
			if d := s.rounded(); d != nil && d.Gap < best.Gap {
				best = d
				best.Iterations = i
			}
		}
		settled := best.Gap <= enough*best.Objective && i >= best.Iterations+patience
		if settled || best.Gap <= precise*best.Objective || !s.step() {
			break
		}
	}
	if !(best.Gap <= proven*best.Objective) {
		return nil, fmt.Errorf("no optimal design after %d iterations: objective %.6g may be above the least by %.3g",
			iterations, best.Objective, best.Gap)
	}
	return best, nil
}

// rounded moves weights to a bound if their multipliers indicate it, and scales the others to the rest of the
// budget. It returns nil if the result is no design.
func (s *search) rounded() *Design {
	n := len(s.m.costs)
	x := make([]float64, n)
	spent, free := 0.0, 0.0
	for i, v := range s.weights() {
		most, value := min(1, 1/s.m.costs[i]), s.at.gain[i]+s.multiplier[2*n]*s.m.costs[i]
		switch {
		case v < bound*most && v/most < s.multiplier[i]/value:
		case s.value[n+i] < bound && s.value[n+i] < s.multiplier[n+i]/value:
			x[i] = 1
			spent += s.m.costs[i]
		default:
			x[i] = v
			free += v * s.m.costs[i]
		}
	}
	if spent > 1 {
		return nil
	}
	if f := (1 - spent) / free; free > 0 && f < 1+bound {
		for i, v := range x {
			if v < 1 {
				x[i] = min(1, v*f)
			}
		}
	}
	at, ok := s.m.at(x)
	if !ok {
		return nil
	}
	return s.m.design(x, at)
}

// step makes one step of predictor and corrector (S. Mehrotra, SIAM Journal on Optimization 2, 1992): the progress
// of the predictor, toward complementarity 0, decides the target. It returns false if no length of step lowers the
// residual.
func (s *search) step() bool {
	all := len(s.value)
	mu := floats.Dot(s.value, s.multiplier) / float64(all)
	f, ok := s.newton()
	if !ok {
		return false
	}
	affine, ok := s.toward(f, 0, &direction{make([]float64, all), make([]float64, all)})
	if !ok {
		return false
	}
	ahead := s.moved(affine, s.longest(affine))
	left := floats.Dot(ahead.value, ahead.multiplier) / float64(all) / mu
	mu *= max(least, left*left*left)
	d, ok := s.toward(f, mu, affine)
	if !ok {
		return false
	}
	length := min(1, 0.99*s.longest(d))
	before := s.residual(mu)
	for range halvings {
		next := s.moved(d, length)
		if next.at, ok = s.m.at(next.weights()); ok && next.residual(mu) <= (1-0.01*length)*before {
			*s = *next
			return true
		}
		length /= 2
	}
	return false
}

// toward solves the Newton system toward complementarity mu, minus the products of a first direction's changes.
func (s *search) toward(f *system, mu float64, first *direction) (*direction, bool) {
	n, costs := len(s.m.costs), s.m.costs
	d := &direction{make([]float64, 2*n+1), make([]float64, 2*n+1)}
	target := make([]float64, 2*n+1)
	for j, v := range s.value {
		target[j] = mu - first.value[j]*first.multiplier[j]
		d.multiplier[j] = target[j] / v
	}
	right := make([]float64, n)
	for i, gain := range s.at.gain {
		right[i] = gain + d.multiplier[i] - d.multiplier[n+i] - d.multiplier[2*n]*costs[i]
	}
	if !f.solve(right, d.value[:n]) {
		return nil, false
	}
	floats.AddScaled(d.value[n:2*n], -1, d.value[:n])
	d.value[2*n] = -floats.Dot(costs, d.value[:n])
	for j, v := range s.value {
		d.multiplier[j] = (target[j]-s.multiplier[j]*d.value[j])/v - s.multiplier[j]
	}
	return d, true
}

// longest returns the longest step, at most 1, after which everything stays positive.
func (s *search) longest(d *direction) float64 {
	length := 1.0
	for j := range s.value {
		if d.value[j] < 0 {
			length = min(length, -s.value[j]/d.value[j])
		}
		if d.multiplier[j] < 0 {
			length = min(length, -s.multiplier[j]/d.multiplier[j])
		}
	}
	return length
}

// moved returns the search after a step, without its point.
func (s *search) moved(d *direction, length float64) *search {
	next := &search{m: s.m, value: slices.Clone(s.value), multiplier: slices.Clone(s.multiplier)}
	floats.AddScaled(next.value, length, d.value)
	floats.AddScaled(next.multiplier, length, d.multiplier)
	return next
}

// residual returns the norm of the violation of the optimality conditions with complementarity mu, in units of the
// objective.
func (s *search) residual(mu float64) float64 {
	n, sum := len(s.m.costs), 0.0
	for j, v := range s.value {
		off := v*s.multiplier[j] - mu
		sum += off * off
	}
	for i, c := range s.m.costs {
		dual := (s.multiplier[2*n]*c - s.at.gain[i] - s.multiplier[i] + s.multiplier[n+i]) * min(1, 1/c)
		sum += dual * dual
	}
	return math.Sqrt(sum)
}

// A system is (D + VVᵀ) dx = right. D is diagonal; the columns of V are the factors of the Hessian in the basis of the
// point, and the budget's. Its rank is k(k+1)/2+1, so that a step costs n times that rank squared.
//
// With u = Vᵀdx, the candidates with a large D are eliminated. The others, which end between the bounds, stay
// beside u in a small system: eliminating them too, as in the formula of Woodbury, would lose all digits.
type system struct {
	v       *mat.Dense
	inverse []float64 // of D; 0 for the candidates that are not eliminated
	kept    []int     // those candidates
	lu      mat.LU
}

// small is the ratio of a candidate's D to the square of its row of V below which eliminating it loses digits.
const small = 1e-3

func (s *search) newton() (*system, bool) {
	n := len(s.m.costs)
	f := &system{v: s.factors(), inverse: make([]float64, n)}
	_, rank := f.v.Dims()
	ratio := make([]float64, n)
	for i := range n {
		d := s.multiplier[i]/s.value[i] + s.multiplier[n+i]/s.value[n+i]
		if !positive(d) {
			return nil, false
		}
		row := f.v.RawRowView(i)
		f.inverse[i] = 1 / d
		if ratio[i] = d / floats.Dot(row, row); ratio[i] < small {
			f.kept = append(f.kept, i)
		}
	}
	// Four times the rank is more than there are between the bounds.
	slices.SortFunc(f.kept, func(i, j int) int { return cmp.Or(cmp.Compare(ratio[i], ratio[j]), cmp.Compare(i, j)) })
	f.kept = f.kept[:min(len(f.kept), 4*rank)]
	matrix := mat.NewDense(rank+len(f.kept), rank+len(f.kept), nil)
	for at, i := range f.kept {
		matrix.Set(rank+at, rank+at, 1/f.inverse[i])
		f.inverse[i] = 0
		for p, v := range f.v.RawRowView(i) {
			matrix.Set(rank+at, p, v)
			matrix.Set(p, rank+at, -v)
		}
	}
	var inner mat.Dense
	inner.Mul(f.v.T(), scaled(f.v, f.inverse))
	for p := range rank {
		for q := range rank {
			matrix.Set(p, q, inner.At(p, q))
		}
		matrix.Set(p, p, 1+inner.At(p, p))
	}
	f.lu.Factorize(matrix)
	return f, true
}

// solve stores the solution in dx. It returns false if the solution is not finite.
func (f *system) solve(right, dx []float64) bool {
	_, rank := f.v.Dims()
	floats.MulTo(dx, right, f.inverse)
	var solved, product mat.VecDense
	b := mat.NewVecDense(rank+len(f.kept), nil)
	b.SliceVec(0, rank).(*mat.VecDense).MulVec(f.v.T(), mat.NewVecDense(len(dx), dx))
	for at, i := range f.kept {
		b.SetVec(rank+at, right[i])
	}
	// A condition error comes with a solution: the line search checks it.
	if err := f.lu.SolveVecTo(&solved, false, b); err != nil && solved.Len() == 0 {
		return false
	}
	product.MulVec(f.v, solved.SliceVec(0, rank))
	for i := range dx {
		dx[i] = (right[i] - product.AtVec(i)) * f.inverse[i]
	}
	for at, i := range f.kept {
		dx[i] = solved.AtVec(rank + at)
	}
	return !slices.ContainsFunc(dx, infinite)
}

// factors returns V, candidates x rank.
func (s *search) factors() *mat.Dense {
	n, k := len(s.m.costs), s.m.k
	var weight []float64
	for p := range k {
		weight = append(weight, math.Sqrt(2*s.at.e[p]))
		for q := p + 1; q < k; q++ {
			weight = append(weight, math.Sqrt(2*(s.at.e[p]+s.at.e[q])))
		}
	}
	v := mat.NewDense(n, len(weight)+1, nil)
	budget := math.Sqrt(s.multiplier[2*n] / s.value[2*n])
	for i, c := range s.m.costs {
		alpha, row := s.at.alpha.RawRowView(i), v.RawRowView(i)
		at := 0
		for p := range k {
			for q := p; q < k; q++ {
				row[at] = weight[at] * alpha[p] * alpha[q]
				at++
			}
		}
		row[at] = budget * c
	}
	return v
}
