package models

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A configuration of Table 4: maps and shuffle threads of a node.
type configuration struct{ maps, threads int }

func (c configuration) String() string { return fmt.Sprintf("(%d,%d)", c.maps, c.threads) }

func (c configuration) spec() (*queueing.Spec, error) {
	s, ok := queueing.Published(c.maps, c.threads)
	if !ok {
		return nil, fmt.Errorf("no demands of %s are published", c)
	}
	return s, nil
}

var configurations = [...]configuration{{1, 1}, {1, 5}, {4, 1}, {4, 5}}

// perConfiguration is a figure for each configuration.
type perConfiguration [len(configurations)]float64

func (v perConfiguration) cells() []string {
	cells := make([]string, len(v))
	for i, x := range v {
		cells[i] = number("%.1f", x)
	}
	return cells
}

// columns returns the titles of a table of configurations.
func columns(first string) []string {
	titles := []string{first}
	for _, c := range configurations {
		titles = append(titles, c.String())
	}
	return titles
}
