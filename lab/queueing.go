package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Rows of the tables about queueing.
type (
	// A comparison is a row of Table 4: published is a column of the paper, or what independent programs have found for
	// the same demands (facts/queueing.md e.1, e.2 and e.4). By is the model or a simulation, by default the first
	// word of Name. Of is the quantity, by default the response.
	comparison struct {
		Name, By, Of string
		Published    [len(configurations)]float64
	}
	// A figure is a row about Fig. 7 to 9: a quantity in some settings, and the largest differences from the simulation
	// in the paper's text, of fork/join and of Tripathi.
	figure struct {
		Name, Of string
		Settings []int
		Said     [2]string
	}
	// A grid is all combinations of its lists.
	grid struct {
		Name                                string
		Nodes, Maps, Slots, Threads, Copies []int
	}
	// A demand is what tasks take by Table 2 if a node runs so many maps at once, and a reduce so many shuffles. For
	// values that the table lacks the paper extrapolates it (published_test.go of package queueing).
	demand struct {
		Slots, Threads      int
		Map, Shuffle, Merge queueing.Demand
	}
)

// published returns the job of Table 3 on these nodes, with a reduce for each.
func published(nodes, maps, slots, threads int) *queueing.Spec {
	d := &publishedModels.Demands[slices.IndexFunc(publishedModels.Demands, func(d demand) bool {
		return d.Slots == slots && d.Threads == threads
	})]
	return &queueing.Spec{
		Nodes: nodes, CPUs: 4, MapSlots: slots, ShuffleThreads: threads, ReduceSlots: 1, Jobs: []queueing.Job{{
			Name: "job", Copies: 1, Maps: maps, Reduces: nodes, Map: d.Map, Shuffle: d.Shuffle, Merge: d.Merge,
		}},
	}
}

// configurations are those of Table 4: maps and shuffle threads of a node.
var configurations = [...][2]int{{1, 1}, {1, 5}, {4, 1}, {4, 5}}

// quantities are the results of a model or a simulation: the response, the residence of a map, shuffle and merge, and
// the utilization of CPU and disk. Noise is the standard error of a simulated response, relative to its mean.
type quantities map[string]float64

func simulateQuantities(s *queueing.Spec, o queueing.SimulationOptions) (quantities, error) {
	r, err := queueing.Simulate(s, o)
	return quantitiesOf(s, r, err)
}

func solve(s *queueing.Spec, m queueing.Model) (quantities, error) {
	r, err := queueing.Solve(s, m, queueing.Options{})
	return quantitiesOf(s, r, err)
}

func quantitiesOf(s *queueing.Spec, r *queueing.Result, err error) (quantities, error) {
	if err != nil {
		return nil, fmt.Errorf("%+v: %w", *s, err)
	}
	j := &r.Jobs[0]
	q := quantities{"response": j.Response, "noise": float64(j.StandardError) / j.Response}
	for _, c := range j.Classes {
		q[c.Kind.String()] = c.Takes
	}
	for _, c := range r.Centres {
		q[c.Kind.String()] = c.Mean
	}
	return q, nil
}

// ours returns the row's own figures.
func (c *comparison) ours(runs int) (v [len(configurations)]float64, err error) {
	first, _, _ := strings.Cut(c.Name, ",")
	by := cmp.Or(c.By, first)
	for i, at := range configurations {
		s := published(3, 150, at[0], at[1])
		var q quantities
		switch by {
		case "simulate":
			q, err = simulateQuantities(s, queueing.SimulationOptions{Runs: runs})
		case "deterministic":
			q, err = simulateQuantities(s, queueing.SimulationOptions{Runs: runs, Distribution: queueing.Deterministic})
		default:
			m, unknown := queueing.ParseModel(by)
			if unknown != nil {
				return v, unknown
			}
			q, err = solve(s, m)
		}
		if err != nil {
			return v, err
		}
		v[i] = q[cmp.Or(c.Of, "response")]
	}
	return v, nil
}

// Table4 is the table of the configurations of Table 4.
func (t tables) Table4() (string, error) {
	heading := []any{"ours, and beside what"}
	for _, c := range configurations {
		heading = append(heading, fmt.Sprintf("(%d,%d)", c[0], c[1]))
	}
	var rows [][]any
	for i := range publishedModels.Table4 {
		c := &publishedModels.Table4[i]
		v, err := c.ours(t.runs)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.Name, err)
		}
		row, worst := []any{c.Name}, 0.0
		for k := range v {
			worst = math.Max(worst, math.Abs(apart(v[k], c.Published[k])))
			row = append(row, fmt.Sprintf("%.4g / %.4g", v[k], c.Published[k]))
		}
		rows = append(rows, append(row, percent(worst)))
	}
	return Table(append(heading, "largest difference"), rows), nil
}

// A cluster has one job, or several copies of it, that is simulated and solved by models.
type cluster struct {
	spec   *queueing.Spec
	grid   string // of a cluster that is not drawn by chance
	truth  quantities
	models map[queueing.Model]quantities
}

// measure simulates the cluster and solves the models.
func (c *cluster) measure(o queueing.SimulationOptions, models ...queueing.Model) (err error) {
	if c.truth, err = simulateQuantities(c.spec, o); err != nil {
		return err
	}
	c.models = map[queueing.Model]quantities{}
	for _, m := range models {
		if c.models[m], err = solve(c.spec, m); err != nil {
			return err
		}
	}
	return nil
}

// off returns a model's error, relative to the simulation: above 0 the model predicts too much. That of "busy" is the
// larger one of CPU and disk.
func (c *cluster) off(m queueing.Model, of string) float64 {
	if of != "busy" {
		return apart(c.models[m][of], c.truth[of])
	}
	cpu, disk := c.off(m, "cpu"), c.off(m, "disk")
	if math.Abs(cpu) > math.Abs(disk) {
		return cpu
	}
	return disk
}

// clusters returns the combinations of the lists.
func (g *grid) clusters(spec func(nodes, maps, slots, threads int) *queueing.Spec) (all []*cluster) {
	for _, nodes := range g.Nodes {
		for _, maps := range g.Maps {
			for _, slots := range g.Slots {
				for _, threads := range g.Threads {
					all = append(all, &cluster{spec: spec(nodes, maps, slots, threads), grid: g.Name})
				}
			}
		}
	}
	return all
}

// drawnModels are the estimates in the figures, and the default model.
var drawnModels = []queueing.Model{queueing.ViannaForkJoin, queueing.Tripathi, queueing.Product}

// setting simulates and solves the clusters of a setting of the figures.
func setting(i, runs int) ([]*cluster, error) {
	all := publishedModels.Settings[i].clusters(published)
	return all, Each(len(all), func(k int) error {
		o := queueing.SimulationOptions{Runs: runs}
		if all[k].spec.Jobs[0].Maps <= 32 {
			o.Runs *= 4 // jobs with few maps vary most and cost least
		}
		return all[k].measure(o, drawnModels...)
	})
}

// Figures is the table of Fig. 7 to 9: the smallest and the largest differences from the simulation.
func (t tables) Figures() (string, error) {
	settings := make([][]*cluster, len(publishedModels.Settings))
	for i := range settings {
		var err error
		// The standard error of a cell should be below one per cent.
		if settings[i], err = setting(i, 4*t.runs); err != nil {
			return "", err
		}
	}
	var rows [][]any
	for _, f := range publishedModels.Figures {
		var spans [3]string
		for i, m := range drawnModels {
			least, most := math.Inf(1), math.Inf(-1)
			for _, s := range f.Settings {
				for _, c := range settings[s] {
					off := c.off(m, cmp.Or(f.Of, "response"))
					least, most = math.Min(least, off), math.Max(most, off)
				}
			}
			spans[i] = fmt.Sprintf("%+.1f to %+.1f%%", 100*least, 100*most)
		}
		rows = append(rows, []any{f.Name, f.Said[0], spans[0], f.Said[1], spans[1], spans[2]})
	}
	return Table([]any{
		"differences from the simulation", "fork/join (paper)", "**ours: vianna-fj**", "Tripathi (paper)",
		"**ours: tripathi**", "**ours: product**",
	}, rows), nil
}

// grids returns clusters with the demands of (4,1) and one reduce for each node.
func grids() (all []*cluster) {
	for _, g := range publishedModels.Grids {
		for _, copies := range g.Copies {
			all = append(all, g.clusters(func(nodes, maps, slots, threads int) *queueing.Spec {
				s := published(nodes, maps, 4, 1)
				s.MapSlots, s.ShuffleThreads, s.Jobs[0].Copies = slots, threads, copies
				return s
			})...)
		}
	}
	return all
}

// Simulated is the table of errors of product on random clusters and on grids, and of the paper's models on random
// clusters with one job. Several jobs are simulated as the closed system of equation 6: each starts again when it ends.
func (t tables) Simulated() (string, error) {
	random, drawn := rand.New(rand.NewPCG(6, 7)), make([]*cluster, 240)
	for i := range drawn {
		drawn[i] = &cluster{spec: drawSpec(random)}
	}
	all := slices.Concat(drawn, grids())
	one := func(c *cluster) bool { return c.grid == "" && c.spec.Jobs[0].Copies == 1 }
	if err := Each(len(all), func(i int) error {
		o, models := queueing.SimulationOptions{Runs: max(t.runs/6, 2)}, []queueing.Model{queueing.Product}
		if all[i].spec.Jobs[0].Copies > 1 {
			o.Runs, o.Cycles = max(t.runs/20, 2), 6
		}
		if one(all[i]) {
			models = append(models, queueing.ViannaForkJoin, queueing.Tripathi, queueing.ViannaTable4)
		}
		return all[i].measure(o, models...)
	}); err != nil {
		return "", err
	}
	var rows [][]any
	add := func(name string, m queueing.Model, is func(*cluster) bool) {
		var errors, noises Numbers
		below := 0
		for _, c := range all {
			if !is(c) {
				continue
			}
			off := c.off(m, "response")
			errors, noises = append(errors, Number(math.Abs(off))), append(noises, Number(c.truth["noise"]))
			if off < -.15 {
				below++
			}
		}
		cells := []any{name, len(errors)}
		for _, q := range []float64{.5, .75, .9, 1} {
			cells = append(cells, percent(float64(errors.Quantile(q))))
		}
		rows = append(rows, append(cells, below, percent(float64(noises.Median()))))
	}
	add("all", queueing.Product, func(c *cluster) bool { return c.grid == "" })
	add("one job", queueing.Product, one)
	add("several at once", queueing.Product, func(c *cluster) bool { return c.grid == "" && !one(c) })
	add("maps alone", queueing.Product, func(c *cluster) bool { return c.grid == "" && c.spec.Jobs[0].Reduces == 0 })
	add("merges that meet in the network: 5 or more, a fifth of their time", queueing.Product, func(c *cluster) bool {
		j := &c.spec.Jobs[0]
		return c.grid == "" && j.Reduces >= 5 && j.Merge.Network > .2*j.Merge.Total()
	})
	for _, g := range publishedModels.Grids {
		add(g.Name, queueing.Product, func(c *cluster) bool { return c.grid == g.Name })
	}
	for _, m := range []queueing.Model{queueing.ViannaForkJoin, queueing.Tripathi, queueing.ViannaTable4} {
		add(fmt.Sprintf("one job, by %s", m), m, one)
	}
	return Table([]any{
		"clusters and jobs", "number", "median error", "75%", "90%", "worst", "too little by more than 15%",
		"simulated ±, median",
	}, rows), nil
}

// drawSpec draws a cluster of up to ten nodes, and a job with demands that differ by orders of magnitude.
func drawSpec(random *rand.Rand) *queueing.Spec {
	pick := func(v ...int) int { return v[random.IntN(len(v))] }
	demand := func(scale, network float64) queueing.Demand {
		one := func(scale, none float64) float64 {
			if random.Float64() < none {
				return 0
			}
			return scale * math.Exp(1.2*random.NormFloat64())
		}
		return queueing.Demand{
			CPU: .001*scale + one(scale, .1), Fibre: one(.05*scale, .2), Disk: one(scale, .15),
			Network: one(network*scale, .5),
		}
	}
	nodes := pick(1, 2, 3, 5, 10)
	j := queueing.Job{
		Copies: pick(1, 1, 1, 2, 3), Maps: pick(5, 20, 60, 150), Reduces: pick(0, 1, nodes, nodes, 2*nodes),
	}
	j.Map, j.Shuffle, j.Merge = demand(5, .06), demand(5/float64(j.Maps), .3), demand(30, .3)
	return &queueing.Spec{
		Nodes: nodes, CPUs: pick(1, 2, 4, 8), MapSlots: pick(1, 2, 4, 8), ShuffleThreads: pick(1, 2, 5),
		ReduceSlots: pick(1, 1, 2), Jobs: []queueing.Job{j},
	}
}
