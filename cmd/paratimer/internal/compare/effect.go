package compare

import "math"

// An Effect is a reason why one run takes longer than another.
type Effect string

// The effects, in display order. Data, Cost, Order and Skew split the work on the critical path. Failures, Load and
// Cluster also include the difference to a replay without them. The others are parts of the path without work.
const (
	Data Effect = "data" // the tasks on the path had more records, in proportion to their phase
	Cost Effect = "cost" // more time per record
	// more records followed each other on the path than in proportion to the phase: rounds, another path
	Order    Effect = "order"
	Skew     Effect = "skew"     // a reduce on the path that received more than the others of its job
	Shuffle  Effect = "shuffle"  // reduces waited for their input to be copied
	Startup  Effect = "startup"  // tasks and application masters started
	Waiting  Effect = "waiting"  // the job had no container, or too few
	Failures Effect = "failures" // work was lost
	Load     Effect = "others"   // other applications held containers
	Cluster  Effect = "cluster"  // another cluster, or other limits of the jobs
	Plan     Effect = "plan"     // jobs that one of the runs does not have
	Rest     Effect = "rest"     // anything else, including work with unknown records
)

// Effects are all effects, in order.
var Effects = []Effect{Data, Cost, Order, Skew, Shuffle, Startup, Waiting, Failures, Load, Cluster, Plan, Rest}

// Work is the effect of parts in which a task works, before they are split.
const Work Effect = "work"

// A load is a phase's work on a critical path.
type load struct {
	ms      float64
	records float64 // records read in it; NaN unknown
	all     float64 // records of the whole phase; NaN unknown
	cost    float64 // milliseconds per record: on the path, else of the phase; NaN unknown
}

// loadOf sums a phase's work on the path. A task that is only partly on the path counts with the same fraction of
// its records.
func loadOf(p *Phase, parts []Part) load {
	l := load{all: p.sum(recordsOf), cost: p.Cost()}
	for _, part := range parts {
		l.ms += part.Length
		switch t := p.task(part.Task); {
		case t == nil:
			l.records = math.NaN()
		case t.Work > 0:
			l.records += min(part.Length/t.Work, 1) * t.Records
		default: // too short to separate work from start-up
			l.records += t.Records
		}
	}
	if l.ms > 0 {
		l.cost = l.ms / l.records
	}
	return l
}

// split divides the change of a phase's work on the path into effects, in milliseconds. With n records on the path
// at c each,
//
//	Cost  = n(new) · Δc
//	Data  = Δn · c(old), as far as n grew or shrank with the records of the phase
//	Order = Δn · c(old) beyond that
//
// so they add up. Twice the data on containers that were idle before adds nothing: Data is 0. If the records are
// unknown, the whole change counts as Rest.
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

// within clips v to the range between 0 and limit. NaN stays NaN.
func within(v, limit float64) float64 {
	if math.IsNaN(v) || math.IsNaN(limit) {
		return math.NaN()
	}
	return max(min(v, max(limit, 0)), min(limit, 0))
}
