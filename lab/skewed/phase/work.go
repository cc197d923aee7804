package phase

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// A Spec describes the work of a reduce phase.
type Spec struct {
	Values  []float64 // number of values of each key group
	Costs   []float64 // cost of each group, in any unit: it is scaled
	Reduces int
	Maps    int
	Mean    float64 // mean seconds of a reduce task
	Noise   float64 // standard deviation of the logarithm of a group's time
	Each    float64 // fixed seconds of a group of any size
	Seed    uint64
}

// A Group is a key group. Its key is its index.
type Group struct {
	Task     int
	Bytes    float64
	Seconds  float64
	Expected float64 // Seconds without the noise
}

// A Part is one map's part of a key group.
type Part struct {
	Key   int
	Bytes float64
}

// Work is the work of a reduce phase: its groups by key, the order in which each task processes them, and the parts
// of each map.
type Work struct {
	Groups []Group
	Order  [][]int // by task
	Maps   [][]Part
}

// Make creates the work of a spec. Each group goes to the task of its key's hash, tasks process groups in random
// order, and values are spread uniformly over the maps.
func Make(s Spec) *Work {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(len(s.Values))))
	w := &Work{Groups: make([]Group, len(s.Values)), Order: make([][]int, s.Reduces), Maps: make([][]Part, s.Maps)}
	sum := 0.0
	for i, v := range s.Values {
		g := &w.Groups[i]
		g.Task = task(s.Seed, i, s.Reduces)
		g.Bytes = v * ValueBytes
		g.Expected = s.Costs[i]
		g.Seconds = s.Costs[i] * math.Exp(s.Noise*rng.NormFloat64())
		sum += g.Seconds
		w.Order[g.Task] = append(w.Order[g.Task], i)
	}
	scale := (s.Mean*float64(s.Reduces) - s.Each*float64(len(s.Values))) / sum
	for i := range w.Groups {
		g := &w.Groups[i]
		g.Seconds, g.Expected = g.Seconds*scale+s.Each, g.Expected*scale+s.Each
	}
	for _, order := range w.Order {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	w.spread(rng, s.Values)
	return w
}

// task returns the reduce task of a key's hash.
func task(seed uint64, key, reduces int) int {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(key)) //nolint:gosec // an index
	sum := sha256.Sum256(b[:])
	return int(binary.LittleEndian.Uint64(sum[:]) % uint64(reduces)) //nolint:gosec // below reduces
}

// spread assigns each value to a map.
func (w *Work) spread(rng *rand.Rand, values []float64) {
	count := make([]int, len(w.Maps))
	for key, v := range values {
		deal(rng, int(v), count)
		for m, n := range count {
			if n > 0 {
				w.Maps[m] = append(w.Maps[m], Part{key, float64(n) * ValueBytes})
			}
		}
	}
}

// deal assigns n values to maps, one by one. If a map gets more than many on average, its number is drawn from the
// normal distribution.
func deal(rng *rand.Rand, n int, count []int) {
	const many = 1000
	clear(count)
	for m := range count {
		rest := float64(len(count) - m)
		mean := float64(n) / rest
		if mean <= many {
			for range n {
				count[m+rng.IntN(len(count)-m)]++
			}
			return
		}
		got := min(n, max(0, int(math.Round(mean+math.Sqrt(mean*(1-1/rest))*rng.NormFloat64()))))
		count[m] = got
		n -= got
	}
}

// Bytes returns the input sizes of the tasks.
func (w *Work) Bytes() []float64 {
	sum := make([]float64, len(w.Order))
	for _, g := range w.Groups {
		sum[g.Task] += g.Bytes
	}
	return sum
}

// Shuffle returns the input size of all tasks.
func (w *Work) Shuffle() float64 {
	sum := 0.0
	for _, bytes := range w.Bytes() {
		sum += bytes
	}
	return sum
}
