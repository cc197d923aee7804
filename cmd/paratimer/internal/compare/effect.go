package compare

import "math"

// An Effect is why one run takes longer than another.
type Effect string

// The effects, in the order in which they are told. Data, Cost, Order and Skew split the work on the critical path;
// Failures, Load and Cluster are also what a replay without them says; the others are stretches of it in which no task
// works.
const (
	Data Effect = "data" // the tasks on the path had more records, as far as their phase had
	Cost Effect = "cost" // a record took longer
	// more records had to follow each other on the path though the phase had no more: rounds, another path
	Order    Effect = "order"
	Skew     Effect = "skew"     // a reduce that was given more than the others of its job, on the path
	Shuffle  Effect = "shuffle"  // reduces waited for their input to be copied
	Startup  Effect = "startup"  // tasks and application masters started
	Waiting  Effect = "waiting"  // nothing of the job held a container, or too few
	Failures Effect = "failures" // work was lost
	Load     Effect = "others"   // other applications held containers
	Cluster  Effect = "cluster"  // the cluster, or the limits of jobs on it, are others
	Plan     Effect = "plan"     // jobs that one of the runs does not have
	Rest     Effect = "rest"     // anything else, work of which records are not known included
)

// Effects are all of them, in order.
var Effects = []Effect{Data, Cost, Order, Skew, Shuffle, Startup, Waiting, Failures, Load, Cluster, Plan, Rest}

// Work is the effect of parts in which a task works, before they are split.
const Work Effect = "work"

// A load is the work of a phase on a critical path.
type load struct {
	ms      float64
	records float64 // that were read in it; NaN unknown
	all     float64 // records of the whole phase; NaN unknown
	cost    float64 // milliseconds a record: on the path, else of the phase; NaN unknown
}

// loadOf sums a phase's parts of the path that are work. A task that lies on the path in part is there with as large a
// part of its records.
func loadOf(p *Phase, parts []Part) load {
	l := load{all: p.sum(recordsOf), cost: p.Cost()}
	for _, part := range parts {
		l.ms += part.Length
		switch t := p.task(part.Task); {
		case t == nil:
			l.records = math.NaN()
		case t.Work > 0:
			l.records += min(part.Length/t.Work, 1) * t.Records
		default: // too short for its reports to tell it from its start-up
			l.records += t.Records
		}
	}
	if l.ms > 0 {
		l.cost = l.ms / l.records
	}
	return l
}

// split says by what the work of a phase on the path changed, in milliseconds. With n records on the path at c each,
//
//	Cost  = n(new) · Δc
//	Data  = Δn · c(old), as far as n grew or shrank with the records of the phase
//	Order = Δn · c(old) beyond that
//
// and so they add up. Twice the data on containers that were idle before lengthens nothing: Data is 0. Where records
// are not known, all of it is Rest.
func split(before, now load) map[Effect]float64 {
	cost := now.records * (now.cost - before.cost)
	grown := now.records - before.records
	data := within(grown, before.records*(now.all/before.all-1))
	out := map[Effect]float64{Data: data * before.cost, Cost: cost, Order: (grown - data) * before.cost}
	for _, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return map[Effect]float64{Rest: now.ms - before.ms}
		}
	}
	return out
}

// within is v, kept between 0 and limit. NaN stays NaN.
func within(v, limit float64) float64 {
	if math.IsNaN(v) || math.IsNaN(limit) {
		return math.NaN()
	}
	return max(min(v, max(limit, 0)), min(limit, 0))
}
