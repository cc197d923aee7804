package nnls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	epsilon = 0x1p-52
	// dependent is the greatest distance, in length, of a dependent scaled column from the span of others, for each
	// row or column: rounding leaves less of a column in the span.
	dependent = 8 * epsilon
	// searches is the maximum number of added columns for each column. Lawson and Hanson report about n/2 as usual.
	searches = 30
)

// A solver uses columns and a right side that are scaled to length 1: x = y · right / scale.
type solver struct {
	columns [][]float64
	scale   []float64 // 0 for a column of zeros
	b       []float64
	right   float64 // 0 if b is all zeros

	y          []float64
	passive    []int // columns with y above 0, in the order in which they were added
	excluded   []bool
	residual   []float64
	iterations int
}

func newSolver(a *mat.Dense, b []float64) *solver {
	m, n := a.Dims()
	s := &solver{
		columns: make([][]float64, n), scale: make([]float64, n), y: make([]float64, n),
		excluded: make([]bool, n),
	}
	for j := range s.columns {
		s.columns[j], s.scale[j] = unit(mat.Col(nil, j, a))
	}
	s.b, s.right = unit(append([]float64(nil), b...))
	s.residual = append(make([]float64, 0, m), s.b...)
	return s
}

// unit scales v to length 1 and returns its length, which may overflow to +Inf: the column is still scaled.
func unit(v []float64) ([]float64, float64) {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return v, 0
	}
	for i := range v {
		v[i] /= largest
	}
	length := norm(v)
	for i := range v {
		v[i] /= length
	}
	return v, largest * length
}

func (s *solver) tolerance() float64 { return dependent * float64(max(len(s.b), len(s.columns))) }

// run is algorithm NNLS (23.10) of Lawson and Hanson.
func (s *solver) run() error {
	for {
		j := s.steepest()
		if j < 0 {
			return nil
		}
		if s.iterations++; s.iterations > searches*len(s.columns) {
			return &CycleError{Iterations: s.iterations - 1}
		}
		z, ok := s.try(append(slices.Clip(s.passive), j))
		if !ok || !(z[len(z)-1] > 0) {
			// Its gradient is rounding, or it is a combination of the others: it cannot lower the residual.
			s.excluded[j] = true
			continue
		}
		s.passive = append(s.passive, j)
		if !s.settle(z) {
			s.excluded[j] = true
			continue
		}
		clear(s.excluded)
	}
}

// steepest returns the column along which the residual falls most, -1 if there is none.
func (s *solver) steepest() int {
	best, most := -1, s.tolerance()
	for j, c := range s.columns {
		if s.scale[j] == 0 || s.excluded[j] || slices.Contains(s.passive, j) {
			continue
		}
		if w := dot(c, s.residual); w > most {
			best, most = j, w
		}
	}
	return best
}

// try returns the least squares solution for some columns, with any signs; false if they depend on each other.
func (s *solver) try(columns []int) ([]float64, bool) {
	f := newQR(s.b)
	work := make([]float64, len(s.b))
	for _, j := range columns {
		copy(work, s.columns[j])
		d := f.distance(work)
		if d <= s.tolerance() {
			return nil, false
		}
		f.add(work, d)
	}
	z := f.solve(f.right)
	// One step of refinement: it costs a product, and restores the precision that the reflections lost.
	r := append([]float64(nil), s.b...)
	for k, j := range columns {
		axpy(r, -z[k], s.columns[j])
	}
	f.rotate(r)
	for k, d := range f.solve(r) {
		z[k] += d
	}
	return z, true
}

// settle moves y toward z, the solution for the passive columns, and removes columns that would become negative,
// until there are none. It reports whether the residual fell.
func (s *solver) settle(z []float64) bool {
	before, y, passive := norm(s.residual), slices.Clone(s.y), slices.Clone(s.passive[:len(s.passive)-1])
	for {
		alpha := 1.0
		for k, j := range s.passive {
			if z[k] <= 0 {
				alpha = min(alpha, s.y[j]/(s.y[j]-z[k]))
			}
		}
		if alpha == 1 {
			break
		}
		next := s.passive[:0:0]
		for k, j := range s.passive {
			step := s.y[j] + alpha*(z[k]-s.y[j])
			if z[k] <= 0 && s.y[j]/(s.y[j]-z[k]) <= alpha || !(step > 0) {
				s.y[j] = 0
				continue
			}
			s.y[j] = step
			next = append(next, j)
		}
		s.passive = next
		var ok bool
		if z, ok = s.try(s.passive); !ok {
			break
		}
	}
	clear(s.y)
	for k, j := range s.passive {
		s.y[j] = max(0, z[k])
	}
	s.measure()
	if norm(s.residual) < before {
		return true
	}
	s.y, s.passive = y, passive
	s.measure()
	return false
}

func (s *solver) measure() {
	copy(s.residual, s.b)
	for _, j := range s.passive {
		axpy(s.residual, -s.y[j], s.columns[j])
	}
}

func axpy(y []float64, f float64, x []float64) {
	for i, v := range x {
		y[i] += f * v
	}
}
