package nnls

import "math"

// qr is a Householder factorization of columns that are added one by one; a right side is rotated along (G. Golub
// and C. Van Loan, "Matrix Computations", 5.2).
type qr struct {
	rows  int
	v     [][]float64 // the reflections: v[k] is zero before row k
	beta  []float64   // 2 / v·v, 0 for none
	r     [][]float64 // columns of R: r[k] has k+1 values
	right []float64   // Qᵀb
}

func newQR(b []float64) *qr {
	return &qr{rows: len(b), right: append([]float64(nil), b...)}
}

// distance returns the distance of a column from the span of the added ones. It overwrites the column by Qᵀ of it.
func (q *qr) distance(column []float64) float64 {
	for k, v := range q.v {
		mirror(v, q.beta[k], k, column)
	}
	k := len(q.v)
	if k >= q.rows {
		return 0
	}
	return norm(column[k:])
}

// add adds a column that distance has rotated; there must be a row left.
func (q *qr) add(rotated []float64, distance float64) {
	k := len(q.v)
	v := append([]float64(nil), rotated...)
	for i := range k {
		v[i] = 0
	}
	diagonal := -distance
	if v[k] < 0 {
		diagonal = distance
	}
	v[k] -= diagonal
	beta := 0.0
	if s := dot(v[k:], v[k:]); s > 0 {
		beta = 2 / s
	}
	mirror(v, beta, k, q.right)
	r := append([]float64(nil), rotated[:k+1]...)
	r[k] = diagonal
	q.v, q.beta, q.r = append(q.v, v), append(q.beta, beta), append(q.r, r)
}

// solve returns the x that minimizes ‖Ax-b‖ for a b that was rotated along.
func (q *qr) solve(rotated []float64) []float64 {
	x := append([]float64(nil), rotated[:len(q.r)]...)
	for k := len(x) - 1; k >= 0; k-- {
		x[k] /= q.r[k][k]
		for i := range k {
			x[i] -= q.r[k][i] * x[k]
		}
	}
	return x
}

// rotate overwrites b by Qᵀb.
func (q *qr) rotate(b []float64) {
	for k, v := range q.v {
		mirror(v, q.beta[k], k, b)
	}
}

func mirror(v []float64, beta float64, from int, column []float64) {
	if beta == 0 {
		return
	}
	f := beta * dot(v[from:], column[from:])
	for i := from; i < len(column); i++ {
		column[i] -= f * v[i]
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// norm returns the length of v; its values must be about 1.
func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }
