package models

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

// A figure is a part of Fig. 7 to 9: the varied parameter, and the largest differences from the simulation in the
// paper's text.
type figure struct {
	name               string
	varied             string
	values             []int
	spec               func(v int) *queueing.Spec
	forkJoin, tripathi string // responses
	busy               string // utilizations, fork/join and Tripathi
}

// simulatedMaps are the numbers of maps in Table 3.
var simulatedMaps = []int{4, 8, 16, 32, 64, 128, 256}

func fig7() []figure {
	one := func(name string, maps, threads int, said ...string) figure {
		return figure{
			fmt.Sprintf("Fig. 7 (%s): p_m = %d, p_s = %d", name, maps, threads), "maps", simulatedMaps,
			func(v int) *queueing.Spec {
				return queueing.PublishedSimulation(4, v, maps, threads)
			}, said[0], said[1], said[2],
		}
	}
	return []figure{
		one("a", 1, 1, "< 13 %", "29 %", "12 % / 22 %"),
		one("b", 1, 4, "4.6 %", "about 12 %", "9.1 % / 15.8 %, of disks"),
		one("c", 4, 1, "< 15.3 %", "68.1 %", "15.6 % / –"),
		one("d", 4, 4, "< 12 %", "49 %", "–"),
	}
}

func fig9() []figure {
	const typical = "typically within 25 %"
	return []figure{
		{
			"Fig. 9 (a): p_m = 4, p_s = 4", "nodes",
			[]int{1, 2, 4, 8, 16},
			func(v int) *queueing.Spec {
				return queueing.PublishedSimulation(v, 128, 4, 4)
			}, "34 %, at 16 nodes", "–", "–",
		},
		{
			"Fig. 9 (b): four nodes, p_s = 4", "p_m",
			[]int{1, 2, 4, 8, 16, 32},
			func(v int) *queueing.Spec {
				return queueing.PublishedSimulation(4, 128, v, 4)
			}, typical, "180 %, at p_m = 32", "–",
		},
		{
			"Fig. 9 (c): four nodes, p_m = 4", "p_s",
			[]int{1, 2, 4, 8, 16, 32},
			func(v int) *queueing.Spec { return queueing.PublishedSimulation(4, 128, 4, v) }, typical, "–", "–",
		},
	}
}

// drawnModels are the estimates in the figures, the default model, and the reading that is nearest to Table 4.
var drawnModels = [...]queueing.Model{
	queueing.ViannaForkJoin, queueing.Tripathi, queueing.Product,
	queueing.ViannaTable4,
}

// A setting is a point of a figure with its simulation and its solutions.
type setting struct {
	simulated *simulation.Result
	models    [len(drawnModels)]*queueing.Result
}

func (f figure) solve(v, runs int) (setting, error) {
	var at setting
	var err error
	s := f.spec(v)
	if s.Jobs[0].Maps <= 32 {
		runs *= 4 // jobs with few maps vary most and cost least
	}
	if at.simulated, err = simulation.Simulate(s, simulation.Options{Runs: runs}); err != nil {
		return at, fmt.Errorf("%s, %s %d: %w", f.name, f.varied, v, err)
	}
	for i, m := range drawnModels {
		if at.models[i], err = queueing.Solve(s, m, queueing.Options{}); err != nil {
			return at, fmt.Errorf("%s, %s %d: %w", f.name, f.varied, v, err)
		}
	}
	return at, nil
}

func (f figure) solveAll(runs int) ([]setting, error) {
	var all []setting
	for _, v := range f.values {
		at, err := f.solve(v, runs)
		if err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

// off returns the difference of model i's response from the simulated one, as a ratio of the latter.
func (s *setting) off(i int) float64 {
	return s.models[i].Response()/s.simulated.Jobs[0].Response.Value - 1
}

// A span is the smallest and the largest of some ratios.
type span struct{ least, most float64 }

func spanOf[T any](all []T, of func(T) float64) span {
	s := span{math.Inf(1), math.Inf(-1)}
	for _, x := range all {
		s.least, s.most = math.Min(s.least, of(x)), math.Max(s.most, of(x))
	}
	return s
}

func (s span) String() string { return fmt.Sprintf("%+.1f to %+.1f %%", 100*s.least, 100*s.most) }

func figures(runs int) section {
	return section{"Queueing: Fig. 7 to 9", func(p printer) error {
		runs *= 4 // the standard error of a cell should be below one per cent
		var solved [][]setting
		all := append(fig7(), fig9()...)
		for _, f := range all {
			settings, err := f.solveAll(runs)
			if err != nil {
				return err
			}
			solved = append(solved, settings)
		}
		head(p, "largest differences from the simulation", "fork/join (paper)", "**ours: vianna-fj**",
			"Tripathi (paper)", "**ours: tripathi**", "**ours: product**", "ours: vianna-table4")
		for i, f := range all {
			cells := []string{f.name, f.forkJoin, "", f.tripathi, "", "", ""}
			for m, column := range []int{2, 4, 5, 6} {
				cells[column] = spanOf(solved[i], func(s setting) float64 { return s.off(m) }).String()
			}
			p("%s", line(cells...))
		}
		p("")
		for i, f := range all {
			p("%s, response:", f.name)
			p("")
			f.writeResponses(p, solved[i])
			p("")
		}
		writeUse(p, solved[:len(fig7())])
		p("")
		writeTasks(p, solved[:len(fig7())])
		p("")
		if err := writeParallelism(p, solved[0], solved[1], runs); err != nil {
			return err
		}
		p("")
		p("%s", figuresWords)
		return nil
	}}
}

func (f figure) writeResponses(p printer, solved []setting) {
	head(p, f.varied, "simulated, s", "vianna-fj, s", "tripathi, s", "product, s")
	for i := range solved {
		s := &solved[i]
		truth := s.simulated.Jobs[0].Response
		cells := []string{fmt.Sprint(f.values[i]), fmt.Sprintf("%.1f ± %.1f", truth.Value, truth.StandardError)}
		for _, m := range s.models[:3] {
			cells = append(cells, fmt.Sprintf("%.1f, %s", m.Response(), off(m.Response(), truth.Value)))
		}
		p("%s", line(cells...))
	}
}

// writeUse writes Fig. 8: the utilization of CPUs and disks.
func writeUse(p printer, solved [][]setting) {
	p("Fig. 8, utilizations of CPU and disk: simulated, and the largest differences from it over the maps of Fig. 7:")
	p("")
	head(p, "p_m, p_s", "CPU, 4 to 256 maps", "disk, 4 to 256 maps", "paper: fork/join / Tripathi", "vianna-fj",
		"tripathi", "product")
	for i, f := range fig7() {
		first, last := solved[i][0].simulated, solved[i][len(solved[i])-1].simulated
		s := f.spec(simulatedMaps[0])
		cells := []string{
			fmt.Sprintf("%d, %d", s.MapSlots, s.ShuffleThreads),
			fmt.Sprintf("%.3f to %.3f", first.CPU, last.CPU), fmt.Sprintf("%.3f to %.3f", first.Disk, last.Disk),
			f.busy,
		}
		for m := range drawnModels[:3] {
			worst := spanOf(solved[i], func(s setting) float64 {
				return math.Max(math.Abs(busy(s.models[m], queueing.CPU)/s.simulated.CPU-1),
					math.Abs(busy(s.models[m], queueing.Disk)/s.simulated.Disk-1))
			})
			cells = append(cells, fmt.Sprintf("%.1f %%", 100*worst.most))
		}
		p("%s", line(cells...))
	}
}

// busy returns the mean utilization of a kind of centre over the nodes.
func busy(r *queueing.Result, k queueing.CentreKind) float64 {
	sum, nodes := 0.0, 0
	for _, c := range r.Centres {
		if c.Kind == k {
			sum += float64(c.Nodes) * c.Utilisation
			nodes += c.Nodes
		}
	}
	return sum / float64(nodes)
}

// writeTasks writes the residences of single tasks. The paper gives their largest differences over Fig. 7.
func writeTasks(p printer, solved [][]setting) {
	head(p, "a task's residence in Fig. 7: difference from the simulation", "paper: fork/join", "vianna-fj", "product")
	var all []setting
	for _, s := range solved {
		all = append(all, s...)
	}
	for k, said := range []string{
		queueing.Map: "within 13 %", queueing.Shuffle: "down to -43 %",
		queueing.Merge: "within 7 %",
	} {
		cells := []string{queueing.Kind(k).String(), said}
		for _, m := range []int{0, 2} {
			cells = append(cells, spanOf(all, func(s setting) float64 {
				j := &s.simulated.Jobs[0]
				truth := [...]simulation.Mean{
					queueing.Map: j.Map, queueing.Shuffle: j.Shuffle,
					queueing.Merge: j.Merge,
				}[k].Value
				return staying(queueing.Kind(k))(&s.models[m].Jobs[0])/truth - 1
			}).String())
		}
		p("%s", line(cells...))
	}
}

// writeParallelism writes how much the simulation gains at p_m = 1 by copying four outputs at once instead of one.
func writeParallelism(p printer, one, four []setting, runs int) error {
	head(p, "four outputs at once instead of one, p_m = 1: response, over the maps of Fig. 7", "paper",
		"simulated, each output a task", "simulated, as one task")
	var apart, grouped []float64
	for i, v := range simulatedMaps {
		before := one[i].simulated.Jobs[0].Response.Value
		apart = append(apart, four[i].simulated.Jobs[0].Response.Value/before-1)
		r, err := simulation.Simulate(queueing.PublishedSimulation(4, v, 1, 4),
			simulation.Options{Runs: runs, Grouped: true})
		if err != nil {
			return err
		}
		grouped = append(grouped, r.Jobs[0].Response.Value/before-1)
	}
	same := func(x float64) float64 { return x }
	p("%s", line("difference", "down to -8.2 %", spanOf(apart, same).String(), spanOf(grouped, same).String()))
	return nil
}
