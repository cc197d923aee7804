package queueing

import "fmt"

// A Result is the prediction of a model for a Spec. Times are in seconds.
type Result struct {
	Model   Model
	Jobs    []JobResult // in the order of the Spec
	Centres []Centre    // each node group's CPU, fibre and disk, then the network
	// Bottleneck is the index in Centres of the busiest centre.
	Bottleneck int

	Fixpoint
	Warnings []Warning
}

// A Fixpoint describes how the iteration over residence times and timelines ended.
type Fixpoint struct {
	Iterations int
	Converged  bool
	// Residual is the largest change of a residence time in the last iteration, in seconds.
	Residual float64
}

// A JobResult is the prediction for one class of jobs.
type JobResult struct {
	Name string
	// Response is the mean time from a job's start to its end.
	Response float64
	// Throughput is the number of its copies that end per second: Copies/Response, if a new copy starts when one
	// ends.
	Throughput float64
	// Span is the length of the timeline of mean residence times, without an allowance for the slowest of parallel
	// tasks.
	Span    float64
	Classes []Class // map, then shuffle and merge if the job has reduces
	Phases  []Phase
	Tree    *Tree // nil for Product, which does not use it
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
	Kind  Kind
	Tasks int
	// Demand is the service demand of one task in the model. For a shuffle it is the mean over maps on the reduce's
	// node and on other nodes.
	Demand Demand
	// Residence is the time that one task spends at each kind of centre, in service or in queue. Its Total is the
	// task's duration.
	Residence Demand
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

// A Centre is a centre of a node, or the equal centres of several nodes with the same tasks.
type Centre struct {
	Kind    CentreKind
	Node    int // the first node with this centre, from 0; -1 for the network
	Nodes   int // number of nodes that it represents; 1 for the network
	Servers int
	// Utilisation of each server over the time of the jobs, from 0 to 1.
	Utilisation float64
}

// A Phase is a part of a job's timeline between two wake-ups of blocked reduces (§3.4), or several consecutive phases
// of equal length: a long job has thousands.
type Phase struct {
	Start, End float64
	Count      int
}

// An outcome is what a model finds for a job.
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
	r := &Result{}
	r.measure(s, nodes, all)
	if c := r.Centres[r.Bottleneck]; c.Utilisation > 1 {
		r.Warnings = append(r.Warnings, Warning{"saturated", fmt.Sprintf(
			"the model would have the %s busy for %.3g of the time: the response is what its work takes", c.Kind,
			c.Utilisation)})
		for i := range all {
			all[i].response *= c.Utilisation
		}
		r.measure(s, nodes, all)
	}
	for _, o := range all {
		j := JobResult{Name: o.job.Name, Response: o.response, Span: o.span, Phases: o.phases, Tree: o.tree}
		if o.response > 0 {
			j.Throughput = float64(o.job.Copies) / o.response
		}
		for k, c := range o.classes {
			if c.tasks > 0 {
				j.Classes = append(j.Classes, Class{Kind(k), c.count, c.demand.over(c.tasks), c.stay.over(c.tasks)})
			}
		}
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// measure sets the centres, with the utilisation of each server: demand over time.
func (r *Result) measure(s *Spec, nodes []group, all []outcome) {
	r.Centres = nil
	network := 0.0
	for i, g := range nodes {
		var busy vector // seconds a second, on one node
		for _, o := range all {
			for k := range busy {
				if o.response > 0 {
					busy[k] += float64(o.job.Copies) * o.asked[i][k] / o.response
				}
			}
		}
		network += float64(g.nodes) * busy[Network]
		for k := CPU; k <= Disk; k++ {
			n := s.servers()[k]
			r.Centres = append(r.Centres, Centre{k, g.first, g.nodes, n, busy[k] / float64(n)})
		}
	}
	r.Centres = append(r.Centres, Centre{Network, -1, 1, 1, network})
	for i := range r.Centres {
		if r.Centres[i].Utilisation > r.Centres[r.Bottleneck].Utilisation {
			r.Bottleneck = i
		}
	}
}
