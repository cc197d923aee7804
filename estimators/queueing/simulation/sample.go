package simulation

import (
	"math"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/stat"
)

// classes sum up the residences of the tasks of each kind.
type classes [queueing.Merge + 1]class

type class struct {
	tasks     float64
	residence float64
}

func (c *classes) add(t *task, now float64) {
	k := &c[t.kind]
	k.tasks++
	k.residence += now - t.start
}

func (c *classes) addAll(o *classes) {
	for k := range c {
		c[k].tasks += o[k].tasks
		c[k].residence += o[k].residence
	}
}

// A record is the sum of a copy's results over the cycles that count.
type record struct {
	responses, cycles float64
	classes           classes
}

// A sample is the result of one run.
type sample struct {
	makespan float64
	busy     [kinds]float64 // busy seconds of a server, mean over the servers of a kind
	jobs     []record
}

func (r *run) sample() *sample {
	s := &sample{makespan: r.now, jobs: make([]record, len(r.spec.Jobs))}
	for _, c := range r.copies {
		j := &s.jobs[c.job]
		j.responses += c.took.responses
		j.cycles += c.took.cycles
		j.classes.addAll(&c.took.classes)
	}
	servers := [kinds]float64{}
	for i := range r.centres {
		c := &r.centres[i]
		c.pass(r.now)
		k := i % 3
		if i == len(r.centres)-1 {
			k = network
		}
		s.busy[k] += c.busy
		servers[k] += c.servers
	}
	for k := range s.busy {
		s.busy[k] /= servers[k]
	}
	return s
}

// mean returns the mean of a figure over samples, and its standard error, NaN for a single one.
func mean(all []*sample, of func(*sample) float64) (value, standardError float64) {
	figures := make([]float64, len(all))
	for i, s := range all {
		figures[i] = of(s)
	}
	value, deviation := stat.MeanStdDev(figures, nil)
	return value, stat.StdErr(deviation, float64(len(all)))
}

// submittedOnce is the warning of several jobs without cycles.
var submittedOnce = queueing.Warning{
	Code: "submitted_once",
	Text: "each job is submitted once, all at the same time, and the last ones run alone: " +
		"models answer for jobs that begin again as they end, which --cycles 4 simulates",
}

func result(s *queueing.Spec, cycles int, all []*sample) *queueing.Result {
	r := &queueing.Result{
		Model: queueing.Simulation, Fixpoint: queueing.Fixpoint{Converged: true},
		Sampling: &queueing.Sampling{Runs: len(all), Cycles: cycles}, Warnings: []queueing.Warning{},
	}
	r.Makespan, _ = mean(all, func(s *sample) float64 { return s.makespan })
	if cycles == 0 && s.Several() {
		r.Warnings = append(r.Warnings, submittedOnce)
	}
	var busy [kinds]float64
	for k := range busy {
		if r.Makespan > 0 {
			busy[k], _ = mean(all, func(s *sample) float64 { return s.busy[k] })
			busy[k] /= r.Makespan
		}
	}
	r.Centres = queueing.CentresOf(s, busy, busy)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		response, off := mean(all, func(s *sample) float64 { return s.jobs[i].responses / s.jobs[i].cycles })
		one := queueing.JobResult{
			Name: j.Name, Copies: j.Copies, Response: response, StandardError: units.Float(off),
			Span: units.Float(math.NaN()), Phases: []queueing.Phase{},
		}
		if response > 0 {
			one.Throughput = float64(j.Copies) / response
		}
		demands := [...]queueing.Demand{j.Map, j.Shuffle, j.Merge}
		for k, tasks := range [...]int{j.Maps, j.Maps * j.Reduces, j.Reduces} {
			if tasks > 0 {
				takes, _ := mean(all, func(s *sample) float64 {
					c := &s.jobs[i].classes[k]
					return c.residence / c.tasks
				})
				one.Classes = append(one.Classes, queueing.Class{
					Kind: queueing.Kind(k), Tasks: tasks, Takes: takes, Demand: demands[k],
				})
			}
		}
		r.Jobs = append(r.Jobs, one)
	}
	return r
}
