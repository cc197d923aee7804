package simulate

import (
	"math"
	"math/rand/v2"

	"github.com/paratimer/paratimer/dag"
)

// A draw is the purpose of a random number. Every number depends only on the seed and its purpose, so that another
// failure does not change the noise of other tasks.
type draw uint8

const (
	drawNoise draw = iota
	drawFailure
	drawOrder
	drawSpeed
	drawSetups
	drawSetup
	drawWalk
)

// random returns a generator for one purpose of one attempt.
func random(seed uint64, d draw, job int, k dag.StageIndex, task, attempt int32) *rand.Rand {
	h := mix(uint64(d)<<8 | uint64(k))
	h = mix(h ^ uint64(job))
	h = mix(h ^ uint64(task))
	h = mix(h ^ uint64(attempt))
	return rand.New(rand.NewPCG(seed, h))
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014). It separates neighboring numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// factor draws a random factor with this sigma. It is above 0 and at most maxFactor.
func (f Family) factor(r *rand.Rand, sigma float64) float64 {
	if sigma == 0 {
		return 1
	}
	if f == nil {
		f = Lognormal
	}
	return min(max(f(r, sigma), 1/maxFactor), maxFactor)
}

// A Family is the shape of a random factor with median 1, or near it. Sigma is about the standard deviation of the
// factor's logarithm. Tests use several shapes, because cost models assume one of them.
type Family func(r *rand.Rand, sigma float64) float64

// Lognormal is the family of nil.
func Lognormal(r *rand.Rand, sigma float64) float64 { return math.Exp(sigma * r.NormFloat64()) }

// Gamma is a family of mean 1.
func Gamma(r *rand.Rand, sigma float64) float64 { return gamma(r, 1/(sigma*sigma)) * sigma * sigma }

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
