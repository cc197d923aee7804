// Package nnls solves linear least squares with nonnegative coefficients, and finds the columns that depend on each
// other.
//
// gonum has no such solver: its mat.QR solves the problem without the condition.
package nnls

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Solve returns the x >= 0 that minimizes ‖ax-b‖₂, and that norm. a is rows x columns and is not changed.
//
// This is the active set method of C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974), chapter 23.
// Columns are scaled to length 1, and each passive set is solved by Householder QR: nothing is squared, so a
// condition number of 1e11 still leaves digits. If columns depend on each other, Solve returns one of the
// solutions, the same for the same input, and SpanOf names them. Fewer rows than columns is such a case.
//
// Errors are an *Error.
func Solve(a *mat.Dense, b []float64) (x []float64, residual float64, err error) {
	if err := check(a, b); err != nil {
		return nil, math.NaN(), err
	}
	s := newSolver(a, b)
	if err := s.run(); err != nil {
		return nil, math.NaN(), err
	}
	return s.result()
}

// An Error is the reason why a system has no solution. Row and Column, from 0, are those of an invalid number, else
// -1; the right side has the column -1.
type Error struct {
	Row, Column int
	What        string
}

func (e *Error) Error() string {
	switch {
	case e.Row >= 0 && e.Column >= 0:
		return fmt.Sprintf("row %d, column %d: %s", e.Row+1, e.Column+1, e.What)
	case e.Row >= 0:
		return fmt.Sprintf("row %d: the right side is %s", e.Row+1, e.What)
	}
	return e.What
}

func fail(format string, args ...any) *Error { return &Error{-1, -1, fmt.Sprintf(format, args...)} }

func check(a *mat.Dense, b []float64) error {
	if a == nil || a.IsEmpty() {
		return fail("least squares of 0 rows and 0 columns: give at least one of each")
	}
	m, n := a.Dims()
	if m != len(b) {
		return fail("least squares of %d rows with %d values on the right: give one a row", m, len(b))
	}
	for i := range m {
		for j := -1; j < n; j++ {
			v := b[i]
			if j >= 0 {
				v = a.At(i, j)
			}
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &Error{i, j, fmt.Sprintf("%v: give a finite number", v)}
			}
		}
	}
	return nil
}
