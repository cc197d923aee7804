package ernest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"
)

// solveNonnegative returns the x >= 0 that minimizes ‖ax-b‖₂, and that norm. a is rows x columns and is not changed.
//
// This is the active set method of C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974), chapter 23.
// Columns are scaled to length 1, and each passive set is solved by Householder QR: nothing is squared, so a
// condition number of 1e11 still leaves digits. If columns depend on each other, it returns one of the solutions, the
// same for the same input, and spanOf names them. Fewer rows than columns is such a case. gonum has no such solver:
// its mat.QR solves the problem without the condition.
func solveNonnegative(a *mat.Dense, b []float64) (x []float64, residual float64, err error) {
	if err := checkSystem(a, b); err != nil {
		return nil, math.NaN(), err
	}
	s := newActiveSet(a, b)
	if err := s.run(); err != nil {
		return nil, math.NaN(), err
	}
	return s.result()
}

func checkSystem(a *mat.Dense, b []float64) error {
	if a == nil || a.IsEmpty() {
		return errors.New("least squares of 0 rows and 0 columns: give at least one of each")
	}
	m, _ := a.Dims()
	if m != len(b) {
		return fmt.Errorf("least squares of %d rows with %d values on the right: give one a row", m, len(b))
	}
	for i := range m {
		for j, v := range append(mat.Row(nil, i, a), b[i]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d, column %d of the columns and the right side: %v: give a finite number", i+1, j+1, v)
			}
		}
	}
	return nil
}

const machineEpsilon = 0x1p-52

// spanTolerance is the greatest distance of a dependent column from the span of others, for columns of length 1:
// rounding leaves less of a column in the span.
func spanTolerance(rows, columns int) float64 {
	return 8 * machineEpsilon * float64(max(rows, columns))
}

// An activeSet uses columns and a right side that are scaled to length 1: x = y · right / scale.
type activeSet struct {
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

func newActiveSet(a *mat.Dense, b []float64) *activeSet {
	m, n := a.Dims()
	s := &activeSet{
		columns: make([][]float64, n), scale: make([]float64, n), y: make([]float64, n),
		excluded: make([]bool, n), tolerance: spanTolerance(m, n),
	}
	for j := range s.columns {
		s.columns[j], s.scale[j] = unitLength(mat.Col(nil, j, a))
	}
	s.b, s.right = unitLength(slices.Clone(b))
	s.residual = slices.Clone(s.b)
	return s
}

// unitLength scales v to length 1 and returns its length, which may overflow to +Inf: the column is still scaled.
func unitLength(v []float64) ([]float64, float64) {
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
func (s *activeSet) run() error {
	for added := 0; ; added++ {
		j := s.steepest()
		if j < 0 {
			return nil
		}
		if added == patience*len(s.columns) {
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
func (s *activeSet) steepest() int {
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
func (s *activeSet) try(columns []int) ([]float64, bool) {
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
func (s *activeSet) settle(z []float64) bool {
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

func (s *activeSet) measure() {
	copy(s.residual, s.b)
	for _, j := range s.passive {
		floats.AddScaled(s.residual, -s.y[j], s.columns[j])
	}
}

func (s *activeSet) result() ([]float64, float64, error) {
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

// A rowSpan is the space of the rows of a matrix with its columns scaled to length 1, because their units differ by
// many powers of ten. The rows determine a linear function at a point in the span, even if they do not determine its
// coefficients.
type rowSpan struct {
	Rank int
	// Condition is the ratio of the largest to the smallest singular value, which bounds the error of coefficients;
	// +Inf below full column rank.
	Condition float64

	scale []float64  // of each column
	null  *mat.Dense // columns x (columns - rank), orthonormal directions outside the span; nil at full rank
}

// spanOf returns the span of the rows of a.
func spanOf(a *mat.Dense) *rowSpan {
	m, k := a.Dims()
	s := &rowSpan{scale: make([]float64, k), Condition: math.Inf(1)}
	scaled := mat.NewDense(max(m, k), k, nil)
	for j := range k {
		column, length := unitLength(mat.Col(nil, j, a))
		if s.scale[j] = length; length == 0 || math.IsInf(length, 0) {
			s.scale[j] = 1
		}
		for i, v := range column {
			scaled.Set(i, j, v)
		}
	}
	var qr mat.QR
	qr.Factorize(scaled)
	var r, v mat.Dense
	qr.RTo(&r)
	var svd mat.SVD
	if !svd.Factorize(r.Slice(0, k, 0, k), mat.SVDFull) {
		return s
	}
	values := svd.Values(nil)
	for _, sigma := range values {
		if sigma > spanTolerance(m, k)*values[0] {
			s.Rank++
		}
	}
	if s.Rank == k {
		s.Condition = values[0] / values[k-1]
		return s
	}
	svd.VTo(&v)
	s.null = mat.DenseCopyOf(v.Slice(0, k, s.Rank, k))
	return s
}

// Holds reports whether a point is in the span.
func (s *rowSpan) Holds(point []float64) bool {
	if s.null == nil {
		return s.Rank > 0
	}
	scaled := mat.NewVecDense(len(point), nil)
	for j, v := range point {
		scaled.SetVec(j, v/s.scale[j])
	}
	var off mat.VecDense
	off.MulVec(s.null.T(), scaled)
	return mat.Norm(&off, 2) <= accuracy*mat.Norm(scaled, 2)
}

// Dependent returns the sets of columns that are linear combinations of each other, ascending: only their sum is
// determined. A column in none of them has a unique coefficient. A column of zeros is a set by itself.
func (s *rowSpan) Dependent() (sets [][]int) {
	if s.null == nil {
		return nil
	}
	var projection mat.Dense
	projection.Mul(s.null, s.null.T())
	together := simple.NewUndirectedGraph()
	for j := range s.scale {
		if projection.At(j, j) > rounding {
			together.AddNode(simple.Node(j))
		}
		for i := range j {
			if math.Abs(projection.At(i, j)) > rounding {
				together.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(j)})
			}
		}
	}
	for _, component := range topo.ConnectedComponents(together) {
		var set []int
		for _, node := range component {
			set = append(set, int(node.ID()))
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	slices.SortFunc(sets, slices.Compare)
	return sets
}
