package compare

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// differ splits the difference in length by job and by effect.
func (c *Comparison) differ() {
	for i := range c.Jobs {
		c.Jobs[i].change = Change{Before: math.NaN(), Now: math.NaN()}
	}
	if c.base < 0 || !c.Runs[c.subject].Succeeded() {
		return
	}
	before, now := c.Runs[c.base], c.Runs[c.subject]
	c.Total = now.Length - before.Length
	if before.Path == nil || now.Path == nil {
		return
	}
	c.Effects = make(map[Effect]float64)
	explained := 0.0
	for i := range c.Jobs {
		b, n := c.Jobs[i].index[c.base], c.Jobs[i].index[c.subject]
		c.Jobs[i].change = change(before, now, b, n)
		for _, e := range Effects {
			c.Effects[e] += c.Jobs[i].change.Effects[e]
			explained += c.Jobs[i].change.Effects[e]
		}
	}
	was, is := before.partsOf(-1, 0), now.partsOf(-1, 0) // parts that belong to no job
	for _, e := range Effects {
		outside := length(is[e]) - length(was[e])
		c.Effects[e] += outside
		explained += outside
	}
	c.Effects[Rest] += c.Total - explained
	c.strike()
	c.path()
}

// change compares a job in two runs; its index is -1 in a run that does not have it.
func change(before, now *Run, b, n int) Change {
	ch := Change{Before: before.onPath(b), Now: now.onPath(n), Effects: make(map[Effect]float64)}
	if b < 0 || n < 0 {
		if n >= 0 {
			ch.Effects[Plan] = ch.Now
		}
		if b >= 0 {
			ch.Effects[Plan] = -ch.Before
		}
		return ch
	}
	for _, name := range stages(&now.Jobs[n], &before.Jobs[b]) {
		k, l := before.Jobs[b].Stage(name), now.Jobs[n].Stage(name)
		was, is := before.partsOf(b, k), now.partsOf(n, l)
		if k < 0 || l < 0 { // one of the runs does not have the stage
			for _, e := range append(slices.Clone(Effects), Work) {
				ch.Effects[Plan] += length(is[e]) - length(was[e])
			}
			continue
		}
		work := split(loadOf(&before.Jobs[b].Phases[k], was[Work]), loadOf(&now.Jobs[n].Phases[l], is[Work]))
		skew := skewed(work[Order], is[Work], was[Work])
		work[Order], work[Skew] = work[Order]-skew, skew
		for e, ms := range work {
			ch.Effects[e] += ms
		}
		for _, e := range Effects {
			ch.Effects[e] += length(is[e]) - length(was[e])
		}
	}
	return ch
}

// stages returns the names of the first job's stages, then of those that only the second has.
func stages(first, second *Job) (names []string) {
	for _, p := range slices.Concat(first.Phases, second.Phases) {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// skewed returns the part of Order that is due to a larger longest reduce.
func skewed(order float64, now, before []Part) float64 {
	isSkew := func(parts []Part) []Part {
		return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !p.Skew })
	}
	return within(length(isSkew(now))-length(isSkew(before)), order)
}

// onPath returns a job's milliseconds on the path; NaN if the run does not have the job.
func (r *Run) onPath(job int) float64 {
	if job < 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range r.Path {
		if p.Job == job {
			sum += p.Length
		}
	}
	return sum
}

// partsOf returns a phase's parts of the path by effect.
func (r *Run) partsOf(job int, k dag.StageIndex) map[Effect][]Part {
	out := make(map[Effect][]Part)
	for _, p := range r.Path {
		if p.Job == job && p.Phase == k {
			out[p.Effect] = append(out[p.Effect], p)
		}
	}
	return out
}

func length(parts []Part) float64 {
	sum := 0.0
	for _, p := range parts {
		sum += p.Length
	}
	return sum
}

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
