package models

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

// Table 4 of the paper, in seconds, and the results of the prototype of our reading A for the same demands
// (docs/facts/queueing.md e.1).
var (
	measured      = perConfiguration{722.23, 605.40, 321.77, 325.58}
	paperForkJoin = perConfiguration{732.56, 659.13, 365.51, 356.20}
	paperTripathi = perConfiguration{798.56, 701.75, 620.01, 597.81}
	readingA      = perConfiguration{751.6398, 673.2441, 375.1076, 333.1736}
	bestTripathi  = perConfiguration{872, 646, 500, 479}
)

// A comparison is a reference for figures.
type comparison struct {
	name   string
	values perConfiguration
}

func table4(runs int) section {
	return section{"Queueing: Table 4", func(p printer) error {
		head(p, append(columns("response, s"), "largest difference")...)
		row := func(name string, v perConfiguration, from ...comparison) {
			var apart []string
			for _, c := range from {
				worst := 0.0
				for i := range v {
					worst = math.Max(worst, math.Abs(v[i]/c.values[i]-1))
				}
				apart = append(apart, fmt.Sprintf("%.1f %% from %s", 100*worst, c.name))
			}
			p("%s", line(append(append([]string{name}, v.cells()...), strings.Join(apart, ", "))...))
		}
		row("measured (paper)", measured)
		row("fork/join (paper)", paperForkJoin)
		row("Tripathi (paper)", paperTripathi)
		row("reading A (prototype)", readingA)
		row("best Tripathi of all readings (prototype)", bestTripathi)
		simulated, errors, err := simulateAll(runs, simulation.Options{})
		if err != nil {
			return err
		}
		seen := comparison{"what was measured", measured}
		for _, m := range []struct {
			model queueing.Model
			from  []comparison
		}{
			{queueing.ViannaTable4, []comparison{
				{"the paper's fork/join", paperForkJoin},
				{"reading A", readingA},
				seen,
			}},
			{queueing.ViannaForkJoin, []comparison{
				{"the simulator", simulated},
				{"the paper's fork/join", paperForkJoin},
				seen,
			}},
			{queueing.Tripathi, []comparison{
				{"the simulator", simulated},
				{"the paper's Tripathi", paperTripathi},
				seen,
			}},
			{queueing.Product, []comparison{{"the simulator", simulated}, seen}},
		} {
			v, err := solved4(m.model)
			if err != nil {
				return err
			}
			row(fmt.Sprintf("**ours: %s**", m.model), v, m.from...)
		}
		row("**ours: simulate**", simulated, seen)
		row("its standard error", errors)
		least, err := leastOf()
		if err != nil {
			return err
		}
		row("least of any schedule with exponential merges", least)
		p("")
		if err := reading(p); err != nil {
			return err
		}
		p("")
		p("%s", table4Words)
		return nil
	}}
}

// solved4 returns a model's responses.
func solved4(m queueing.Model) (v perConfiguration, err error) {
	for i, c := range configurations {
		s, err := c.spec()
		if err != nil {
			return v, err
		}
		r, err := queueing.Solve(s, m, queueing.Options{})
		if err != nil {
			return v, fmt.Errorf("%s: %w", c, err)
		}
		v[i] = r.Response()
	}
	return v, nil
}

// simulateAll returns the simulator's responses and their standard errors.
func simulateAll(runs int, o simulation.Options) (v, e perConfiguration, err error) {
	o.Runs = runs
	for i, c := range configurations {
		s, err := c.spec()
		if err != nil {
			return v, e, err
		}
		r, err := simulation.Simulate(s, o)
		if err != nil {
			return v, e, fmt.Errorf("%s: %w", c, err)
		}
		v[i], e[i] = r.Jobs[0].Response.Value, r.Jobs[0].Response.StandardError
	}
	return v, e, nil
}

// leastOf returns lower bounds for the jobs of Table 4 under any schedule. A node's disk serves its maps and shuffles
// before its merge begins. The job ends with the last of three merges, each with an exponential service at its CPU
// and then at its disk. These are independent of the time before, so E[max(W+X)] is at least E[W] + E[max X].
func leastOf() (v perConfiguration, err error) {
	for i, c := range configurations {
		s, err := c.spec()
		if err != nil {
			return v, err
		}
		j := &s.Jobs[0]
		before := float64(j.Maps) * (j.Map.Disk + float64(j.Reduces)*j.Shuffle.Disk) / float64(s.Nodes)
		v[i] = before + lastOf(j.Reduces, j.Merge.CPU, j.Merge.Disk)
	}
	return v, nil
}

// lastOf returns the mean of the largest of n sums of two exponential times with different means.
func lastOf(n int, a, b float64) float64 {
	longest := 40 * (a + b) // the remaining probability is negligible
	left := func(t float64) float64 {
		return 1 - math.Pow(1-(a*math.Exp(-t/a)-b*math.Exp(-t/b))/(a-b), float64(n))
	}
	const points = 2000
	return quad.Fixed(left, 0, longest, points, nil, 0)
}

// prototype is the prototype's fixpoint of reading A (docs/facts/queueing.md e.2).
var prototype = []struct {
	name   string
	values perConfiguration
	ours   func(*queueing.JobResult) float64
}{
	{"a map, s", perConfiguration{8.684439, 8.976588, 11.955984, 11.695406}, staying(queueing.Map)},
	{"a shuffle, s", perConfiguration{1.167313, 6.039389, 1.674107, 7.225151}, staying(queueing.Shuffle)},
	{"a merge, s", perConfiguration{97.9723, 80.874, 107.7317, 98.876}, staying(queueing.Merge)},
	{"timeline, s", perConfiguration{534.52886, 536.82035, 369.12964, 327.32592}, func(j *queueing.JobResult) float64 {
		return j.Span
	}},
	{"phases", perConfiguration{101, 2, 3, 3}, func(j *queueing.JobResult) float64 { return float64(len(j.Phases)) }},
	{"fork/join, s", readingA, func(j *queueing.JobResult) float64 { return j.Response }},
}

func staying(k queueing.Kind) func(*queueing.JobResult) float64 {
	return func(j *queueing.JobResult) float64 {
		for _, c := range j.Classes {
			if c.Kind == k {
				return c.Residence.Total()
			}
		}
		return math.NaN()
	}
}

// reading compares intermediate results of vianna-table4 with the prototype.
func reading(p printer) error {
	var jobs []*queueing.JobResult
	for _, c := range configurations {
		s, err := c.spec()
		if err != nil {
			return err
		}
		r, err := queueing.Solve(s, queueing.ViannaTable4, queueing.Options{})
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		jobs = append(jobs, &r.Jobs[0])
	}
	head(p, append(columns("reading A: prototype / vianna-table4"), "largest difference")...)
	for _, f := range prototype {
		cells, worst := []string{f.name}, 0.0
		for i, j := range jobs {
			ours := f.ours(j)
			worst = math.Max(worst, math.Abs(ours/f.values[i]-1))
			cells = append(cells, fmt.Sprintf("%.6g / %.6g", f.values[i], ours))
		}
		p("%s", line(append(cells, upTo(worst))...))
	}
	return nil
}
