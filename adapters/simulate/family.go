package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A Family is the shape of a random factor with median 1, or near it. What cost models assume of noise must not be
// all that they are tried on.
type Family uint8

// The families. For each, sigma is about the standard deviation of the factor's logarithm.
const (
	Lognormal Family = iota
	Weibull          // a thin tail above, a long one towards 0
	Pareto           // tails that fall like a power on both sides (double Pareto: Reed and Jorgensen 2004)
	Bimodal          // one in five takes much longer
	Gamma            // mean 1
)

var familyNames = [...]string{"lognormal", "weibull", "pareto", "bimodal", "gamma"}

func (f Family) String() string {
	if int(f) < len(familyNames) {
		return familyNames[f]
	}
	return fmt.Sprintf("unknown(%d)", f)
}

// factor draws from the family. It is above 0 and at most maxFactor.
func (f Family) factor(r *rand.Rand, sigma float64) float64 {
	if sigma == 0 {
		return 1
	}
	var v float64
	switch f {
	case Weibull:
		// The logarithm of a Weibull variable of shape k has the standard deviation pi/(k sqrt 6).
		v = math.Pow(r.ExpFloat64()/math.Ln2, sigma*math.Sqrt(6)/math.Pi)
	case Pareto:
		v = math.Exp(sigma / math.Sqrt2 * (r.ExpFloat64() - r.ExpFloat64()))
	case Bimodal:
		v = math.Exp(sigma / 2 * r.NormFloat64())
		if r.Float64() < 0.2 {
			v *= math.Exp(2 * sigma)
		}
	case Gamma:
		v = gamma(r, 1/(sigma*sigma)) * sigma * sigma
	default:
		v = math.Exp(sigma * r.NormFloat64())
	}
	return min(max(v, 1/maxFactor), maxFactor)
}

// gamma draws from the gamma distribution of a shape and scale 1 (Marsaglia and Tsang, "A Simple Method for Generating
// Gamma Variables", 2000; section 6 for shapes below 1).
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(1-r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := r.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v = v * v * v; v > 0 && math.Log(1-r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
