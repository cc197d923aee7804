package skewed

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// valueBytes is the size of a value.
const valueBytes = 10

// The synthetic workload (docs/facts/nearestfit.md B; section 8.2 of the paper).
const (
	maps         = 20
	meanSeconds  = 1800.0 // of a reduce task
	groupSeconds = 20e-6  // of a group of any size
)

// A group is a key group. Its key is its index.
type group struct {
	task     int
	bytes    float64
	seconds  float64
	expected float64 // seconds without the noise
}

// A part is one map's part of a key group.
type part struct {
	key   int
	bytes float64
}

// work is the work of a reduce phase: its groups by key, the order in which each task processes them, and the parts
// of each map.
type work struct {
	groups []group
	order  [][]int // by task
	maps   [][]part
	bytes  []float64 // by task
}

// newWork creates the work of groups with these numbers of values and these costs, which are scaled. Each group goes to
// the task of its key's hash, tasks process groups in random order, and values are spread uniformly over the maps.
// noise is the standard deviation of the logarithm of a group's time.
func newWork(values, costs []float64, reduces int, noise float64, seed uint64) *work {
	rng := rand.New(rand.NewPCG(seed, uint64(len(values))))
	w := &work{
		groups: make([]group, len(values)), order: make([][]int, reduces), maps: make([][]part, maps),
		bytes: make([]float64, reduces),
	}
	sum := 0.0
	for i, v := range values {
		g := &w.groups[i]
		g.task = taskOf(seed, i, reduces)
		g.bytes = v * valueBytes
		g.expected = costs[i]
		g.seconds = costs[i] * math.Exp(noise*rng.NormFloat64())
		sum += g.seconds
		w.order[g.task] = append(w.order[g.task], i)
		w.bytes[g.task] += g.bytes
	}
	scale := (meanSeconds*float64(reduces) - groupSeconds*float64(len(values))) / sum
	for i := range w.groups {
		g := &w.groups[i]
		g.seconds, g.expected = g.seconds*scale+groupSeconds, g.expected*scale+groupSeconds
	}
	for _, order := range w.order {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	count := make([]int, maps)
	for key, v := range values {
		deal(rng, int(v), count)
		for m, n := range count {
			if n > 0 {
				w.maps[m] = append(w.maps[m], part{key, float64(n) * valueBytes})
			}
		}
	}
	return w
}

// taskOf returns the reduce task of a key's hash.
func taskOf(seed uint64, key, reduces int) int {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(key)) //nolint:gosec // an index
	sum := sha256.Sum256(b[:])
	return int(binary.LittleEndian.Uint64(sum[:]) % uint64(reduces)) //nolint:gosec // below reduces
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

// levels returns the sizes of key groups in values: level i has round(sigma^i) groups of round(n/sigma^i) values,
// down to groups of one value. A larger sigma is more skewed: the first levels have most of the work.
func levels(n, sigma float64) []float64 {
	var sizes []float64
	for width := 1.0; n/width >= 1; width *= sigma {
		size := math.Round(n / width)
		for range int(math.Round(width)) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// powers are the costs of a group by the number of its values.
var powers = map[string]float64{"n": 1, "linear": 1, "n²": 2, "n³": 3, "n⁴": 4}

// costsOf returns the numbers of values and the costs of key groups: of the sizes with a power as their cost, or, for
// the sizes of a graph's nodes, of a join or of a product of matrices (the kinds of the paper's Table 3).
func costsOf(kind string, sizes []float64, rng *rand.Rand) (values, costs []float64) {
	switch kind {
	case "join":
		// The edges of a node and of another one at random, so that a cost is not a function of the size alone.
		for i, j := range rng.Perm(len(sizes)) {
			values, costs = append(values, sizes[i]+sizes[j]), append(costs, sizes[i]*sizes[j])
		}
	case "blocks":
		// The graph's matrix times itself, in blocks. Its rows are assigned to blocks at random and an entry's column
		// is drawn by degree. So block (i, j) has D_i D_j / D entries, with D_i the degrees of a block's rows. The
		// group of block (i, k) gets all blocks (i, j) and (j, k), which have D_i + D_k entries, and its work is in
		// proportion to D_i D_k.
		const side = 24
		var rows [side]float64
		for n, i := range rng.Perm(len(sizes)) {
			rows[n%side] += sizes[i]
		}
		for _, a := range rows {
			for _, b := range rows {
				values, costs = append(values, math.Round(a+b)), append(costs, a*b)
			}
		}
	default:
		for _, s := range sizes {
			values, costs = append(values, s), append(costs, math.Pow(s, powers[kind]))
		}
	}
	return values, costs
}
