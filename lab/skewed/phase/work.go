package phase

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// A Spec says what a reduce phase has to do.
type Spec struct {
	Values  []float64 // how many values each key group has
	Costs   []float64 // what each takes, in any unit: it is scaled
	Reduces int
	Maps    int
	Mean    float64 // seconds that a reduce task takes in the mean
	Noise   float64 // standard deviation of the logarithm of a group's time
	Each    float64 // seconds that a group takes whatever its size
	Seed    uint64
}

// A Group is a key group. Its key is its index.
type Group struct {
	Task     int
	Bytes    float64
	Seconds  float64
	Expected float64 // what Seconds would be without noise
}

// A Part is what one map has of a key group.
type Part struct {
	Key   int
	Bytes float64
}

// Work is what a reduce phase has to do: its groups by key, in which order each task takes them, and which map wrote
// what.
type Work struct {
	Groups []Group
	Order  [][]int // by task
	Maps   [][]Part
}

// Make makes the work of a spec: groups of a random size go to the task that their key is hashed to, are taken in
// random order, and their values are spread over the maps uniformly.
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

// task is the reduce task that a key is hashed to.
func task(seed uint64, key, reduces int) int {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(key)) //nolint:gosec // an index
	sum := sha256.Sum256(b[:])
	return int(binary.LittleEndian.Uint64(sum[:]) % uint64(reduces)) //nolint:gosec // below reduces
}

// spread gives each value to a map.
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

// deal deals n values to maps, one by one. Where a map gets more than many in the mean, its number is drawn from the
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

// Bytes are the sizes of the tasks.
func (w *Work) Bytes() []float64 {
	sum := make([]float64, len(w.Order))
	for _, g := range w.Groups {
		sum[g.Task] += g.Bytes
	}
	return sum
}

// Shuffle is the size of all tasks.
func (w *Work) Shuffle() float64 {
	sum := 0.0
	for _, bytes := range w.Bytes() {
		sum += bytes
	}
	return sum
}
