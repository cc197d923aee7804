package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

// otherModels are compared with product.
var otherModels = [...]queueing.Model{queueing.ViannaForkJoin, queueing.Tripathi, queueing.ViannaTable4}

// clusters is the number of random clusters.
const clusters = 240

// A drawn is a random cluster with its jobs, and the errors of the models.
type drawn struct {
	spec  *queueing.Spec
	error float64 // of product, relative to the simulation; above 0 the model predicts too much
	other [len(otherModels)]float64
	noise float64 // standard error of the simulation, relative to its mean
}

func chance(runs int) section {
	return section{"Queueing: product over clusters drawn by chance", func(p printer) error {
		all, err := drawAll(runs)
		if err != nil {
			return err
		}
		head(p, "clusters and jobs", "number", "median error", "75 %", "90 %", "worst", "too little by more than 15 %",
			"simulated ±, median")
		for _, of := range []struct {
			name string
			is   func(*queueing.Spec) bool
		}{
			{"all", func(*queueing.Spec) bool { return true }},
			{"one job", func(s *queueing.Spec) bool { return s.Jobs[0].Copies == 1 }},
			{"several at once", func(s *queueing.Spec) bool { return s.Jobs[0].Copies > 1 }},
			{"maps alone", func(s *queueing.Spec) bool { return s.Jobs[0].Reduces == 0 }},
			{"merges that meet in the network: 5 or more, a fifth of their time", func(s *queueing.Spec) bool {
				j := s.Jobs[0]
				return j.Reduces >= 5 && j.Merge.Network > .2*j.Merge.Total()
			}},
		} {
			var errors, noises []float64
			below := 0
			for _, d := range all {
				if of.is(d.spec) {
					errors, noises = append(errors, math.Abs(d.error)), append(noises, d.noise)
					if d.error < -.15 {
						below++
					}
				}
			}
			if len(errors) == 0 {
				continue
			}
			slices.Sort(errors)
			slices.Sort(noises)
			at := func(q float64) string { return fmt.Sprintf("%.1f %%", 100*errors[int(q*float64(len(errors)-1))]) }
			p("%s", line(of.name, fmt.Sprint(len(errors)), at(.5), at(.75), at(.9), at(1), fmt.Sprint(below),
				fmt.Sprintf("%.1f %%", 100*noises[len(noises)/2])))
		}
		worst := slices.MaxFunc(all,
			func(a, b drawn) int { return int(math.Copysign(1, math.Abs(a.error)-math.Abs(b.error))) })
		p("")
		s, j := worst.spec, worst.spec.Jobs[0]
		p("The worst, %+.0f %%: %d nodes of %d CPUs, p_m = %d, p_s = %d, %d reduces a node at once; %d jobs of %d maps and %d reduces. Demands of "+
			"CPU, fibre, disk, network in seconds: map %s, shuffle %s, merge %s.", 100*worst.error, s.Nodes, s.CPUs,
			s.MapSlots, s.ShuffleThreads,
			s.ReduceSlots, j.Copies, j.Maps, j.Reduces, seconds(j.Map), seconds(j.Shuffle), seconds(j.Merge))
		p("")
		writeOthers(p, all)
		p("")
		p("%s", chanceWords)
		return nil
	}}
}

// writeOthers writes the errors of the paper's estimates on the clusters with one job.
func writeOthers(p printer, all []drawn) {
	head(p, "one job at a time", "median error", "90 %", "worst", "too little by more than 15 %")
	write := func(name string, of func(drawn) float64) {
		var errors []float64
		below := 0
		for _, d := range all {
			if d.spec.Jobs[0].Copies > 1 {
				continue
			}
			errors = append(errors, math.Abs(of(d)))
			if of(d) < -.15 {
				below++
			}
		}
		slices.Sort(errors)
		at := func(q float64) string { return fmt.Sprintf("%.1f %%", 100*errors[int(q*float64(len(errors)-1))]) }
		p("%s", line(name, at(.5), at(.9), at(1), fmt.Sprint(below)))
	}
	write(queueing.Product.String(), func(d drawn) float64 { return d.error })
	for i, m := range otherModels {
		write(m.String(), func(d drawn) float64 { return d.other[i] })
	}
}

func seconds(d queueing.Demand) string {
	return fmt.Sprintf("%.3g, %.3g, %.3g, %.3g", d.CPU, d.Fibre, d.Disk, d.Network)
}

func drawAll(runs int) ([]drawn, error) {
	random := rand.New(rand.NewPCG(6, 7))
	all := make([]drawn, clusters)
	for i := range all {
		s := drawSpec(random)
		m, err := queueing.Solve(s, queueing.Product, queueing.Options{})
		if err != nil {
			return nil, fmt.Errorf("%+v: %w", *s, err)
		}
		o := simulation.Options{Runs: max(runs/6, 2)}
		if s.Jobs[0].Copies > 1 {
			o.Runs, o.Cycles = max(runs/20, 2), 6
		}
		r, err := simulation.Simulate(s, o)
		if err != nil {
			return nil, fmt.Errorf("%+v: %w", *s, err)
		}
		t := r.Jobs[0].Response
		all[i] = drawn{spec: s, error: m.Response()/t.Value - 1, noise: t.StandardError / t.Value}
		if s.Jobs[0].Copies > 1 {
			continue
		}
		for k, model := range otherModels {
			r, err := queueing.Solve(s, model, queueing.Options{})
			if err != nil {
				return nil, fmt.Errorf("%+v: %w", *s, err)
			}
			all[i].other[k] = r.Response()/t.Value - 1
		}
	}
	return all, nil
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
	j := queueing.Job{Copies: pick(1, 1, 1, 2, 3), Maps: pick(5, 20, 60, 150), Reduces: pick(0, 1, nodes, nodes,
		2*nodes)}
	j.Map, j.Shuffle, j.Merge = demand(5, .06), demand(5/float64(j.Maps), .3), demand(30, .3)
	return &queueing.Spec{
		Nodes: nodes, CPUs: pick(1, 2, 4, 8), MapSlots: pick(1, 2, 4, 8), ShuffleThreads: pick(1, 2, 5),
		ReduceSlots: pick(1, 1, 2),
		Jobs:        []queueing.Job{j},
	}
}
