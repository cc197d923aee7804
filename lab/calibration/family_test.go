package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
)

// families are the shapes of noise in calibrations. The sampler's own, the lognormal one, is none of them.
var families = [...]simulate.Family{weibull, pareto, bimodal, simulate.Gamma}

// weibull has a thin tail above and a long one towards 0. The logarithm of a Weibull variable of shape k has the
// standard deviation pi/(k sqrt 6).
func weibull(r *rand.Rand, sigma float64) float64 {
	return math.Pow(r.ExpFloat64()/math.Ln2, sigma*math.Sqrt(6)/math.Pi)
}

// pareto has tails that fall like a power on both sides (double Pareto: Reed and Jorgensen 2004).
func pareto(r *rand.Rand, sigma float64) float64 {
	return math.Exp(sigma / math.Sqrt2 * (r.ExpFloat64() - r.ExpFloat64()))
}

// bimodal makes one in five take much longer.
func bimodal(r *rand.Rand, sigma float64) float64 {
	v := math.Exp(sigma / 2 * r.NormFloat64())
	if r.Float64() < 0.2 {
		v *= math.Exp(2 * sigma)
	}
	return v
}

// Medians and standard deviations of the logarithm. By definition they are 0 and sigma; the gamma family's are those of
// log X, psi(k)+log(theta) near -sigma^2/2 and the root of psi'(k) near sigma; the bimodal one's mean is its mixture's.
func TestFamilies(t *testing.T) {
	const sigma, n = 0.4, 40_000
	for name, c := range map[string]struct {
		family          simulate.Family
		median, sd, p99 float64
	}{
		"lognormal": {simulate.Lognormal, 0, 0.4, 0.93}, // 2.326 sigma
		"weibull":   {weibull, 0, 0.4, 0.59},            // log(log(100)/log 2) sigma sqrt(6)/pi
		"pareto":    {pareto, 0, 0.4, 1.11},             // log(50) sigma/sqrt 2
		"bimodal":   {bimodal, 0.07, 0.38, 1.13},
		"gamma":     {simulate.Gamma, -0.054, 0.42, 0.77},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		logs := make([]float64, n)
		sum, squares := 0.0, 0.0
		for i := range logs {
			logs[i] = math.Log(c.family(r, sigma))
			sum += logs[i]
			squares += logs[i] * logs[i]
		}
		slices.Sort(logs)
		sd := math.Sqrt(squares/n - sum/n*sum/n)
		if m := logs[n/2]; math.Abs(m-c.median) > 0.015 || math.Abs(sd-c.sd) > 0.02 ||
			math.Abs(logs[n*99/100]-c.p99) > 0.06 {
			t.Errorf("%v: median of the logarithm %.3f, deviation %.3f, 99%% below %.3f; want %v", name, m, sd,
				logs[n*99/100], c)
		}
	}
}
