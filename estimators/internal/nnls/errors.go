package nnls

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A ShapeError is a system that has no rows or columns, or not one right side a row.
type ShapeError struct{ Rows, Columns, Right int }

func (e *ShapeError) Error() string {
	if e.Rows == 0 || e.Columns == 0 {
		return fmt.Sprintf("least squares of %d rows and %d columns: give at least one of each", e.Rows, e.Columns)
	}
	return fmt.Sprintf("least squares of %d rows with %d values on the right: give one a row", e.Rows, e.Right)
}

// A ValueError is a number that is NaN or infinite. Column is -1 on the right side.
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

// A RangeError is a coefficient, or a residual, that a float64 cannot hold. Column is -1 for the residual.
type RangeError struct{ Column int }

func (e *RangeError) Error() string {
	if e.Column < 0 {
		return "the residual is beyond 1e308: give the right side in a larger unit"
	}
	return fmt.Sprintf("the coefficient of column %d is beyond 1e308: give the column in another unit", e.Column+1)
}

// A CycleError is a search that was given up: it needed more steps than any system seen needs.
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
