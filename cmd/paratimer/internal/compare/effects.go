package compare

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

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

// differ splits the difference in length by job and by effect.
func (c *Comparison) differ() {
	if c.base < 0 || !c.Runs[c.subject].Succeeded() {
		return
	}
	before, now := c.Runs[c.base], c.Runs[c.subject]
	c.Total = now.Length - before.Length
	if before.Path == nil || now.Path == nil {
		return
	}
	c.Effects = map[Effect]float64{}
	for i := range c.Jobs {
		row := &c.Jobs[i]
		b, n := row.index[c.base], row.index[c.subject]
		row.BeforeSeconds, row.OnPathSeconds = seconds(before.onPath(b)), seconds(now.onPath(n))
		row.effects = change(before, now, b, n)
		add(c.Effects, row.effects, 1)
	}
	add(c.Effects, now.on(-1, 0).effects, 1)
	add(c.Effects, before.on(-1, 0).effects, -1)
	c.Effects[Rest] += c.Total - sum(c.Effects)
	c.strike()
	path, base := c.onPath(c.subject), c.onPath(c.base)
	without := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(node string) bool { return slices.Contains(others, node) })
	}
	c.CriticalPath = Path{Before: base, Now: path, Came: without(path, base), Left: without(base, path)}
}

// change splits what a job took longer on the path by effect; its index is -1 in a run that does not have it.
func change(before, now *Run, b, n int) map[Effect]float64 {
	out := map[Effect]float64{}
	if b < 0 || n < 0 {
		if n >= 0 {
			out[Plan] = now.onPath(n)
		}
		if b >= 0 {
			out[Plan] = -before.onPath(b)
		}
		return out
	}
	phases := slices.Concat(now.Jobs[n].Phases, before.Jobs[b].Phases)
	for _, name := range frame.Once(units.Each(phases, func(p Phase) string { return p.Name })) {
		k, l := before.Jobs[b].Stage(name), now.Jobs[n].Stage(name)
		was, is := before.on(b, k), now.on(n, l)
		if k < 0 || l < 0 { // one of the runs does not have the stage
			out[Plan] += is.ms + sum(is.effects) - was.ms - sum(was.effects)
			continue
		}
		add(out, split(was, is), 1)
		add(out, is.effects, 1)
		add(out, was.effects, -1)
	}
	return out
}

func add(to, effects map[Effect]float64, times float64) {
	for e, ms := range effects {
		to[e] += times * ms
	}
}

func sum(effects map[Effect]float64) (total float64) {
	for _, e := range Effects {
		total += effects[e]
	}
	return total
}

// split divides the change of a phase's work on the path into effects, in milliseconds. With n records on the path
// at c each,
//
//	Cost  = n(new) · Δc
//	Data  = Δn · c(old), as far as n grew or shrank with the records of the phase
//	Order = Δn · c(old) beyond that, and Skew the part of it that is due to a larger longest reduce
//
// so they add up. Twice the data on containers that were idle before adds nothing: Data is 0. If the records are
// unknown, the whole change counts as Rest.
func split(before, now load) map[Effect]float64 {
	cost := now.records * (now.cost - before.cost)
	grown := now.records - before.records
	data := within(grown, before.records*(now.all/before.all-1))
	order := (grown - data) * before.cost
	skew := within(now.skew-before.skew, order)
	out := map[Effect]float64{Data: data * before.cost, Cost: cost, Order: order - skew, Skew: skew}
	if v := sum(out); math.IsNaN(v) || math.IsInf(v, 0) {
		return map[Effect]float64{Rest: now.ms - before.ms}
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

// placed are the effects in which failures, other applications and another cluster appear if the critical path does
// not go through the failed tasks: tasks run in another order, and wait.
var placed = [...]Effect{Order, Shuffle, Startup, Waiting}

// othersMatter is the least change of the others' fraction of the cluster that is considered.
const othersMatter = 0.02

// strike computes what failures, other applications and another cluster added to the difference. A replay of a run
// has no other applications, and can omit failures. The time that the run took beyond the replay is due to them,
// minus the same excess of the base. That time is moved from the placed effects, at most as much as they have, so
// the effects still add up.
func (c *Comparison) strike() {
	before, now := c.Runs[c.base], c.Runs[c.subject]
	was, is := &before.Circumstances, &now.Circumstances
	failed := was.Struck() || is.Struck()
	others := math.Abs(float64(is.Others-was.Others)) > othersMatter
	elsewhere := c.onBase()
	if now.past == nil || before.past == nil || !failed && !others && elsewhere == nil {
		return
	}
	alone, base := now.replayed(false, now.past.Before), before.replayed(false, before.past.Before)
	if elsewhere != nil {
		c.displace(Cluster, alone-now.replayed(false, dag.Run{}.Append(elsewhere)))
	}
	missed := (now.Length - alone) - (before.Length - base)
	lost := 0.0
	switch {
	case failed && others: // the excess is not the failures' alone
		lost = (now.replayed(true, now.past.Before) - alone) - (before.replayed(true, before.past.Before) - base)
	case failed:
		lost = missed
	}
	if failed {
		c.displace(Failures, sided(lost, is.Struck(), was.Struck())-c.Effects[Failures])
	}
	if others {
		c.displace(Load, sided(missed-lost, is.Others > was.Others, is.Others < was.Others))
	}
}

// sided clips v: a failure of this run alone cannot shorten it, one of the base alone cannot lengthen it.
func sided(v float64, now, before bool) float64 {
	switch {
	case !before:
		return max(v, 0)
	case !now:
		return min(v, 0)
	}
	return v
}

// displace moves an amount from the placed effects of the same sign to another effect: the same fraction of each,
// in every job. NaN moves nothing.
func (c *Comparison) displace(to Effect, amount float64) {
	there := 0.0
	for _, e := range placed {
		if v := c.Effects[e]; v*amount > 0 {
			there += v
		}
	}
	if there == 0 || math.IsNaN(amount) {
		return
	}
	for _, e := range placed {
		if c.Effects[e]*amount <= 0 {
			continue
		}
		moved := []map[Effect]float64{c.Effects}
		for i := range c.Jobs {
			moved = append(moved, c.Jobs[i].effects)
		}
		for _, effects := range moved {
			if v := effects[e] * min(amount/there, 1); v != 0 {
				effects[e] -= v
				effects[to] += v
			}
		}
	}
}

// replayed returns the length of a replay of the run from its beginning in milliseconds: without other applications,
// and without failures unless failing. It is NaN if the run cannot be replayed.
func (r *Run) replayed(failing bool, begin dag.Run) float64 {
	past := *r.past
	past.Before = begin
	replay, err := whatif.NewReplayOf(past, r.model)
	if err != nil {
		return math.NaN()
	}
	end, err := replay.End(whatif.Change{Unfailing: !failing})
	if err != nil {
		return math.NaN()
	}
	// The replay corrects its answer by its error on the run. Here the uncorrected time is needed.
	return float64(end.Milliseconds()) * (1 + replay.Miss())
}

// onBase returns the beginning of the run on the base's cluster, its jobs with the base's limits. It is nil if they are
// alike, or if the run cannot be replayed.
func (c *Comparison) onBase() *dag.Snapshot {
	before, now := c.Runs[c.base], c.Runs[c.subject]
	if now.past == nil {
		return nil
	}
	s := *now.past.Before.Now()
	plan := *s.Plan
	plan.Jobs = slices.Clone(plan.Jobs)
	alike := sameCluster(&before.Circumstances.Cluster, &now.Circumstances.Cluster)
	if !alike {
		plan.Cluster, s.Nodes = before.Circumstances.Cluster, nil
		plan.Cluster.Setup = s.Plan.Cluster.Setup // belongs to the tasks, not to the cluster
	}
	for i := range c.Jobs {
		b, n := c.Jobs[i].index[c.base], c.Jobs[i].index[c.subject]
		if b < 0 || n < 0 || sameLimits(&before.Plan.Jobs[b], &now.Plan.Jobs[n]) {
			continue
		}
		alike = false
		for j := range plan.Jobs {
			if job := &plan.Jobs[j]; job.Node == now.Plan.Jobs[n].Node {
				job.MasterMB, job.MapReduce = before.Plan.Jobs[b].MasterMB, before.Plan.Jobs[b].MapReduce
			}
		}
	}
	if s.Plan = &plan; alike {
		return nil
	}
	return &s
}

// sameCluster reports whether two clusters have room for the same number of tasks, as far as both are known.
func sameCluster(a, b *dag.Cluster) bool {
	switch {
	case a.Policy != b.Policy:
		return false
	case a.Policy == dag.FIFO:
		return a.MapSlots == b.MapSlots && a.ReduceSlots == b.ReduceSlots
	case a.Policy == dag.Executors:
		return a.Cores == b.Cores
	case a.MemoryMB == 0 || b.MemoryMB == 0:
		return true
	}
	return a.MemoryMB == b.MemoryMB && a.UsableMB() == b.UsableMB()
}

// sameLimits reports whether two jobs request similar containers at similar times, as far as both are known.
func sameLimits(a, b *dag.Job) bool {
	known := a.MapReduce.MapMB > 0 && b.MapReduce.MapMB > 0
	return !known || a.MasterMB == b.MasterMB && a.MapReduce == b.MapReduce
}
