package estimators

import (
	"math"
	"math/bits"

	"github.com/paratimer/paratimer/dag"
)

// Draws are the random numbers of one replay. Each number depends only on the run, the replay and its use: another
// task, or a later tick, changes no other number (common random numbers). Numbers lie strictly between 0 and 1 and
// are uniform.
type Draws struct {
	seed, own  uint64
	sample, of uint64 // of is a power of two
}

// A Use is the purpose of a number.
type Use uint64

// The uses. The numbers up to ForOther are common to a replay, the others are a task's own.
const (
	ForSpeed    Use = iota // how fast the cluster is from now on
	ForRate                // of a stage
	ForSize                // of a stage that was never seen
	ForSetup               // start-ups
	ForPause               // launch, wave and finish gaps, by number
	ForFaults              // how often attempts fail
	ForOther               // another application, by number
	ForStart               // a task's start-up
	ForWork                // a task's work
	ForTaskSize            // a task's size
	ForFailure             // an attempt's failure
)

// Common returns a number that a whole replay shares. Over the replays of a tick it is stratified: each of n equal
// parts of (0, 1) contains one (Latin hypercube sampling, McKay, Beckman and Conover 1979), so few replays are
// enough.
func (d Draws) Common(u Use, job int, k dag.StageIndex) float64 {
	h := mix(d.seed ^ uint64(u)<<56 ^ uint64(job)<<8 ^ uint64(k))
	return (float64(permute(d.sample, d.of, h)) + 0.5) / float64(d.of)
}

// Task returns a number of one attempt of a task.
func (d Draws) Task(u Use, job int, k dag.StageIndex, index, attempt int) float64 {
	h := mix(d.own ^ uint64(u)<<60 ^ uint64(k)<<56 ^ uint64(attempt&0xff)<<48 ^ uint64(job&0xffff)<<32 ^ uint64(
		uint32(index)))
	return (float64(h>>11) + 0.5) / (1 << 53)
}

// permute maps 0..n-1 onto itself, n a power of two, in an order that depends on h: each step can be undone.
func permute(i, n, h uint64) uint64 {
	mask := n - 1
	shift := max(bits.Len64(mask)/2, 1)
	for range 3 {
		i = (i + h) & mask
		i = i * (h>>7 | 1) & mask
		i ^= i >> shift
		h = mix(h)
	}
	return i & mask
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014), which gives neighboring inputs unrelated
// outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Normal turns a uniform number into one of the standard normal distribution (its quantile).
func Normal(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// LogNormal turns a uniform number into a factor with median 1; its logarithm has standard deviation sigma.
func LogNormal(u, sigma float64) float64 { return math.Exp(sigma * Normal(u)) }
