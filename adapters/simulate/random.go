package simulate

import (
	"math"
	"math/rand/v2"

	"github.com/paratimer/paratimer/dag"
)

// A draw is what a random number is for. Every number depends on the seed and on what it is for, and on nothing else: a
// failure more does not change the noise of other tasks.
type draw uint8

const (
	drawNoise draw = iota
	drawFailure
	drawOrder
)

// random returns a generator for one purpose of one attempt.
func random(seed uint64, d draw, job int, k dag.Kind, task, attempt int) *rand.Rand {
	h := mix(uint64(d)<<8 | uint64(k))
	h = mix(h ^ uint64(job))
	h = mix(h ^ uint64(task))
	h = mix(h ^ uint64(attempt))
	return rand.New(rand.NewPCG(seed, h))
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014), which makes neighbouring numbers unlike.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// noise is the factor on an attempt's work: lognormal with median 1.
func (o *Options) noise(job int, k dag.Kind, task, attempt int) float64 {
	if o.Noise == 0 {
		return 1
	}
	return math.Exp(o.Noise * random(o.Seed, drawNoise, job, k, task, attempt).NormFloat64())
}

// order is the order in which a job's reduces are handed out: order[i] is the i-th task.
func (o *Options) order(job, n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	r := random(o.Seed, drawOrder, job, dag.Reduce, 0, 0)
	r.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
	return order
}
