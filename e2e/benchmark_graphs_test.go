package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A graph is drawn with the size and the degrees of one of SNAP's graphs, or of a part of it. The nodes' expected
// degrees decrease with the exponent falls, so they follow a power law with exponent 1 + 1/falls.
type graph struct {
	name         string
	nodes, edges int
	falls        float64
}

func graphs() []graph {
	return []graph{
		{"loc-gowalla", 10_000, 20_000, 0.7},
		{"ca-GrQc", 5242, 14_496, 0.5},
		{"ca-AstroPh", 9000, 20_000, 0.6},
		{"ego-facebook", 4039, 20_000, 0.55},
		{"wiki-Vote", 7115, 20_000, 0.75},
		{"email-Enron", 12_000, 20_000, 0.8},
	}
}

// draw draws distinct edges between different nodes, with end points in proportion to the nodes' expected degrees
// (F. Chung, L. Lu, 2002).
func (g graph) draw(rng *rand.Rand) [][2]int {
	z, names := newZipfLaw(g.nodes, g.falls), rng.Perm(g.nodes)
	seen := map[[2]int]bool{}
	var all [][2]int
	for len(all) < g.edges {
		a, b := names[z.draw(rng)], names[z.draw(rng)]
		e := [2]int{min(a, b), max(a, b)}
		if a != b && !seen[e] {
			seen[e] = true
			all = append(all, e)
		}
	}
	return all
}

func twoPaths(name string, g graph) benchmark {
	return benchmark{
		Name: name, Job: "paths", Cost: "n²", Paper: "graphs of SNAP",
		lines: func(rng *rand.Rand) []string {
			all := g.draw(rng)
			lines := make([]string, len(all))
			for i, e := range all {
				lines[i] = fmt.Sprintf("%05d %05d", e[0], e[1])
			}
			return lines
		},
		emit: func(line string, to func(key, value string)) {
			from, end, _ := strings.Cut(line, " ")
			to(from, end)
			to(end, from)
		},
		reduce: func(values []string) (units, result int) {
			n := pairs(len(values))
			return n, n
		},
	}
}

// triangleCount joins the paths of length two with the edges, with the pair of end points as the key.
func triangleCount(name string, g graph) benchmark {
	g.nodes, g.edges = g.nodes/2, g.edges*3/10
	return benchmark{
		Name: name, Job: "triangles", Cost: "n", Paper: "graphs of SNAP",
		lines: func(rng *rand.Rand) []string {
			neighbours := make([][]int, g.nodes)
			var lines []string
			for _, e := range g.draw(rng) {
				lines = append(lines, fmt.Sprintf("%05d %05d\t-", e[0], e[1]))
				neighbours[e[0]] = append(neighbours[e[0]], e[1])
				neighbours[e[1]] = append(neighbours[e[1]], e[0])
			}
			for middle, ends := range neighbours {
				for i, a := range ends {
					for _, b := range ends[:i] {
						lines = append(lines, fmt.Sprintf("%05d %05d\t%05d", min(a, b), max(a, b), middle))
					}
				}
			}
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			return lines
		},
		emit: keyed,
		reduce: func(values []string) (units, result int) {
			closed := 0
			for _, v := range values {
				if v == "-" {
					closed = len(values) - 1
				}
			}
			return len(values), closed
		},
	}
}

// keyed splits a line into a key and a value at its tab.
func keyed(line string, to func(key, value string)) {
	key, value, _ := strings.Cut(line, "\t")
	to(key, value)
}

// A relation has records with keys drawn by Zipf's law; exponent 0 is uniform.
type relation struct {
	records  int
	exponent float64
}

// naturalJoin joins two relations over the same keys. Keys that are frequent in one are frequent in the other.
func naturalJoin(name string, r, s relation) benchmark {
	const keys = 1000
	return benchmark{
		Name: name, Job: "join", Cost: "n_R·n_S", Paper: "the same",
		lines: func(rng *rand.Rand) []string {
			names := rng.Perm(keys)
			var lines []string
			for i, side := range []relation{r, s} {
				z := newZipfLaw(keys, side.exponent)
				for range side.records {
					lines = append(lines, fmt.Sprintf("k%04d\t%c%08x", names[z.draw(rng)], "RS"[i], rng.Uint32()))
				}
			}
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			return lines
		},
		emit: keyed,
		reduce: func(values []string) (units, result int) {
			left := 0
			for _, v := range values {
				if v[0] == 'R' {
					left++
				}
			}
			n := left * (len(values) - left)
			return n, n
		},
	}
}
