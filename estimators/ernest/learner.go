package ernest

import (
	"math"

	"github.com/paratimer/paratimer/estimators/internal/nnls"
	"gonum.org/v1/gonum/mat"
)

// A learner learns from configurations and returns a function that predicts others: seconds, or NaN if it has no
// number. A learner returns nil if it cannot learn.
type learner func(by []configuration) func(c *configuration) float64

// byModel fits the terms of the model as Fit does.
func byModel(by []configuration) func(*configuration) float64 {
	return leastSquares(by, func(c *configuration) ([]float64, float64) { return c.features, math.Sqrt(c.runs) })
}

// byShares fits the terms of a model to the least squares of relative errors. Ernest's errors are absolute, so long
// runs dominate its fit.
func byShares(by []configuration) func(*configuration) float64 {
	return leastSquares(by, func(c *configuration) ([]float64, float64) {
		return c.features,
			math.Sqrt(c.runs) / c.seconds
	})
}

// byTerms fits other terms to the least squares of relative errors.
func byTerms(terms ...Term) learner {
	return func(by []configuration) func(*configuration) float64 {
		return leastSquares(by, func(c *configuration) ([]float64, float64) {
			return features(terms, c.machines, c.scale), math.Sqrt(c.runs) / c.seconds
		})
	}
}

func leastSquares(by []configuration, of func(*configuration) (features []float64,
	weight float64),
) func(*configuration) float64 {
	first, _ := of(&by[0])
	a, b := mat.NewDense(len(by), len(first), nil), make([]float64, len(by))
	for i := range by {
		f, w := of(&by[i])
		for j, v := range f {
			a.Set(i, j, v*w)
		}
		b[i] = by[i].seconds * w
	}
	r, err := regress(a, b)
	if err != nil {
		return nil
	}
	return func(c *configuration) float64 {
		f, _ := of(c)
		if !r.span.Holds(f) {
			return math.NaN()
		}
		return dot(f, r.x)
	}
}

// byNearest takes the configuration that is the fewest doublings away, and scales its time as if all of it were
// divided work.
func byNearest(by []configuration) func(*configuration) float64 {
	return func(c *configuration) float64 {
		least, sum, n := math.Inf(1), 0.0, 0.0
		for i := range by {
			o := &by[i]
			d := math.Abs(math.Log2(o.machines/c.machines)) + math.Abs(math.Log2(o.scale/c.scale))
			if d < least*(1-1e-12) {
				least, sum, n = d, 0, 0
			}
			if d <= least*(1+1e-12) {
				sum, n = sum+o.seconds*(c.scale/o.scale)*(o.machines/c.machines), n+1
			}
		}
		return sum / n
	}
}

// byPowers fits a·machines^b·scale^c to the least squares of the logarithms. It returns NaN for other machines or
// scales if those were the same in all runs.
func byPowers(by []configuration) func(*configuration) float64 {
	at := func(c *configuration) []float64 { return []float64{1, math.Log(c.machines), math.Log(c.scale)} }
	a, b := mat.NewDense(len(by), 3, nil), mat.NewVecDense(len(by), nil)
	for i := range by {
		w := math.Sqrt(by[i].runs)
		for j, v := range at(&by[i]) {
			a.Set(i, j, v*w)
		}
		b.SetVec(i, by[i].log*w)
	}
	space := nnls.SpanOf(a)
	var svd mat.SVD
	if space.Rank == 0 || !svd.Factorize(a, mat.SVDThin) {
		return nil
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, b, space.Rank)
	return func(c *configuration) float64 {
		f := at(c)
		if !space.Holds(f) {
			return math.NaN()
		}
		return math.Exp(dot(f, x.RawVector().Data))
	}
}
