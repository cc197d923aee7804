package nnls

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	epsilon = 0x1p-52
	// searches is the maximum number of added columns for each column. Lawson and Hanson report about n/2 as usual.
	searches = 30
)

// tolerance is the greatest distance of a dependent column from the span of others, for columns of length 1: rounding
// leaves less of a column in the span.
func tolerance(rows, columns int) float64 { return 8 * epsilon * float64(max(rows, columns)) }

// A solver uses columns and a right side that are scaled to length 1: x = y · right / scale.
type solver struct {
	columns [][]float64
	scale   []float64 // 0 for a column of zeros
	b       []float64
	right   float64 // 0 if b is all zeros

	tolerance float64
	y         []float64
	passive   []int // columns with y above 0, in the order in which they were added
	excluded  []bool
	residual  []float64
}

func newSolver(a *mat.Dense, b []float64) *solver {
	m, n := a.Dims()
	s := &solver{
		columns: make([][]float64, n), scale: make([]float64, n), y: make([]float64, n),
		excluded: make([]bool, n), tolerance: tolerance(m, n),
	}
	for j := range s.columns {
		s.columns[j], s.scale[j] = unit(mat.Col(nil, j, a))
	}
	s.b, s.right = unit(slices.Clone(b))
	s.residual = slices.Clone(s.b)
	return s
}

// unit scales v to length 1 and returns its length, which may overflow to +Inf: the column is still scaled.
func unit(v []float64) ([]float64, float64) {
	largest := floats.Norm(v, math.Inf(1))
	if largest == 0 {
		return v, 0
	}
	for i := range v {
		v[i] /= largest
	}
	length := floats.Norm(v, 2)
	for i := range v {
		v[i] /= length
	}
	return v, largest * length
}

// run is algorithm NNLS (23.10) of Lawson and Hanson.
func (s *solver) run() error {
	for added := 0; ; added++ {
		j := s.steepest()
		if j < 0 {
			return nil
		}
		if added == searches*len(s.columns) {
			return fmt.Errorf("no solution after %d iterations: the columns are too close to dependent", added)
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
	best, most := -1, s.tolerance
	for j, c := range s.columns {
		if s.scale[j] == 0 || s.excluded[j] || slices.Contains(s.passive, j) {
			continue
		}
		// Of columns that differ only by rounding, take the first one.
		if w := floats.Dot(c, s.residual); w > most*(1+1e-12) {
			best, most = j, w
		}
	}
	return best
}

// try returns the least squares solution for some columns, with any signs; false if they depend on each other.
func (s *solver) try(columns []int) ([]float64, bool) {
	if len(columns) == 0 || len(columns) > len(s.b) {
		return nil, len(columns) == 0
	}
	a := mat.NewDense(len(s.b), len(columns), nil)
	for k, j := range columns {
		a.SetCol(k, s.columns[j])
	}
	var f mat.QR
	f.Factorize(a)
	var r mat.Dense
	f.RTo(&r)
	for k := range columns {
		if math.Abs(r.At(k, k)) <= s.tolerance {
			return nil, false
		}
	}
	b := mat.NewVecDense(len(s.b), s.b)
	var z, off, refined mat.VecDense
	_ = f.SolveVecTo(&z, false, b) // the diagonal of R has shown that there is a solution
	// One step of refinement: it costs a product, and restores the precision that the reflections lost.
	off.MulVec(a, &z)
	off.SubVec(b, &off)
	_ = f.SolveVecTo(&refined, false, &off)
	z.AddVec(&z, &refined)
	return z.RawVector().Data, true
}

// settle moves y toward z, the solution for the passive columns, and removes columns that would become negative,
// until there are none. It reports whether the residual fell.
func (s *solver) settle(z []float64) bool {
	before, y, passive := floats.Norm(s.residual, 2), slices.Clone(s.y), slices.Clone(s.passive[:len(s.passive)-1])
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
	if floats.Norm(s.residual, 2) < before {
		return true
	}
	s.y, s.passive = y, passive
	s.measure()
	return false
}

func (s *solver) measure() {
	copy(s.residual, s.b)
	for _, j := range s.passive {
		floats.AddScaled(s.residual, -s.y[j], s.columns[j])
	}
}

func (s *solver) result() ([]float64, float64, error) {
	x := make([]float64, len(s.y))
	for j, y := range s.y {
		if y <= s.tolerance { // rounding
			continue
		}
		x[j] = y * (s.right / s.scale[j])
		if math.IsInf(s.right, 0) || math.IsInf(s.scale[j], 0) || math.IsInf(x[j], 0) || math.IsNaN(x[j]) {
			return nil, math.NaN(), fmt.Errorf("the coefficient of column %d is beyond 1e308: give the column in another unit",
				j+1)
		}
	}
	if s.right == 0 {
		return x, 0, nil
	}
	residual := floats.Norm(s.residual, 2) * s.right
	if math.IsInf(residual, 0) || math.IsNaN(residual) {
		return nil, math.NaN(), fmt.Errorf("the residual is beyond 1e308: give the right side in a larger unit")
	}
	return x, residual, nil
}
