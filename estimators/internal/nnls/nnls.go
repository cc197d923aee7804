// Package nnls solves linear least squares under the condition that no coefficient is negative.
//
// gonum has no such solver: its mat.QR solves the problem without the condition, and neither pivots nor says which
// columns depend on each other.
package nnls

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Info is how far a solution is determined by its data.
type Info struct {
	// Rank is the number of columns that are linearly independent, of the columns scaled to length 1.
	Rank int
	// Condition is the condition number of the matrix as given, ScaledCondition that of its columns scaled to length 1,
	// by which the error of the coefficients goes. Both are +Inf below full column rank.
	Condition, ScaledCondition float64
	// Dependent are the sets of columns that are linear combinations of each other, ascending. Only their sum is
	// determined; a column that is in none of them has a unique coefficient. A column of zeros is a set by itself.
	Dependent [][]int
	// Gradient is aᵀ(b-ax): at a solution 0 where the coefficient is positive, else at most 0.
	Gradient []float64
	// Iterations is how often a column was let in.
	Iterations int
}

// Solve returns the x >= 0 that minimises ‖ax-b‖₂, and that norm. a is rows x columns and is not changed.
//
// This is the active set method of C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974), chapter 23.
// Columns are scaled to length 1, and each passive set is solved by Householder QR: nothing is squared, so that a
// condition number of 1e11 still leaves digits. Where columns depend on each other one of the solutions is returned,
// the same for the same input, and Info names them. Fewer rows than columns is such a case.
//
// Errors are a *ShapeError, a *ValueError, a *RangeError or a *CycleError.
func Solve(a *mat.Dense, b []float64) (x []float64, residual float64, info Info, err error) {
	if err := check(a, b); err != nil {
		return nil, math.NaN(), Info{}, err
	}
	s := newSolver(a, b)
	if err := s.run(); err != nil {
		return nil, math.NaN(), Info{}, err
	}
	return s.result()
}
