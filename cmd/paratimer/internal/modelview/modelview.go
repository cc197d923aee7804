// Package modelview shows the results of queueing models and their simulation: response times, what limits jobs and
// what would help; precedence trees and timelines. It writes text and JSON.
package modelview

import (
	"math"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
	"github.com/paratimer/paratimer/units"
)

// Simulate is the simulation's name among the models.
const Simulate = "simulate"

// A View has the results of one or more models for a Spec.
type View struct {
	Name         string // name of what is modeled; "" if the file has none
	Spec         *queueing.Spec
	Answers      []Answer      // one, or one for each model
	Improvements []Improvement // nil if they were not computed
	Warnings     []queueing.Warning
}

// An Answer is the result of one model: Result of an analytical one, Sim of the simulation.
type Answer struct {
	Model  string
	Result *queueing.Result
	Sim    *simulation.Result
	Cycles int // how often the simulation submits each job again; 0: once, all jobs at the same time
	Spec   *queueing.Spec
}

// Several reports whether more than one job runs at the same time.
func Several(s *queueing.Spec) bool { return len(s.Jobs) > 1 || s.Jobs[0].Copies > 1 }

// Warnings returns the doubts about a result. With several jobs, the simulation is comparable with the models only
// if each job is submitted again after it ends.
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

// Converged reports whether the iteration converged. A simulation has no iteration.
func (a *Answer) Converged() bool { return a.Result == nil || a.Result.Converged }

// Response returns the response time of job i in seconds, and its standard error, NaN if there is none.
func (a *Answer) Response(i int) (seconds, standardError float64) {
	if a.Sim != nil {
		return a.Sim.Jobs[i].Response.Value, a.Sim.Jobs[i].Response.StandardError
	}
	return a.Result.Jobs[i].Response, math.NaN()
}

// Throughput returns the throughput of job i's class, in jobs per second.
func (a *Answer) Throughput(i int) float64 {
	if a.Sim != nil {
		return float64(a.Spec.Jobs[i].Copies) / a.Sim.Jobs[i].Response.Value
	}
	return a.Result.Jobs[i].Throughput
}

// A Centre is the utilization of one kind of service center.
type Centre struct {
	Kind        queueing.CentreKind `json:"kind"`
	Count       int                 `json:"count"`             // number of centers
	Servers     int                 `json:"servers"`           // servers of each center
	Utilisation units.Float         `json:"utilisation_ratio"` // of the busiest of its kind, 0..1
}

// Centres returns the kinds of center that any job uses, the busiest first.
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

// uses reports whether a task has a demand at a kind of center.
func uses(s *queueing.Spec, k queueing.CentreKind) bool {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if of(j.Map, k) > 0 || j.Reduces > 0 && of(j.Shuffle, k)+of(j.Merge, k) > 0 {
			return true
		}
	}
	return false
}

// of returns the part of a demand or residence at a kind of center.
func of(d queueing.Demand, k queueing.CentreKind) float64 {
	return [...]float64{
		queueing.CPU: d.CPU, queueing.Fibre: d.Fibre, queueing.Disk: d.Disk,
		queueing.Network: d.Network,
	}[k]
}

var kinds = []queueing.CentreKind{queueing.CPU, queueing.Disk, queueing.Fibre, queueing.Network}
