// Package modelview shows what queueing models and their simulation say of jobs: response times, what bounds them and
// what would help; precedence trees and timelines; as text, as JSON, as SVG.
package modelview

import (
	"math"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
	"github.com/paratimer/paratimer/units"
)

// Simulate is the name of the simulation among the models.
const Simulate = "simulate"

// A View is one question and its answers.
type View struct {
	Name         string // what is modelled; "" where the file does not say
	Spec         *queueing.Spec
	Answers      []Answer      // one, or one for each model
	Improvements []Improvement // nil where they are not looked for
	Warnings     []queueing.Warning
}

// An Answer is what one model says: Result of an analytical one, Sim of the simulation.
type Answer struct {
	Model  string
	Result *queueing.Result
	Sim    *simulation.Result
	Cycles int // how often the simulation submits each job again; 0: each once, all at the same time
	Spec   *queueing.Spec
}

// Several says that more than one job runs at once.
func Several(s *queueing.Spec) bool { return len(s.Jobs) > 1 || s.Jobs[0].Copies > 1 }

// Warnings are the doubts about an answer. Of several jobs the simulation is the models' question only where each
// begins again.
func (a *Answer) Warnings() []queueing.Warning {
	if a.Result != nil {
		return a.Result.Warnings
	}
	if a.Cycles == 0 && Several(a.Spec) {
		return []queueing.Warning{{
			Code: "submitted_once",
			Text: "each job is submitted once, all at the same time, and the last ones run alone: " +
				"models answer for jobs that begin again as they end, which --cycles 4 simulates",
		}}
	}
	return nil
}

// Converged says that the answer may be believed as far as its iteration goes. A simulation has none.
func (a *Answer) Converged() bool { return a.Result == nil || a.Result.Converged }

// Response is the response time of job i in seconds, and its standard error, NaN where there is none.
func (a *Answer) Response(i int) (seconds, standardError float64) {
	if a.Sim != nil {
		return a.Sim.Jobs[i].Response.Value, a.Sim.Jobs[i].Response.StandardError
	}
	return a.Result.Jobs[i].Response, math.NaN()
}

// Throughput of job i's class, in jobs a second.
func (a *Answer) Throughput(i int) float64 {
	if a.Sim != nil {
		return float64(a.Spec.Jobs[i].Copies) / a.Sim.Jobs[i].Response.Value
	}
	return a.Result.Jobs[i].Throughput
}

// A Centre is how busy one kind of centre is.
type Centre struct {
	Kind        queueing.CentreKind `json:"kind"`
	Count       int                 `json:"count"`             // how many there are
	Servers     int                 `json:"servers"`           // of one
	Utilisation units.Float         `json:"utilisation_ratio"` // of the busiest of its kind, 0..1
}

// Centres are the kinds of centre that some job uses, the busiest first.
func (a *Answer) Centres() []Centre {
	all := []Centre{
		{Kind: queueing.CPU, Servers: a.Spec.CPUs, Count: a.Spec.Nodes},
		{Kind: queueing.Fibre, Servers: 1, Count: a.Spec.Nodes},
		{Kind: queueing.Disk, Servers: max(1, a.Spec.Disks), Count: a.Spec.Nodes},
		{Kind: queueing.Network, Servers: 1, Count: 1},
	}
	if a.Sim != nil {
		for i, u := range []float64{a.Sim.CPU, a.Sim.Fibre, a.Sim.Disk, a.Sim.Network} {
			all[i].Utilisation = units.Float(u)
		}
	} else {
		for _, c := range a.Result.Centres {
			at := &all[c.Kind]
			at.Utilisation = max(at.Utilisation, units.Float(c.Utilisation))
		}
	}
	used := all[:0]
	for _, c := range all {
		if uses(a.Spec, c.Kind) {
			used = append(used, c)
		}
	}
	byUse(used)
	return used
}

// uses says whether some task asks for service of a kind of centre.
func uses(s *queueing.Spec, k queueing.CentreKind) bool {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if of(j.Map, k) > 0 || j.Reduces > 0 && of(j.Shuffle, k)+of(j.Merge, k) > 0 {
			return true
		}
	}
	return false
}

// of is a demand's or a residence's part of a kind of centre.
func of(d queueing.Demand, k queueing.CentreKind) float64 {
	return [...]float64{
		queueing.CPU: d.CPU, queueing.Fibre: d.Fibre, queueing.Disk: d.Disk,
		queueing.Network: d.Network,
	}[k]
}

var kinds = []queueing.CentreKind{queueing.CPU, queueing.Disk, queueing.Fibre, queueing.Network}
