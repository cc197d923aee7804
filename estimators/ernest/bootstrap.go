package ernest

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/paratimer/paratimer/estimators/internal/nnls"
)

// stream tells the bootstrap's random numbers from others of the same seed.
const stream = 0x45726e657374

// resampled are models as they might have come out: each the coefficients of a draw, and how far a further run would be
// off in it, relative to what the model says.
type resampled struct {
	coefficients [][]float64
	errors       []float64
}

// bootstrap refits the model to times that might have been measured: what it says of each run, off by the error of another.
//
// Errors are resampled relative to the fitted times, since runs are noisy by a share of their time: absolute ones, from runs of
// seconds, cover too few of the runs of minutes that are predicted. Resampling whole runs instead leaves designs of seven runs
// singular. The variance is drawn, too, as a scaled inverse χ² variable: that is what makes an interval from few runs as
// wide as Student's. TestCoverage has the shares of runs that are covered.
//
// There is no draw where there are not more runs than coefficients above 0.
func (r *regression) bootstrap(seed uint64, draws int) {
	n, k := r.a.Dims()
	free := n - max(1, r.active())
	if free < 1 {
		return
	}
	fitted, errors, sum := make([]float64, n), make([]float64, n), 0.0
	for i := range fitted {
		fitted[i] = r.fitted(i)
		base := fitted[i]
		if base <= 0 {
			base = math.Abs(r.seconds[i])
		}
		if base > 0 {
			errors[i] = (r.seconds[i] - fitted[i]) / base
		}
		sum += errors[i] * errors[i]
	}
	grown := math.Sqrt(float64(n) / float64(free)) // residuals are smaller than errors
	random := rand.New(rand.NewPCG(seed, stream))
	small, ok := compress(r.a)
	if !ok {
		return
	}
	times := make([]float64, n)
	for range draws {
		spread := grown * math.Sqrt(float64(free)/chiSquared(random, free))
		for i := range times {
			times[i] = fitted[i] * (1 + spread*errors[random.IntN(n)])
		}
		x, ok := small.solve(times)
		if ok && len(x) == k {
			r.resampled.coefficients = append(r.resampled.coefficients, x)
			r.resampled.errors = append(r.resampled.errors, spread*errors[random.IntN(n)])
		}
	}
}

// chiSquared draws a χ² variable. Many degrees of freedom are as good as their mean.
func chiSquared(random *rand.Rand, free int) float64 {
	if free > 1000 {
		return float64(free)
	}
	sum := 0.0
	for range free {
		z := random.NormFloat64()
		sum += z * z
	}
	return max(sum, 1e-3*float64(free))
}

// sample is what the draws say of a run with features f, ascending; nil where there is none.
func (r *regression) sample(f []float64) []float64 {
	values := make([]float64, len(r.resampled.coefficients))
	for i, x := range r.resampled.coefficients {
		values[i] = max(0, dot(f, x)*(1+r.resampled.errors[i]))
	}
	slices.Sort(values)
	return values
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}

// A compressed least squares problem has as many rows as features, and the same solutions: with a = usvᵀ, ‖ax - t‖ and
// ‖svᵀx - uᵀt‖ differ by a constant. It is made once for all draws.
type compressed struct {
	u, sv *mat.Dense
	scale []float64
}

func compress(a *mat.Dense) (compressed, bool) {
	scaled, scale := scaleColumns(a)
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDThin) {
		return compressed{}, false
	}
	c := compressed{u: new(mat.Dense), scale: scale}
	var v mat.Dense
	svd.UTo(c.u)
	svd.VTo(&v)
	c.sv = mat.DenseCopyOf(v.T())
	for i, s := range svd.Values(nil) {
		for j := range c.sv.RawRowView(i) {
			c.sv.RawRowView(i)[j] *= s
		}
	}
	return c, true
}

func (c compressed) solve(times []float64) ([]float64, bool) {
	n, k := c.u.Dims()
	right := make([]float64, k)
	for i := range n {
		for j, u := range c.u.RawRowView(i) {
			right[j] += float64(u * times[i])
		}
	}
	x, _, _, err := nnls.Solve(c.sv, right)
	if err != nil {
		return nil, false
	}
	for j := range x {
		x[j] /= c.scale[j]
	}
	return x, true
}
