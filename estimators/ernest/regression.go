package ernest

import (
	"gonum.org/v1/gonum/mat"

	"github.com/paratimer/paratimer/estimators/internal/nnls"
)

// A regression is times as a non-negative combination of features: what Fit and Iterations have in common.
type regression struct {
	a        *mat.Dense // runs x features
	seconds  []float64
	x        []float64
	residual float64
	info     nnls.Info
	space    *span // of the features, once it is asked for
}

func regress(a *mat.Dense, seconds []float64) (*regression, error) {
	x, residual, info, err := nnls.Solve(a, seconds)
	if err != nil {
		return nil, err
	}
	return &regression{a: a, seconds: seconds, x: x, residual: residual, info: info}, nil
}

// determines says whether the runs determine what a model says of a point with features f.
func (r *regression) determines(f []float64) bool {
	if r.info.Rank == len(r.x) {
		return true
	}
	if r.space == nil {
		r.space = spanOf(r.a)
	}
	return r.space.holds(f)
}

// active is how many features have a coefficient above 0.
func (r *regression) active() int {
	n := 0
	for _, v := range r.x {
		if v > 0 {
			n++
		}
	}
	return n
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
