// Package nnls solves linear least squares with nonnegative coefficients.
//
// gonum has no such solver: its mat.QR solves the problem without the condition. It neither pivots nor finds the
// columns that depend on each other.
package nnls

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Info describes how well the data determines a solution.
type Info struct {
	// Rank is the number of columns that are linearly independent, of the columns scaled to length 1.
	Rank int
	// Dependent are the sets of columns that are linear combinations of each other, ascending. Only their sum is
	// determined; a column in none of them has a unique coefficient. A column of zeros is a set by itself.
	Dependent [][]int
	// Gradient is aᵀ(b-ax): at a solution 0 if the coefficient is positive, else at most 0.
	Gradient []float64
	// Iterations is the number of times that a column was added.
	Iterations int

	triangle [][]float64 // R of the factorized columns, each down to its diagonal; nil below full rank
	scales   []float64   // the original lengths of these columns
}

// Solve returns the x >= 0 that minimizes ‖ax-b‖₂, and that norm. a is rows x columns and is not changed.
//
// This is the active set method of C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974), chapter 23.
// Columns are scaled to length 1, and each passive set is solved by Householder QR: nothing is squared, so a
// condition number of 1e11 still leaves digits. If columns depend on each other, Solve returns one of the
// solutions, the same for the same input, and Info names them. Fewer rows than columns is such a case.
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

// A ShapeError means that a system has no rows or columns, or not one right side a row.
type ShapeError struct{ Rows, Columns, Right int }

func (e *ShapeError) Error() string {
	if e.Rows == 0 || e.Columns == 0 {
		return fmt.Sprintf("least squares of %d rows and %d columns: give at least one of each", e.Rows, e.Columns)
	}
	return fmt.Sprintf("least squares of %d rows with %d values on the right: give one a row", e.Rows, e.Right)
}

// A ValueError means that a number is NaN or infinite. Column is -1 for the right side.
type ValueError struct {
	Row, Column int // from 0
	Value       float64
}

func (e *ValueError) Error() string {
	if e.Column < 0 {
		return fmt.Sprintf("row %d: the right side is %v: give a finite number", e.Row+1, e.Value)
	}
	return fmt.Sprintf("row %d, column %d: %v: give a finite number", e.Row+1, e.Column+1, e.Value)
}

// A RangeError means that a coefficient, or the residual, overflows a float64. Column is -1 for the residual.
type RangeError struct{ Column int }

func (e *RangeError) Error() string {
	if e.Column < 0 {
		return "the residual is beyond 1e308: give the right side in a larger unit"
	}
	return fmt.Sprintf("the coefficient of column %d is beyond 1e308: give the column in another unit", e.Column+1)
}

// A CycleError means that the search needed more steps than any known system.
type CycleError struct{ Iterations int }

func (e *CycleError) Error() string {
	return fmt.Sprintf("no solution after %d iterations: the columns are too close to dependent", e.Iterations)
}

func check(a *mat.Dense, b []float64) error {
	if a == nil || a.IsEmpty() {
		return &ShapeError{Right: len(b)}
	}
	m, n := a.Dims()
	if m != len(b) {
		return &ShapeError{Rows: m, Columns: n, Right: len(b)}
	}
	for i := range m {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &ValueError{Row: i, Column: j, Value: v}
			}
		}
		if v := b[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return &ValueError{Row: i, Column: -1, Value: v}
		}
	}
	return nil
}
