package compare

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/whatif"
)

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
	on, limits := c.elsewhere()
	if !failed && !others && on == nil && limits == nil {
		return
	}
	alone, base := now.replayed(false, nil, nil), before.replayed(false, nil, nil)
	if on != nil || limits != nil {
		c.displace(Cluster, alone-now.replayed(false, on, limits))
	}
	missed := (now.Length - alone) - (before.Length - base)
	lost := 0.0
	switch {
	case failed && others: // the excess is not the failures' alone
		lost = (now.replayed(true, nil, nil) - alone) - (before.replayed(true, nil, nil) - base)
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

// elsewhere returns the base's cluster if it differs from the run's, and the base's jobs with different limits, by
// the run's nodes.
func (c *Comparison) elsewhere() (on *dag.Cluster, limits map[string]*dag.Job) {
	before, now := c.Runs[c.base], c.Runs[c.subject]
	was, is := &before.Circumstances.Cluster, &now.Circumstances.Cluster
	if !sameCluster(was, is) {
		on = was
	}
	for i := range c.Jobs {
		b, n := c.Jobs[i].index[c.base], c.Jobs[i].index[c.subject]
		if b < 0 || n < 0 || sameLimits(&before.Plan.Jobs[b], &now.Plan.Jobs[n]) {
			continue
		}
		if limits == nil {
			limits = make(map[string]*dag.Job)
		}
		limits[now.Plan.Jobs[n].Node] = &before.Plan.Jobs[b]
	}
	return on, limits
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
	return a.MemoryMB == b.MemoryMB && usable(a) == usable(b)
}

// usable returns the memory that our queue may use.
func usable(c *dag.Cluster) int {
	if c.QueueMB > 0 {
		return min(c.QueueMB, c.MemoryMB)
	}
	return c.MemoryMB
}

// sameLimits reports whether two jobs request similar containers at similar times, as far as both are known.
func sameLimits(a, b *dag.Job) bool {
	known := a.MapReduce.MapMB > 0 && b.MapReduce.MapMB > 0
	return !known || a.MasterMB == b.MasterMB && a.MapReduce == b.MapReduce
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
	part := min(amount/there, 1)
	for _, e := range placed {
		if c.Effects[e]*amount <= 0 {
			continue
		}
		move(c.Effects, e, to, part)
		for i := range c.Jobs {
			move(c.Jobs[i].change.Effects, e, to, part)
		}
	}
}

func move(effects map[Effect]float64, from, to Effect, part float64) {
	if effects == nil {
		return
	}
	v := effects[from] * part
	effects[from] -= v
	effects[to] += v
}

// Remember stores what is needed to replay a run that succeeded: without its failures, alone, on another cluster.
func (r *Run) Remember(run dag.Run, model estimators.Model) {
	if past, ok := whatif.Again(run); ok && r.Succeeded() {
		r.past, r.model = &past, model
	}
}

// replayed returns the length of a replay of the run in milliseconds: without other applications, without failures
// unless failing, and, if given, on another cluster and with the limits of other jobs (by node). It is NaN if the
// run cannot be replayed.
func (r *Run) replayed(failing bool, on *dag.Cluster, limits map[string]*dag.Job) float64 {
	if r.past == nil {
		return math.NaN()
	}
	past := *r.past
	if on != nil || limits != nil {
		past.Before = changedTo(past.Before.Now(), on, limits)
	}
	replay, err := whatif.NewReplayOf(past, r.model)
	if err != nil {
		return math.NaN()
	}
	told, err := replay.End(whatif.Change{Unfailing: !failing})
	if err != nil {
		return math.NaN()
	}
	// The replay corrects its answer by its error on the run. Here the uncorrected time is needed.
	return float64(told.Milliseconds()) * (1 + replay.Miss())
}

func changedTo(s *dag.Snapshot, on *dag.Cluster, limits map[string]*dag.Job) dag.Run {
	out, plan := *s, *s.Plan
	if on != nil {
		setup := plan.Cluster.Setup // belongs to the tasks, not to the cluster
		plan.Cluster, out.Nodes = *on, nil
		plan.Cluster.Setup = setup
	}
	plan.Jobs = slices.Clone(plan.Jobs)
	for j := range plan.Jobs {
		if l, ok := limits[plan.Jobs[j].Node]; ok {
			plan.Jobs[j].MasterMB, plan.Jobs[j].MapReduce = l.MasterMB, l.MapReduce
		}
	}
	out.Plan = &plan
	return dag.Run{}.Append(&out)
}
