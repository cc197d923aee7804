package calibrate

import (
	"math"
	"math/rand/v2"

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
