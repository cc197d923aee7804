// Package nnls solves linear least squares with nonnegative coefficients, and finds the columns that depend on each
// other.
//
// gonum has no such solver: its mat.QR solves the problem without the condition.
package nnls

import (
	"errors"
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

func check(a *mat.Dense, b []float64) error {
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
