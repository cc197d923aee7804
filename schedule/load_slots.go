package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// loadSlots reads the snapshot of a cluster of numbered slots.
func (c *loader) loadSlots(graph *dag.Graph) error {
	for i := range c.plan.Jobs {
		if job := &c.plan.Jobs[i]; !job.IsMapReduce() {
			return &StuckError{
				Job: job.Node, Stage: c.plan.StageName(i, 0), Why: "the cluster has slots for maps and reduces alone",
			}
		}
	}
	c.slots, c.slotsDiffer = newSlots(c.scheduler), true
	for i := range c.jobs {
		c.loadSlotJob(&c.jobs[i])
	}
	c.claimSlots()
	c.drainSlots()
	c.startRunning()
	c.slots.loaded = len(c.spans)
	for i := range c.jobs {
		if j := &c.jobs[i]; j.state == active {
			c.slots.submit(j)
		}
	}
	c.loadDriver(graph)
	c.at(c.now, rankEnd, func() {}) // the slots are granted after all events of this instant
	return nil
}

func (c *loader) loadSlotJob(j *job) {
	js, over := &c.s.Jobs[j.index], c.s.Jobs[j.index].State.Ended()
	for k := range j.stages {
		j.stages[k].pool = &c.slots.pools[k].pool
	}
	c.first = dag.NoInstant
	c.loadStages(j)
	if j.submitted = js.Submitted; !j.submitted.Known() {
		j.submitted = c.first
	}
	switch {
	case over: // unfinished tasks stay undone
		j.left, j.state, j.finished = 0, ended, js.Finished
		if !j.finished.Known() {
			j.finished = j.lastEnd
		}
		if !j.finished.Known() {
			j.finished = c.now
		}
	case j.submitted.Known() && j.left == 0 && j.lastEnd.Known():
		j.state, j.finished = ended, j.lastEnd
	case j.submitted.Known():
		j.state = active
	}
	for k := range j.stages {
		st := &j.stages[k]
		if over {
			st.done, st.pending, st.retry, st.waiting = st.total, nil, nil, 0
		}
		c.slots.tasks += st.waiting + len(st.retry)
	}
	maps, reduces := &j.stages[dag.Map], &j.stages[dag.Reduce]
	reduces.edges = []dag.Edge{{From: dag.Map, Kind: dag.Barrier}}
	reduces.closed = maps.left() > 0
}

// startOf returns the start of an attempt. With fixed slots, an unknown or future start counts as now.
func (c *loader) startOf(a *dag.Attempt) dag.Instant {
	if c.fixedSlots && (!a.Start.Known() || a.Start > c.now) {
		return c.now
	}
	return a.Start
}

// sorted returns the attempts ordered by task, then number.
func sorted(attempts []dag.Attempt) []dag.Attempt {
	byTask := func(a, b dag.Attempt) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
	}
	if !slices.IsSortedFunc(attempts, byTask) {
		attempts = slices.Clone(attempts)
		slices.SortStableFunc(attempts, byTask)
	}
	return attempts
}

// nodeOf returns the node of an attempt, -1 if that is unknown.
func (f *slots) nodeOf(a *dag.Attempt) int32 {
	if a.Node < 0 && a.Slot >= 0 {
		return a.Slot / f.perNode
	}
	return max(a.Node, -1)
}

// claimSlots assigns each running attempt a slot. If its own is unknown, taken or out of range, it gets the lowest
// free slot. If none is free, it gets a slot beyond the cluster's, which no later task uses.
func (c *loader) claimSlots() {
	var others []*runningTask
	for i := range c.running {
		x := &c.running[i]
		if p := x.stage.pool; x.slot >= 0 && int(x.slot) < p.count && p.slots.Has(x.slot) {
			p.slots.TakeOne(x.slot)
		} else {
			others = append(others, x)
		}
	}
	for _, x := range others {
		if free := &x.stage.pool.slots; free.Len() > 0 {
			x.slot = free.Take(1)[0]
		} else {
			x.slot = free.Add()
		}
	}
}

// drained is how long nodes drain. Tasks that have failed on all other nodes wait for them, so that they run at last.
const drained = 100 * 365 * 24 * time.Hour

// drainSlots takes the free slots of draining nodes.
func (c *loader) drainSlots() {
	for k := range c.slots.pools {
		p, taken := &c.slots.pools[k], []int32(nil)
		for n := range c.s.Nodes {
			first := int32(n) * c.slots.perNode //nolint:gosec // an index
			for slot := first; slot < first+c.slots.perNode && c.slots.drains(slot) && int(slot) < p.count; slot++ {
				if p.slots.Has(slot) {
					taken = append(taken, p.slots.TakeOne(slot)...)
				}
			}
		}
		if len(taken) > 0 {
			c.at(c.now.Add(drained), rankEnd, func() { p.slots.Release(taken) })
		}
	}
}
