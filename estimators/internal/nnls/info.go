package nnls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// involved is the least relative coefficient of a column that counts as part of a combination: rounding leaves
// less.
const involved = 1e-9

func (s *solver) result() ([]float64, float64, Info, error) {
	x := make([]float64, len(s.y))
	for j, y := range s.y {
		if y <= s.tolerance() { // rounding
			continue
		}
		x[j] = y * (s.right / s.scale[j])
		if math.IsInf(s.right, 0) || math.IsInf(s.scale[j], 0) || math.IsInf(x[j], 0) || math.IsNaN(x[j]) {
			return nil, math.NaN(), Info{}, &RangeError{Column: j}
		}
	}
	residual := norm(s.residual) * s.right
	if s.right == 0 {
		residual = 0
	}
	if math.IsInf(residual, 0) || math.IsNaN(residual) {
		return nil, math.NaN(), Info{}, &RangeError{Column: -1}
	}
	info := Info{Gradient: make([]float64, len(x)), Iterations: s.iterations}
	for j, c := range s.columns {
		info.Gradient[j] = dot(c, s.residual) * s.right * s.scale[j]
	}
	f, in, left := s.factorise()
	info.Rank, info.Dependent = len(in), s.dependence(f, in, left)
	if info.Rank == len(x) {
		info.triangle = f.r
		for _, j := range in {
			info.scales = append(info.scales, s.scale[j])
		}
	}
	return x, residual, info, nil
}

// Condition returns the condition number of the matrix as given, +Inf below full column rank.
func (i *Info) Condition() float64 {
	largest := 0.0
	for _, l := range i.scales {
		largest = max(largest, l)
	}
	return i.condition(func(k int) float64 { return i.scales[k] / largest })
}

// ScaledCondition returns the condition number of the matrix with its columns scaled to length 1, which bounds the
// error of the coefficients; +Inf below full column rank.
func (i *Info) ScaledCondition() float64 { return i.condition(func(int) float64 { return 1 }) }

// condition computes the condition number of R, which has the singular values of the matrix and no more rows than
// columns.
func (i *Info) condition(length func(column int) float64) float64 {
	if i.triangle == nil {
		return math.Inf(1)
	}
	r := mat.NewDense(len(i.triangle), len(i.triangle), nil)
	for k, column := range i.triangle {
		for row, v := range column {
			r.Set(row, k, v*length(k))
		}
	}
	return mat.Cond(r, 2)
}

// factorise adds columns, always the one farthest from the span of those before; the columns that are left are in
// the span.
func (s *solver) factorise() (f *qr, in, left []int) {
	f = newQR(s.b)
	left = make([]int, len(s.columns))
	for j := range left {
		left[j] = j
	}
	for len(left) > 0 && len(in) < len(s.b) {
		best, most := -1, s.tolerance()
		var rotated []float64
		for i, j := range left {
			c := slices.Clone(s.columns[j])
			// Dependent columns have equal distances except for rounding: take the first one.
			if d := f.distance(c); d > most*(1+1e-9) {
				best, most, rotated = i, d, c
			}
		}
		if best < 0 {
			break
		}
		f.add(rotated, most)
		in = append(in, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return f, in, left
}

// dependence joins each column that is left with the columns that it is a combination of.
func (s *solver) dependence(f *qr, in, left []int) (sets [][]int) {
	for _, j := range left {
		c := slices.Clone(s.columns[j])
		f.rotate(c)
		set := []int{j}
		for k, part := range f.solve(c) {
			if math.Abs(part) > involved {
				set = append(set, in[k])
			}
		}
		sets = join(sets, set)
	}
	for _, set := range sets {
		slices.Sort(set)
	}
	slices.SortFunc(sets, slices.Compare)
	return sets
}

// join adds a set and unites it with the sets that share a column with it.
func join(sets [][]int, set []int) [][]int {
	kept := sets[:0]
	for _, other := range sets {
		if !slices.ContainsFunc(other, func(j int) bool { return slices.Contains(set, j) }) {
			kept = append(kept, other)
			continue
		}
		for _, j := range other {
			if !slices.Contains(set, j) {
				set = append(set, j)
			}
		}
	}
	return append(kept, set)
}
