package adesign

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// dependent is the least singular value, relative to the largest, of distinguishable features.
const dependent = 1e-10

// singular returns an error that names the features that candidates with weight (all, if weights are nil) cannot
// distinguish.
func (m *model) singular(weights []float64) error {
	n := len(m.costs)
	rows := mat.NewDense(max(n, m.k), m.k, nil)
	for i := range n {
		if weights == nil || weights[i] > 0 {
			rows.SetRow(i, m.row(i))
		}
	}
	var qr mat.QR
	qr.Factorize(rows)
	var r mat.Dense
	qr.RTo(&r)
	var svd mat.SVD
	if !svd.Factorize(r.Slice(0, m.k, 0, m.k), mat.SVDFull) {
		return &SingularError{Features: m.k}
	}
	values := svd.Values(nil)
	var v mat.Dense
	svd.VTo(&v)
	e := &SingularError{Features: m.k}
	for _, s := range values {
		if s > dependent*values[0] {
			e.Rank++
		}
	}
	if e.Rank == m.k {
		return nil
	}
	for j := range m.k {
		for p := e.Rank; p < m.k; p++ {
			if math.Abs(v.At(j, p)) > 1e-6 {
				e.Dependent = append(e.Dependent, j)
				break
			}
		}
	}
	return e
}
