package models

import (
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
	"github.com/paratimer/paratimer/lab/page"
)

// configurations are those of Table 4: maps and shuffle threads of a node.
var configurations = [...][2]int{{1, 1}, {1, 5}, {4, 1}, {4, 5}}

// perConfiguration is a figure for each configuration.
type perConfiguration [len(configurations)]float64

// The columns of Table 4, in seconds, and what independent programs have found for the same demands
// (docs/facts/queueing.md e.1, e.2 and e.4): the prototype of our reading A, and a simulator.
var (
	measured      = perConfiguration{722.23, 605.40, 321.77, 325.58}
	paperForkJoin = perConfiguration{732.56, 659.13, 365.51, 356.20}
	paperTripathi = perConfiguration{798.56, 701.75, 620.01, 597.81}
	readingA      = perConfiguration{751.6398, 673.2441, 375.1076, 333.1736}
)

// A beside is a row of the table: what was published, and how we find the same. Exactly one of model and simulate is
// set.
type beside struct {
	name      string
	published perConfiguration
	model     func(*queueing.JobResult) float64
	of        queueing.Model
	simulate  func(*simulation.Job) float64
	options   simulation.Options
}

var table4Rows = []beside{
	{name: "vianna-table4, paper's fork/join", published: paperForkJoin, model: response, of: queueing.ViannaTable4},
	{name: "vianna-table4, prototype", published: readingA, model: response, of: queueing.ViannaTable4},
	{
		name: "its residence of a map, prototype", model: residence(queueing.Map), of: queueing.ViannaTable4,
		published: perConfiguration{8.684439, 8.976588, 11.955984, 11.695406},
	},
	{
		name: "its residence of a shuffle, prototype", model: residence(queueing.Shuffle), of: queueing.ViannaTable4,
		published: perConfiguration{1.167313, 6.039389, 1.674107, 7.225151},
	},
	{
		name: "its residence of a merge, prototype", model: residence(queueing.Merge), of: queueing.ViannaTable4,
		published: perConfiguration{97.9723, 80.874, 107.7317, 98.876},
	},
	{name: "vianna-fj, paper's fork/join", published: paperForkJoin, model: response, of: queueing.ViannaForkJoin},
	{name: "tripathi, paper's Tripathi", published: paperTripathi, model: response, of: queueing.Tripathi},
	{name: "product, measured", published: measured, model: response, of: queueing.Product},
	{name: "simulate, measured", published: measured, simulate: simulatedResponse},
	{
		name: "simulate, independent simulator", simulate: simulatedResponse,
		published: perConfiguration{590.7, 580.5, 447.6, 385.3},
	},
	{
		name: "simulate, independent: deterministic demands", simulate: simulatedResponse,
		published: perConfiguration{517.8, 503.2, 417.9, 367.4},
		options:   simulation.Options{Distribution: simulation.Deterministic},
	},
	{
		name: "simulate, independent: residence of a map", published: perConfiguration{8.73, 8.90, 15.57, 17.41},
		simulate: func(j *simulation.Job) float64 { return j.Map.Value },
	},
	{
		name: "simulate, independent: residence of a shuffle", published: perConfiguration{1.21, 1.31, 1.80, 2.54},
		simulate: func(j *simulation.Job) float64 { return j.Shuffle.Value },
	},
}

func response(j *queueing.JobResult) float64 { return j.Response }

func simulatedResponse(j *simulation.Job) float64 { return j.Response.Value }

// residence returns the mean time of a task of a kind at its centers.
func residence(k queueing.Kind) func(*queueing.JobResult) float64 {
	return func(j *queueing.JobResult) float64 {
		for _, c := range j.Classes {
			if c.Kind == k {
				return c.Residence.Total()
			}
		}
		return math.NaN()
	}
}

// ours returns the row's own figures.
func (b *beside) ours(runs int) (v perConfiguration, err error) {
	b.options.Runs = runs
	for i, c := range configurations {
		s, ok := queueing.Published(c[0], c[1])
		if !ok {
			return v, fmt.Errorf("no demands of %v are published", c)
		}
		if b.simulate != nil {
			r, err := simulation.Simulate(s, b.options)
			if err != nil {
				return v, fmt.Errorf("%s: %w", b.name, err)
			}
			v[i] = b.simulate(&r.Jobs[0])
			continue
		}
		r, err := queueing.Solve(s, b.of, queueing.Options{})
		if err != nil {
			return v, fmt.Errorf("%s: %w", b.name, err)
		}
		v[i] = b.model(&r.Jobs[0])
	}
	return v, nil
}

// table4 is the table of the configurations of Table 4.
func table4(runs int) (string, error) {
	heading := []any{"ours, and beside what"}
	for _, c := range configurations {
		heading = append(heading, fmt.Sprintf("(%d,%d)", c[0], c[1]))
	}
	var rows [][]any
	for i := range table4Rows {
		b := &table4Rows[i]
		v, err := b.ours(runs)
		if err != nil {
			return "", err
		}
		row, worst := []any{b.name}, 0.0
		for k := range v {
			worst = math.Max(worst, math.Abs(apart(v[k], b.published[k])))
			row = append(row, fmt.Sprintf("%.4g / %.4g", v[k], b.published[k]))
		}
		rows = append(rows, append(row, percents(worst)...))
	}
	return page.Table(append(heading, "largest difference"), rows), nil
}

// A figure is a part of Fig. 7 to 9: its settings, and the largest differences from the simulation in the paper's text
// by quantity: of fork/join, and of Tripathi.
type figure struct {
	name             string
	specs            []*queueing.Spec
	response, busy   [2]string
	responseLimit    float64 // of the model tripathi in the tests
	simulated        []*simulation.Result
	solved           [len(drawnModels)][]*queueing.Result
	nodes, maps      []int // each has one value or as many as specs
	slots, shuffling []int
}

// drawnModels are the estimates in the figures, and the default model.
var drawnModels = [...]queueing.Model{queueing.ViannaForkJoin, queueing.Tripathi, queueing.Product}

// paperFigures returns the figures with their settings (Table 3).
func paperFigures() []figure {
	const typical = "typically within 25 %"
	maps, powers := []int{4, 8, 16, 32, 64, 128, 256}, []int{1, 2, 4, 8, 16, 32}
	all := []figure{
		{
			name: "Fig. 7 (a): p_m = 1, p_s = 1", nodes: []int{4}, maps: maps, slots: []int{1}, shuffling: []int{1},
			response: [2]string{"< 13 %", "29 %"}, busy: [2]string{"12 %", "22 %"}, responseLimit: .29,
		},
		{
			name: "Fig. 7 (b): p_m = 1, p_s = 4", nodes: []int{4}, maps: maps, slots: []int{1}, shuffling: []int{4},
			response: [2]string{"4.6 %", "about 12 %"}, busy: [2]string{"9.1 %", "15.8 %"}, responseLimit: .20,
		},
		{
			name: "Fig. 7 (c): p_m = 4, p_s = 1", nodes: []int{4}, maps: maps, slots: []int{4}, shuffling: []int{1},
			response: [2]string{"< 15.3 %", "68.1 %"}, busy: [2]string{"15.6 %", "–"}, responseLimit: .68,
		},
		{
			name: "Fig. 7 (d): p_m = 4, p_s = 4", nodes: []int{4}, maps: maps, slots: []int{4}, shuffling: []int{4},
			response: [2]string{"< 12 %", "49 %"}, busy: [2]string{"–", "–"}, responseLimit: .49,
		},
		{
			name: "Fig. 9 (a): 1 to 16 nodes", nodes: powers[:5], maps: []int{128}, slots: []int{4}, shuffling: []int{4},
			response: [2]string{"34 %", "–"}, responseLimit: 1.8,
		},
		{
			name: "Fig. 9 (b): p_m = 1 to 32", nodes: []int{4}, maps: []int{128}, slots: powers, shuffling: []int{4},
			response: [2]string{typical, "180 %"}, responseLimit: 1.8,
		},
		{
			name: "Fig. 9 (c): p_s = 1 to 32", nodes: []int{4}, maps: []int{128}, slots: []int{4}, shuffling: powers,
			response: [2]string{typical, "–"}, responseLimit: 1.8,
		},
	}
	for i := range all {
		f := &all[i]
		at := func(values []int, k int) int { return values[min(k, len(values)-1)] }
		for k := range max(len(f.nodes), len(f.maps), len(f.slots), len(f.shuffling)) {
			f.specs = append(f.specs, queueing.PublishedSimulation(at(f.nodes, k), at(f.maps, k), at(f.slots, k),
				at(f.shuffling, k)))
		}
	}
	return all
}

// solve simulates the settings and solves the models.
func (f *figure) solve(runs int) error {
	for _, s := range f.specs {
		o := simulation.Options{Runs: runs}
		if s.Jobs[0].Maps <= 32 {
			o.Runs *= 4 // jobs with few maps vary most and cost least
		}
		r, err := simulation.Simulate(s, o)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		f.simulated = append(f.simulated, r)
		for i, m := range drawnModels {
			r, err := queueing.Solve(s, m, queueing.Options{})
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			f.solved[i] = append(f.solved[i], r)
		}
	}
	return nil
}

// responseError is the error of a model's response, as a ratio of the simulated one.
func responseError(r *queueing.Result, truth *simulation.Result) float64 {
	return apart(r.Response(), truth.Jobs[0].Response.Value)
}

// busyError is the larger error of the utilizations of CPUs and disks (Fig. 8).
func busyError(r *queueing.Result, truth *simulation.Result) float64 {
	busy := func(k queueing.CentreKind) float64 {
		sum, nodes := 0.0, 0
		for _, c := range r.Centres {
			if c.Kind == k {
				sum, nodes = sum+float64(c.Nodes)*c.Utilisation, nodes+c.Nodes
			}
		}
		return sum / float64(nodes)
	}
	cpu, disk := apart(busy(queueing.CPU), truth.CPU), apart(busy(queueing.Disk), truth.Disk)
	if math.Abs(cpu) > math.Abs(disk) {
		return cpu
	}
	return disk
}

// residenceError is the error of a task's residence.
func residenceError(k queueing.Kind) func(*queueing.Result, *simulation.Result) float64 {
	return func(r *queueing.Result, truth *simulation.Result) float64 {
		j := &truth.Jobs[0]
		of := [...]simulation.Mean{queueing.Map: j.Map, queueing.Shuffle: j.Shuffle, queueing.Merge: j.Merge}
		return apart(residence(k)(&r.Jobs[0]), of[k].Value)
	}
}

// figures is the table of Fig. 7 to 9: the smallest and the largest differences from the simulation.
func figures(runs int) (string, error) {
	all := paperFigures()
	var rows [][]any
	add := func(name string, said [2]string, of []figure, wrong func(*queueing.Result, *simulation.Result) float64) {
		var spans [len(drawnModels)]string
		for i := range drawnModels {
			least, most := math.Inf(1), math.Inf(-1)
			for f := range of {
				for k, r := range of[f].solved[i] {
					v := wrong(r, of[f].simulated[k])
					least, most = math.Min(least, v), math.Max(most, v)
				}
			}
			spans[i] = fmt.Sprintf("%+.1f to %+.1f %%", 100*least, 100*most)
		}
		rows = append(rows, []any{name, said[0], spans[0], said[1], spans[1], spans[2]})
	}
	for i := range all {
		if err := all[i].solve(4 * runs); err != nil { // the standard error of a cell should be below one per cent
			return "", err
		}
		add(all[i].name+": response", all[i].response, all[i:i+1], responseError)
	}
	for i := range all[:4] {
		name := strings.Replace(all[i].name, "Fig. 7", "Fig. 8", 1)
		add(name+": utilization of CPU and disk", all[i].busy, all[i:i+1], busyError)
	}
	for k, said := range []string{
		queueing.Map: "within 13 %", queueing.Shuffle: "down to -43 %", queueing.Merge: "within 7 %",
	} {
		add(fmt.Sprintf("Fig. 7: residence of a %s", queueing.Kind(k)), [2]string{said, "–"}, all[:4],
			residenceError(queueing.Kind(k)))
	}
	return page.Table([]any{
		"differences from the simulation", "fork/join (paper)", "**ours: vianna-fj**", "Tripathi (paper)",
		"**ours: tripathi**", "**ours: product**",
	}, rows), nil
}
