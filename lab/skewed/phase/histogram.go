package phase

import (
	"bufio"
	"fmt"
	"io"
)

// maxNodes limits the size of a graph, and so the memory of an experiment.
const maxNodes = 1 << 20

// Degrees reads a histogram, with a degree and its number of nodes on each line, and returns the nodes' degrees.
func Degrees(r io.Reader) ([]float64, error) {
	var all []float64
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		var degree, count int
		if _, err := fmt.Sscan(lines.Text(), &degree, &count); err != nil {
			return nil, fmt.Errorf("line %d: %w: want a degree and a count", n, err)
		}
		if degree < 1 || count < 0 || count > maxNodes-len(all) {
			return nil, fmt.Errorf(
				"line %d: %d nodes of degree %d: want a degree of 1 or more and at most %d nodes in all", n, count,
				degree, maxNodes)
		}
		for range count {
			all = append(all, float64(degree))
		}
	}
	return all, lines.Err()
}
