package models

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

func independent(runs int) section {
	return section{"The simulator beside an independent one", func(p printer) error {
		head(p, columns("response, s")...)
		for _, c := range []struct {
			name    string
			options simulation.Options
			theirs  perConfiguration
			error   string
		}{
			{"processor sharing, exponential demands", simulation.Options{}, perConfiguration{
				590.7, 580.5, 447.6,
				385.3,
			}, "8 to 11"},
			{
				"the same, shuffles in groups with the demand of five",
				simulation.Options{Grouped: true},
				perConfiguration{590.7, 624.7, 447.6, 451.3},
				"8 to 11",
			},
			{
				"processor sharing, deterministic demands",
				simulation.Options{Distribution: simulation.Deterministic},
				perConfiguration{517.8, 503.2, 417.9, 367.4},
				"0",
			},
			{
				"first come, first served, exponential demands",
				simulation.Options{Discipline: simulation.FirstCome},
				perConfiguration{564.9, 553.9, 494.6, 378.8},
				"5 to 7",
			},
		} {
			v, e, err := simulateAll(runs, c.options)
			if err != nil {
				return err
			}
			p("%s", line(append([]string{c.name + ": independent, ± " + c.error}, c.theirs.cells()...)...))
			cells := []string{"**ours**"}
			for i := range v {
				cells = append(cells, fmt.Sprintf("%.1f ± %.1f", v[i], e[i]))
			}
			p("%s", line(cells...))
		}
		p("")
		return residences(p, runs)
	}}
}

// Mean residences from an independent simulation (docs/facts/queueing.md e.4).
var (
	theirMaps     = perConfiguration{8.73, 8.90, 15.57, 17.41}
	theirShuffles = perConfiguration{1.21, 1.31, 1.80, 2.54}
)

func residences(p printer, runs int) error {
	head(p, columns("residence of a task, s")...)
	kinds := []queueing.Kind{queueing.Map, queueing.Shuffle, queueing.Merge}
	ours, model := make([]perConfiguration, len(kinds)), make([]perConfiguration, len(kinds))
	for i, c := range configurations {
		s, err := c.spec()
		if err != nil {
			return err
		}
		r, err := simulation.Simulate(s, simulation.Options{Runs: runs})
		if err != nil {
			return err
		}
		j := r.Jobs[0]
		ours[0][i], ours[1][i], ours[2][i] = j.Map.Value, j.Shuffle.Value, j.Merge.Value
		m, err := queueing.Solve(s, queueing.Product, queueing.Options{})
		if err != nil {
			return err
		}
		for _, class := range m.Jobs[0].Classes {
			model[class.Kind][i] = class.Residence.Total()
		}
	}
	for _, k := range kinds {
		row := func(name string, v perConfiguration) {
			cells := []string{name}
			for _, x := range v {
				cells = append(cells, number("%.2f", x))
			}
			p("%s", line(cells...))
		}
		switch k {
		case queueing.Map:
			row("map: independent", theirMaps)
		case queueing.Shuffle:
			row("shuffle: independent", theirShuffles)
		}
		row(fmt.Sprintf("%s: **ours: simulate**", k), ours[k])
		row(fmt.Sprintf("%s: **ours: product**", k), model[k])
	}
	p("")
	p("%s", independentWords)
	return nil
}
