package queueing

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Result is the prediction of a model for a Spec, or the mean of its simulation. Times are in seconds.
type Result struct {
	Model Model       `json:"model"`
	Jobs  []JobResult `json:"jobs"` // in the order of the Spec
	// Centres are the kinds of centre that any job uses, the busiest first.
	Centres []Centre `json:"centres"`

	Fixpoint
	*Sampling               // of a simulation; nil for a model
	Warnings  []dag.Warning `json:"warnings"`
}

// A Fixpoint describes how the iteration over residence times and timelines ended. A simulation has converged.
type Fixpoint struct {
	Iterations int  `json:"iterations"`
	Converged  bool `json:"converged"`
	// Residual is the largest change of a residence time in the last iteration, in seconds.
	Residual float64 `json:"residual_seconds"`
}

// A Sampling describes a simulation.
type Sampling struct {
	Runs     int     `json:"runs"`
	Cycles   int     `json:"cycles"`           // how often each job was submitted again
	Makespan float64 `json:"makespan_seconds"` // mean time at which the last job ended
}

// A JobResult is the prediction for one class of jobs.
type JobResult struct {
	Name   string `json:"name"`
	Copies int    `json:"copies"`
	// Response is the mean time from a job's start to its end.
	Response float64 `json:"response_seconds"`
	// StandardError is that of a simulated Response. NaN for a model or a single run.
	StandardError units.Float `json:"standard_error_seconds"`
	// Throughput is the number of its copies that end per second: Copies/Response, if a new copy starts when one
	// ends.
	Throughput float64 `json:"throughput_per_second"`
	// Span is the length of the timeline of mean residence times, without an allowance for the slowest of parallel
	// tasks. NaN for a simulation.
	Span    units.Float `json:"span_seconds"`
	Classes []Class     `json:"classes"` // map, then shuffle and merge if the job has reduces
	Phases  []Phase     `json:"phases"`  // none for a simulation
	Tree    *Tree       `json:"tree"`    // nil for Product, which does not use it, and a simulation
}

// Response returns the response of the first job, for a Spec with one job.
func (r *Result) Response() float64 { return r.Jobs[0].Response }

// A Kind is a kind of task.
type Kind int

// The kinds of task (§3.2). A shuffle copies and sorts one map's output for one reduce.
const (
	Map Kind = iota
	Shuffle
	Merge
)

// String returns the kind's name.
func (k Kind) String() string { return [...]string{"map", "shuffle", "merge"}[k] }

// MarshalText returns the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Class is the tasks of a kind of one job.
type Class struct {
	Kind  Kind `json:"class"`
	Tasks int  `json:"tasks"`
	// Takes is the time that one task spends at its centres, in service or in queue.
	Takes float64 `json:"residence_seconds"`
	// Demand is the service demand of one task in the model. For a shuffle it is the mean over maps on the reduce's
	// node and on other nodes.
	Demand Demand `json:"demand"`
	// Residence has the parts of Takes by kind of centre; nil for a simulation.
	Residence *Demand `json:"residence"`
}

// A CentreKind is a kind of centre.
type CentreKind int

// The kinds of centre (§3.1).
const (
	CPU CentreKind = iota
	Fibre
	Disk
	Network
)

// String returns the kind's name.
func (k CentreKind) String() string { return [...]string{"cpu", "fibre", "disk", "network"}[k] }

// MarshalText returns the name.
func (k CentreKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Centre has the results of all centres of a kind.
type Centre struct {
	Kind    CentreKind `json:"kind"`
	Count   int        `json:"count"`   // number of centres
	Servers int        `json:"servers"` // of each centre
	// Utilisation of each server of the busiest centre over the time of the jobs, from 0 to 1.
	Utilisation float64 `json:"utilisation_ratio"`
	Mean        float64 `json:"-"` // utilisation of the mean centre
}

// A Phase is a part of a job's timeline between two wake-ups of blocked reduces (§3.4), or several consecutive phases
// of equal length: a long job has thousands.
type Phase struct {
	Start float64 `json:"start_seconds"`
	End   float64 `json:"end_seconds"`
	Count int     `json:"count"`
}

// An outcome is the result of a model for a job.
type outcome struct {
	job            *Job
	response, span float64
	phases         []Phase
	tree           *Tree
	asked          []vector // service of one copy at the centres of a node, in seconds, by group of nodes
	classes        [3]classSum
}

// A classSum sums up tasks of a kind.
type classSum struct {
	count        int // of the job's tasks
	tasks        float64
	demand, stay vector
}

func (c *classSum) add(tasks float64, demand, stay vector) {
	c.tasks += tasks
	for k := range stay {
		c.demand[k] += tasks * demand[k]
		c.stay[k] += tasks * stay[k]
	}
}

// resultOf returns the result of a model. It stretches the responses so that no centre is busy for longer than the jobs
// take: no queueing model may break this bound.
func resultOf(s *Spec, nodes []group, all []outcome) *Result {
	r := &Result{Centres: centres(s, nodes, all), Warnings: []dag.Warning{}}
	if len(r.Centres) > 0 && r.Centres[0].Utilisation > 1 {
		most := r.Centres[0]
		r.Warnings = append(r.Warnings, dag.Warningf("saturated",
			"the model would have the %s busy for %.3g of the time: the response is what its work takes", most.Kind,
			most.Utilisation))
		for i := range all {
			all[i].response *= most.Utilisation
		}
		r.Centres = centres(s, nodes, all)
	}
	for _, o := range all {
		j := newJobResult(o.job, o.response, math.NaN(), o.span)
		j.Phases, j.Tree = o.phases, o.tree
		for k, c := range o.classes {
			if c.tasks > 0 {
				stay := c.stay.over(c.tasks)
				j.Classes = append(j.Classes, Class{Kind(k), c.count, stay.Total(), c.demand.over(c.tasks), &stay})
			}
		}
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// newJobResult returns the result of a job without its parts. NaN is unknown.
func newJobResult(job *Job, response, off, span float64) JobResult {
	r := JobResult{
		Name: job.Name, Copies: job.Copies, Response: response, StandardError: units.Float(off),
		Span: units.Float(span), Classes: []Class{}, Phases: []Phase{},
	}
	if response > 0 {
		r.Throughput = float64(job.Copies) / response
	}
	return r
}

// centres returns the centres, with the utilisation of each server: demand over time.
func centres(s *Spec, nodes []group, all []outcome) []Centre {
	var most, mean vector // of a node's centres
	for i, g := range nodes {
		for k, servers := range s.servers() {
			busy := 0.0
			for _, o := range all {
				if o.response > 0 {
					busy += float64(o.job.Copies) * o.asked[i][k] / o.response
				}
			}
			busy /= float64(servers)
			most[k] = max(most[k], busy)
			mean[k] += busy * float64(g.nodes) / float64(s.Nodes)
		}
	}
	mean[Network] *= float64(s.Nodes)
	most[Network] = mean[Network]
	return CentresOf(s, most, mean)
}

// CentresOf returns the kinds of centre that are used, the busiest first, from the utilisation of the busiest and of
// the mean centre of each kind.
func CentresOf(s *Spec, most, mean [4]float64) []Centre {
	all := []Centre{}
	for k, servers := range s.servers() {
		count := s.Nodes
		if CentreKind(k) == Network {
			count = 1
		}
		if most[k] > 0 {
			all = append(all, Centre{CentreKind(k), count, servers, most[k], mean[k]})
		}
	}
	slices.SortStableFunc(all, func(a, b Centre) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
	return all
}
