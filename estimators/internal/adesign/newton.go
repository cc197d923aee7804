package adesign

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A system is (D + VVᵀ) dx = right. D is diagonal; the columns of V are the Hessian's factors in the basis of the
// point, and the budget's.
//
// With u = Vᵀdx, the candidates with a large D are eliminated. The others, which end between the bounds, stay
// beside u in a small system: eliminating them too, as in the formula of Woodbury, would lose all digits.
type system struct {
	d, v []float64
	rank int
	kept []int // candidates that are not eliminated, ascending
	lu   mat.LU
}

func (s *search) factorise() (*system, bool) {
	n, rank := len(s.x), s.rank()
	f := &system{d: make([]float64, n), v: s.factors(), rank: rank}
	for i := range n {
		f.d[i] = s.z[i]/s.x[i] + s.w[i]/s.room[i]
		if !positive(f.d[i]) {
			return nil, false
		}
	}
	f.kept = smallest(f.d, f.v, rank)
	size := rank + len(f.kept)
	small := mat.NewDense(size, size, nil)
	inner := small.RawMatrix().Data
	f.each(func(i, at int, row []float64) {
		if at >= 0 {
			inner[at*size+at] = f.d[i]
			for p, a := range row {
				inner[at*size+p] = a
				inner[p*size+at] = -a
			}
			return
		}
		for p, a := range row {
			g := a / f.d[i]
			to := inner[p*size : p*size+rank]
			for q := p; q < rank; q++ {
				to[q] += g * row[q]
			}
		}
	})
	for p := range rank {
		inner[p*size+p]++
		for q := range p {
			inner[p*size+q] = inner[q*size+p]
		}
	}
	f.lu.Factorize(small)
	return f, true
}

// each calls do for every candidate with its row of V and its index in the small system, -1 if it is eliminated.
func (f *system) each(do func(i, at int, row []float64)) {
	next := 0
	for i := range f.d {
		at := -1
		if next < len(f.kept) && f.kept[next] == i {
			at = f.rank + next
			next++
		}
		do(i, at, f.v[i*f.rank:(i+1)*f.rank])
	}
}

func (f *system) solve(right []float64) ([]float64, bool) {
	b := mat.NewVecDense(f.rank+len(f.kept), nil)
	data := b.RawVector().Data
	f.each(func(i, at int, row []float64) {
		if at >= 0 {
			data[at] = right[i]
			return
		}
		g := right[i] / f.d[i]
		for p, a := range row {
			data[p] += a * g
		}
	})
	var solved mat.VecDense
	// A condition error comes with a solution: the line search checks it.
	if err := f.lu.SolveVecTo(&solved, false, b); err != nil && solved.Len() == 0 {
		return nil, false
	}
	u, dx, ok := solved.RawVector().Data, make([]float64, len(right)), true
	f.each(func(i, at int, row []float64) {
		if at >= 0 {
			dx[i] = u[at]
		} else {
			sum := right[i]
			for p, a := range row {
				sum -= a * u[p]
			}
			dx[i] = sum / f.d[i]
		}
		ok = ok && !math.IsNaN(dx[i]) && !math.IsInf(dx[i], 0)
	})
	return dx, ok
}

func (s *search) rank() int { return s.m.k*(s.m.k+1)/2 + 1 }

// factors returns V, candidates x rank.
func (s *search) factors() []float64 {
	k, rank := s.m.k, s.rank()
	weight := make([]float64, 0, rank)
	for p := range k {
		weight = append(weight, math.Sqrt(2*max(0, s.at.e[p])))
		for q := p + 1; q < k; q++ {
			weight = append(weight, math.Sqrt(2*max(0, s.at.e[p]+s.at.e[q])))
		}
	}
	budget := math.Sqrt(s.price / s.slack)
	v := make([]float64, len(s.x)*rank)
	for i := range s.x {
		alpha, row := s.at.alpha[i*k:(i+1)*k], v[i*rank:(i+1)*rank]
		c := 0
		for p := range k {
			for q := p; q < k; q++ {
				row[c] = weight[c] * alpha[p] * alpha[q]
				c++
			}
		}
		row[c] = budget * s.m.costs[i]
	}
	return v
}

// small is the ratio of a candidate's D to its row of V below which eliminating it loses digits.
const small = 1e-3

// smallest returns the candidates, ascending, with a small D relative to their row of V; at most four times the
// rank, which is more than there are between the bounds.
func smallest(d, v []float64, rank int) []int {
	type part struct {
		candidate int
		ratio     float64
	}
	var parts []part
	for i, x := range d {
		sum := 0.0
		for _, a := range v[i*rank : (i+1)*rank] {
			sum += a * a
		}
		if x < small*sum {
			parts = append(parts, part{i, x / sum})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.candidate, b.candidate))
	})
	var kept []int
	for _, p := range parts[:min(len(parts), 4*rank)] {
		kept = append(kept, p.candidate)
	}
	slices.Sort(kept)
	return kept
}
