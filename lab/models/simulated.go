package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
	"github.com/paratimer/paratimer/lab/page"
)

// comparedModels are compared with the simulator; the first one also for several jobs at once.
var comparedModels = [...]queueing.Model{
	queueing.Product, queueing.ViannaForkJoin, queueing.Tripathi, queueing.ViannaTable4,
}

// A cluster has one job, or several copies of it, and the errors of the models, relative to the simulation: above 0 the
// model predicts too much.
type cluster struct {
	spec   *queueing.Spec
	grid   string // of a cluster that is not drawn by chance
	errors [len(comparedModels)]float64
	noise  float64 // standard error of the simulation, relative to its mean
}

// randomClusters is the number of clusters that are drawn by chance.
const randomClusters = 240

// drawn returns random clusters.
func drawn() []cluster {
	random := rand.New(rand.NewPCG(6, 7))
	all := make([]cluster, randomClusters)
	for i := range all {
		all[i].spec = drawSpec(random)
	}
	return all
}

// grids returns clusters with the demands of (4,1) and one reduce for each node.
func grids() []cluster {
	var all []cluster
	add := func(name string, nodes, maps, slots, threads, copies int) {
		s, _ := queueing.Published(4, 1)
		s.Nodes, s.MapSlots, s.ShuffleThreads = nodes, slots, threads
		s.Jobs[0].Maps, s.Jobs[0].Reduces, s.Jobs[0].Copies = maps, nodes, copies
		all = append(all, cluster{spec: s, grid: name})
	}
	for _, slots := range []int{1, 2, 3, 4, 6, 8} {
		for _, threads := range []int{1, 2, 3, 5} {
			add("grid: p_m 1 to 8, p_s 1 to 5, 150 maps on 3 nodes", 3, 150, slots, threads, 1)
		}
	}
	for _, node := range [][2]int{{4, 5}, {1, 1}} {
		for _, nodes := range []int{1, 2, 3, 6, 10, 20} {
			for _, maps := range []int{15, 60, 150, 450} {
				add(fmt.Sprintf("grid: 1 to 20 nodes, 15 to 450 maps, p_m = %d, p_s = %d", node[0], node[1]), nodes, maps,
					node[0], node[1], 1)
			}
		}
	}
	for _, copies := range []int{1, 2, 3, 4, 6} {
		for _, slots := range []int{1, 2, 4} {
			add("grid: 1 to 6 jobs at once, p_m 1 to 4", 3, 60, slots, 2, copies)
		}
	}
	return all
}

// solve simulates the cluster and solves the models. It simulates several jobs as the closed system of equation 6: each
// job starts again when it ends.
func (c *cluster) solve(runs int) error {
	several := c.spec.Jobs[0].Copies > 1
	o := simulation.Options{Runs: max(runs/6, 2)}
	if several {
		o.Runs, o.Cycles = max(runs/20, 2), 6
	}
	r, err := simulation.Simulate(c.spec, o)
	if err != nil {
		return fmt.Errorf("%+v: %w", *c.spec, err)
	}
	truth := r.Jobs[0].Response
	c.noise = truth.StandardError / truth.Value
	for i, m := range comparedModels {
		if i > 0 && (several || c.grid != "") {
			break
		}
		r, err := queueing.Solve(c.spec, m, queueing.Options{})
		if err != nil {
			return fmt.Errorf("%+v: %w", *c.spec, err)
		}
		c.errors[i] = apart(r.Response(), truth.Value)
	}
	return nil
}

// simulated is the table of errors against the simulation.
func simulated(runs int) (string, error) {
	all := append(drawn(), grids()...)
	if err := page.Each(len(all), func(i int) error { return all[i].solve(runs) }); err != nil {
		return "", err
	}
	var rows [][]any
	add := func(name string, model int, is func(*cluster) bool) {
		var errors, noises page.Numbers
		below := 0
		for i := range all {
			if c := &all[i]; is(c) {
				errors = append(errors, page.Number(math.Abs(c.errors[model])))
				noises = append(noises, page.Number(c.noise))
				if c.errors[model] < -.15 {
					below++
				}
			}
		}
		cells := []any{name, len(errors)}
		for _, q := range []float64{.5, .75, .9, 1} {
			cells = append(cells, percents(float64(errors.Quantile(q)))...)
		}
		rows = append(rows, append(append(cells, below), percents(float64(noises.Median()))...))
	}
	chance := func(c *cluster) bool { return c.grid == "" }
	one := func(c *cluster) bool { return chance(c) && c.spec.Jobs[0].Copies == 1 }
	add("all", 0, chance)
	add("one job", 0, one)
	add("several at once", 0, func(c *cluster) bool { return chance(c) && !one(c) })
	add("maps alone", 0, func(c *cluster) bool { return chance(c) && c.spec.Jobs[0].Reduces == 0 })
	add("merges that meet in the network: 5 or more, a fifth of their time", 0, func(c *cluster) bool {
		j := &c.spec.Jobs[0]
		return chance(c) && j.Reduces >= 5 && j.Merge.Network > .2*j.Merge.Total()
	})
	for i := randomClusters; i < len(all); i++ {
		if name := all[i].grid; i == randomClusters || name != all[i-1].grid {
			add(name, 0, func(c *cluster) bool { return c.grid == name })
		}
	}
	for i, m := range comparedModels[1:] {
		add(fmt.Sprintf("one job, by %s", m), i+1, one)
	}
	return page.Table([]any{
		"clusters and jobs", "number", "median error", "75 %", "90 %", "worst", "too little by more than 15 %",
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
