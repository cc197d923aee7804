package nnls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// involved is from what part of a combination on a column counts as part of it: rounding leaves less.
const involved = 1e-9

func (s *solver) result(a *mat.Dense) ([]float64, float64, Info, error) {
	x := make([]float64, len(s.y))
	for j, y := range s.y {
		if y == 0 {
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
	info.Rank, info.Dependent = s.dependence()
	info.Condition, info.ScaledCondition = math.Inf(1), math.Inf(1)
	if info.Rank == len(x) {
		info.Condition = mat.Cond(a, 2)
		info.ScaledCondition = mat.Cond(s.matrix(), 2)
	}
	return x, residual, info, nil
}

func (s *solver) matrix() *mat.Dense {
	d := mat.NewDense(len(s.b), len(s.columns), nil)
	for j, c := range s.columns {
		d.SetCol(j, c)
	}
	return d
}

// dependence factorises all columns, always the one farthest from the span of those before, and joins each that is in the
// span with those that it is a combination of.
func (s *solver) dependence() (rank int, sets [][]int) {
	f := newQR(s.b)
	left := make([]int, len(s.columns))
	for j := range left {
		left[j] = j
	}
	var in []int
	for len(left) > 0 && len(in) < len(s.b) {
		best, most := -1, s.tolerance()
		var rotated []float64
		for i, j := range left {
			c := slices.Clone(s.columns[j])
			// A column that depends on others is the same distance away as they are: the first is taken.
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
	return len(in), sets
}

// join adds a set and unites it with those that share a column with it.
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
