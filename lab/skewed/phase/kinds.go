package phase

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Kind is the shape of a benchmark's groups on a graph: their numbers of values and their costs (the kinds of Table
// 3).
type Kind struct {
	Name  string
	Means string
	Make  func(rng *rand.Rand, degrees []float64) (values, costs []float64)
}

// Kinds returns the kinds of Table 3.
func Kinds() []Kind {
	return []Kind{
		{"linear", "a group is a node's edges, each read once (counting, inverted index)", linear},
		{"n²", "all pairs of a node's edges (paths of length two)", pairs},
		{"join", "the edges of a node times those of another node under the same key", join},
		{"blocks", "block products of two matrices whose rows are the nodes", blocks},
	}
}

func linear(_ *rand.Rand, degrees []float64) (values, costs []float64) {
	return slices.Clone(degrees), Power(degrees, 1)
}

func pairs(_ *rand.Rand, degrees []float64) (values, costs []float64) {
	return slices.Clone(degrees), Power(degrees, 2)
}

// join pairs the nodes at random, so that a cost is not a function of the size alone.
func join(rng *rand.Rand, degrees []float64) (values, costs []float64) {
	values, costs = make([]float64, len(degrees)), make([]float64, len(degrees))
	for i, j := range rng.Perm(len(degrees)) {
		values[i], costs[i] = degrees[i]+degrees[j], degrees[i]*degrees[j]
	}
	return values, costs
}

// side is the number of blocks in a row of a matrix.
const side = 24

// blocks multiplies the graph's matrix by itself. Its rows are assigned to blocks at random and an entry's column is
// drawn by degree. So block (i, j) has D_i D_j / D entries, with D_i the degrees of a block's rows. The group of
// block (i, k) gets all blocks (i, j) and (j, k), which have D_i + D_k entries, and its work is in proportion to D_i
// D_k.
func blocks(rng *rand.Rand, degrees []float64) (values, costs []float64) {
	var rows [side]float64
	for n, i := range rng.Perm(len(degrees)) {
		rows[n%side] += degrees[i]
	}
	for i := range side {
		for k := range side {
			values = append(values, math.Round(rows[i]+rows[k]))
			costs = append(costs, rows[i]*rows[k])
		}
	}
	return values, costs
}
