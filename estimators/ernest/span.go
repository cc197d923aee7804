package ernest

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A span is the space of the features of some runs. The runs determine the model's value at a point in the span, even
// if they do not determine the coefficients.
type span struct {
	scale []float64  // of each feature
	basis *mat.Dense // features x rank, orthonormal, of scaled features; nil for rank 0
}

// Singular values below dependent times the largest are rounding errors. A point is outside if its distance from the
// span exceeds outside times its length.
const (
	dependent = 1e-10
	outside   = 1e-6
)

func spanOf(a *mat.Dense) *span {
	scaled, scale := scaleColumns(a)
	s := &span{scale: scale}
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDThinV) {
		return s
	}
	var v mat.Dense
	svd.VTo(&v)
	values, rank := svd.Values(nil), 0
	for _, sigma := range values {
		if sigma > dependent*values[0] {
			rank++
		}
	}
	if rank > 0 {
		s.basis = mat.DenseCopyOf(v.Slice(0, len(scale), 0, rank))
	}
	return s
}

// scaleColumns divides each column by its length, because the units of features differ by many powers of ten.
func scaleColumns(a *mat.Dense) (*mat.Dense, []float64) {
	n, k := a.Dims()
	scaled, scale := mat.NewDense(n, k, nil), make([]float64, k)
	for j := range k {
		scale[j] = mat.Norm(a.ColView(j), 2)
		if scale[j] == 0 || math.IsInf(scale[j], 0) {
			scale[j] = 1
		}
		for i := range n {
			scaled.Set(i, j, a.At(i, j)/scale[j])
		}
	}
	return scaled, scale
}

func (s *span) rank() int {
	if s.basis == nil {
		return 0
	}
	_, rank := s.basis.Dims()
	return rank
}

// holds reports whether a point with features f is in the span.
func (s *span) holds(f []float64) bool {
	left, length := make([]float64, len(f)), 0.0
	for j, v := range f {
		left[j] = v / s.scale[j]
		length = math.Hypot(length, left[j])
	}
	if s.basis == nil {
		return length == 0
	}
	for c := range s.rank() {
		part := 0.0
		for j, v := range left {
			part += s.basis.At(j, c) * v
		}
		for j := range left {
			left[j] -= part * s.basis.At(j, c)
		}
	}
	off := 0.0
	for _, v := range left {
		off = math.Hypot(off, v)
	}
	return off <= outside*length
}
