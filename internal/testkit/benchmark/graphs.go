package benchmark

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// falls is the exponent with which the nodes' expected degrees decrease. The degrees then follow a power law with
// exponent 1 + 1/falls = 2.4, as in social networks.
const falls = 0.7

// edges draws distinct edges between different nodes, with end points in proportion to the nodes' expected degrees
// (F. Chung, L. Lu, 2002).
func edges(rng *rand.Rand, nodes, n int) [][2]int {
	z, names := newZipf(nodes, falls), rng.Perm(nodes)
	seen := map[[2]int]bool{}
	var all [][2]int
	for len(all) < n {
		a, b := names[z.draw(rng)], names[z.draw(rng)]
		e := [2]int{min(a, b), max(a, b)}
		if a != b && !seen[e] {
			seen[e] = true
			all = append(all, e)
		}
	}
	return all
}

func twoPaths(name string) Benchmark {
	const nodes, n = 10_000, 20_000
	return Benchmark{
		Name: name, Job: "paths", Cost: "n²", Paper: "graphs of SNAP",
		lines: func(rng *rand.Rand) []string {
			all := edges(rng, nodes, n)
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
func triangleCount(name string) Benchmark {
	const nodes, n = 5000, 6000
	return Benchmark{
		Name: name, Job: "triangles", Cost: "n", Paper: "graphs of SNAP",
		lines: func(rng *rand.Rand) []string {
			neighbours := make([][]int, nodes)
			var lines []string
			for _, e := range edges(rng, nodes, n) {
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
