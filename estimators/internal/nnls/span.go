package nnls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Span is the space of the rows of a matrix with its columns scaled to length 1, because their units differ by many
// powers of ten. The rows determine a linear function at a point in the span, even if they do not determine its
// coefficients.
type Span struct {
	Rank int
	// Condition is the ratio of the largest to the smallest singular value, which bounds the error of coefficients;
	// +Inf below full column rank.
	Condition float64

	scale []float64  // of each column
	null  *mat.Dense // columns x (columns - rank), orthonormal directions outside the span; nil at full rank
}

const (
	// outside is the distance from the span, as a part of a point's length, that rounding may leave.
	outside = 1e-6
	// involved is the least element of the projection out of the span that links two columns.
	involved = 1e-9
)

// SpanOf returns the span of the rows of a.
func SpanOf(a *mat.Dense) *Span {
	m, k := a.Dims()
	s := &Span{scale: make([]float64, k), Condition: math.Inf(1)}
	scaled := mat.NewDense(max(m, k), k, nil)
	for j := range k {
		column, length := unit(mat.Col(nil, j, a))
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
		if sigma > tolerance(m, k)*values[0] {
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
func (s *Span) Holds(point []float64) bool {
	if s.null == nil {
		return s.Rank > 0
	}
	scaled := mat.NewVecDense(len(point), nil)
	for j, v := range point {
		scaled.SetVec(j, v/s.scale[j])
	}
	var off mat.VecDense
	off.MulVec(s.null.T(), scaled)
	return mat.Norm(&off, 2) <= outside*mat.Norm(scaled, 2)
}

// Dependent returns the sets of columns that are linear combinations of each other, ascending: only their sum is
// determined. A column in none of them has a unique coefficient. A column of zeros is a set by itself.
func (s *Span) Dependent() (sets [][]int) {
	if s.null == nil {
		return nil
	}
	var projection mat.Dense
	projection.Mul(s.null, s.null.T())
	placed := make([]bool, len(s.scale))
	for j := range placed {
		if placed[j] || projection.At(j, j) <= involved {
			continue
		}
		set := []int{}
		for next := []int{j}; len(next) > 0; {
			i := next[0]
			next = next[1:]
			if placed[i] {
				continue
			}
			placed[i] = true
			set = append(set, i)
			for other := range placed {
				if math.Abs(projection.At(i, other)) > involved {
					next = append(next, other)
				}
			}
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	return sets
}
