package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

// A cell is one cluster and its jobs.
type cell struct{ nodes, maps, slots, threads, copies int }

// A grid varies two values of a cell.
type grid struct {
	name          string
	down, across  string // the varied values
	rows, columns []int
	at            func(row, column int) cell
}

func allGrids() []grid {
	return []grid{
		{
			"Parallelism of a node, three nodes, 150 maps", "p_m", "p_s",
			[]int{1, 2, 3, 4, 6, 8},
			[]int{1, 2, 3, 5},
			func(r, c int) cell { return cell{3, 150, r, c, 1} },
		},
		{
			"Size of the cluster, p_m = 4, p_s = 5", "nodes", "maps",
			[]int{1, 2, 3, 6, 10, 20},
			[]int{15, 60, 150, 450},
			func(r, c int) cell { return cell{r, c, 4, 5, 1} },
		},
		{
			"Size of the cluster, p_m = 1, p_s = 1", "nodes", "maps",
			[]int{1, 2, 3, 6, 10, 20},
			[]int{15, 60, 150, 450},
			func(r, c int) cell { return cell{r, c, 1, 1, 1} },
		},
		{
			"Jobs at once, three nodes, 60 maps each, p_s = 2", "jobs", "p_m",
			[]int{1, 2, 3, 4, 6},
			[]int{1, 2, 4},
			func(r, c int) cell { return cell{3, 60, c, 2, r} },
		},
	}
}

// spec returns a cluster with the demands of (4,1) and one reduce for each node.
func (c cell) spec() (*queueing.Spec, error) {
	s, err := configuration{4, 1}.spec()
	if err != nil {
		return nil, err
	}
	s.Nodes, s.MapSlots, s.ShuffleThreads = c.nodes, c.slots, c.threads
	s.Jobs[0].Maps, s.Jobs[0].Reduces, s.Jobs[0].Copies = c.maps, c.nodes, c.copies
	return s, nil
}

// options returns the options of the simulation. It simulates several jobs as the closed system of equation 6: each
// job starts again when it ends.
func (c cell) options(runs int) simulation.Options {
	o := simulation.Options{Runs: runs / 2}
	if c.copies > 1 {
		o.Runs, o.Cycles = runs/8, 8
	}
	return o
}

func grids(runs int) section {
	return section{"Queueing: product over more grids", func(p printer) error {
		var every []float64
		for _, g := range allGrids() {
			errors, err := g.write(p, runs)
			if err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			every = append(every, errors...)
		}
		median, worst := spread(every)
		p("Over all %d cells: median error %.1f %%, worst %.1f %%.", len(every), 100*median, 100*worst)
		p("")
		p("%s", gridsWords)
		return nil
	}}
}

// write writes a grid and returns its errors.
func (g grid) write(p printer, runs int) ([]float64, error) {
	p("%s:", g.name)
	p("")
	titles := []string{g.down + ", " + g.across}
	for _, c := range g.columns {
		titles = append(titles, fmt.Sprint(c))
	}
	head(p, titles...)
	var errors []float64
	for _, r := range g.rows {
		cells := []string{fmt.Sprint(r)}
		for _, c := range g.columns {
			model, truth, err := g.at(r, c).solve(runs)
			if err != nil {
				return nil, fmt.Errorf("%s %d, %s %d: %w", g.down, r, g.across, c, err)
			}
			errors = append(errors, math.Abs(model/truth.Value-1))
			cells = append(cells, fmt.Sprintf("%.0f / %.0f ± %.0f, %s", model, truth.Value, truth.StandardError,
				off(model, truth.Value)))
		}
		p("%s", line(cells...))
	}
	median, worst := spread(errors)
	p("")
	p("Median error %.1f %%, worst %.1f %%.", 100*median, 100*worst)
	p("")
	return errors, nil
}

func (c cell) solve(runs int) (float64, simulation.Mean, error) {
	s, err := c.spec()
	if err != nil {
		return 0, simulation.Mean{}, err
	}
	m, err := queueing.Solve(s, queueing.Product, queueing.Options{})
	if err != nil {
		return 0, simulation.Mean{}, err
	}
	r, err := simulation.Simulate(s, c.options(runs))
	if err != nil {
		return 0, simulation.Mean{}, err
	}
	return m.Response(), r.Jobs[0].Response, nil
}

func spread(errors []float64) (median, worst float64) {
	sorted := slices.Sorted(slices.Values(errors))
	return sorted[len(sorted)/2], sorted[len(sorted)-1]
}
