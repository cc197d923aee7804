package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// loadSlots reads the snapshot of a cluster of numbered slots.
func (c *loader) loadSlots(graph *dag.Graph) {
	c.slots, c.slotsDiffer = newSlots(c.replay), true
	for i := range c.jobs {
		c.loadSlotJob(&c.jobs[i])
	}
	for k := range c.slots.pools {
		c.claimSlots(dag.StageIndex(k)) //nolint:gosec // maps or reduces
	}
	c.startRunning()
	c.slots.loaded = len(c.spans)
	for i := range c.jobs {
		if j := &c.jobs[i]; j.state == active {
			c.slots.submit(j)
		}
	}
	c.loadDriver(graph)
	c.at(c.now, rankEnd, func() {}) // the slots are granted after all events of this instant
}

func (c *loader) loadSlotJob(j *job) {
	js := &c.s.Jobs[j.index]
	c.first = dag.NoInstant
	for k := range j.stages {
		st := &j.stages[k]
		st.pool = &c.slots.pools[k].pool
		if c.loadStage(st); js.State.Ended() { // unfinished tasks stay undone
			st.done, st.pending, st.retry, st.waiting = st.total, nil, nil, 0
		}
		c.slots.tasks += st.waiting + len(st.retry)
		j.left += st.left()
	}
	if j.submitted = js.Submitted; !j.submitted.Known() {
		j.submitted = c.first
	}
	switch {
	case js.State.Ended():
		j.state = ended
		if j.finished = js.Finished; !j.finished.Known() {
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
	maps, reduces := &j.stages[dag.Map], &j.stages[dag.Reduce]
	reduces.edges = []dag.Edge{{From: dag.Map, Kind: dag.Barrier}}
	if reduces.closed = maps.left() > 0; reduces.closed {
		reduces.waiting = 0
	}
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

// addPast adds an attempt that succeeded to the schedule, if it includes the past. A start that is unknown or after
// the end becomes the end.
func (c *loader) addPast(st *stage, a *dag.Attempt, end dag.Instant) {
	if c.opt.FutureOnly || c.opt.EndOnly != nil {
		return
	}
	start, slot := a.Start, a.Slot
	if !start.Known() || start > end {
		start = end
	}
	if int(slot) >= c.slots.pools[st.k].count {
		slot = -1
	}
	if n := len(c.pastSlots); n > 0 {
		sp := &c.spans[len(c.spans)-1]
		if sp.First+sp.Count == a.Task && sp.Start == start && sp.End == end && sp.Attempt == a.Number &&
			slot > c.pastSlots[n-1] {
			sp.Count++
			c.pastSlots = append(c.pastSlots, slot)
			return
		}
	}
	c.endPast(st)
	c.pastSlots = append(c.pastSlots, slot)
	sp := st.span(a.Task, a.Number, c.pastSlots, start)
	sp.Past, sp.End = true, end
	c.spans = append(c.spans, sp)
}

// endPast sets the slots of the last span of the past.
func (c *loader) endPast(st *stage) {
	if len(c.pastSlots) > 0 {
		c.spans[len(c.spans)-1].Slots = slices.Clone(c.pastSlots)
		c.pastSlots = c.pastSlots[:0]
	}
}

// A runningTask is an attempt that runs in a slot.
type runningTask struct {
	stage     *stage
	attempt   *dag.Attempt
	slot      int32
	start     dag.Instant
	cost      Cost
	duplicate bool // another attempt of the task ends earlier, and ends this one
}

// addRunning adds the running attempts of a task. If there are several, the one with the least remaining time
// decides the end, and the others keep their slots as long. A task that is not in the plan counts while it runs.
func (c *loader) addRunning(st *stage, attempts []dag.Attempt) {
	from := len(c.running)
	best := from
	for i := range attempts {
		a := &attempts[i]
		if a.State != dag.AttemptRunning {
			continue
		}
		x := runningTask{stage: st, attempt: a, slot: a.Slot, start: c.startOf(a), duplicate: true}
		t := st.task(a.Task, a.Number, a.Slot, int(a.Node))
		t.Running, t.Start = a, x.start
		x.cost = c.left(t)
		c.running = append(c.running, x)
		if b := c.running[best].cost; x.cost.Setup+x.cost.Work < b.Setup+b.Work {
			best = len(c.running) - 1
		}
	}
	if best == len(c.running) {
		return
	}
	if int(attempts[0].Task) >= st.total {
		st.total++
	}
	c.running[best].duplicate = false
	for i := range c.running[from:] {
		c.running[from+i].cost = c.running[best].cost
	}
}

// claimSlots assigns each running attempt a slot of a pool. If its own is unknown, taken or out of range, it gets
// the lowest free slot. If none is free, it gets a slot beyond the cluster's, which no later task uses.
func (c *loader) claimSlots(k dag.StageIndex) {
	p := &c.slots.pools[k]
	var others []*runningTask
	for i := range c.running {
		switch x := &c.running[i]; {
		case x.stage.k != k:
		case x.slot >= 0 && int(x.slot) < p.count && p.slots.has(x.slot):
			p.slots.takeOne(x.slot)
		default:
			others = append(others, x)
		}
	}
	for _, x := range others {
		if p.slots.n == 0 {
			x.slot = p.slots.add()
			continue
		}
		x.slot = p.slots.first()
		p.slots.takeOne(x.slot)
	}
}

// startRunning starts the running attempts. Consecutive tasks that end together share one span.
func (c *loader) startRunning() {
	for from := 0; from < len(c.running); {
		x := &c.running[from]
		slots := []int32{x.slot}
		for from++; from < len(c.running) && c.joins(x, &c.running[from-1], &c.running[from]); from++ {
			slots = append(slots, c.running[from].slot)
		}
		st := x.stage
		st.granted += len(slots)
		sp := st.span(x.attempt.Task, x.attempt.Number, slots, x.start)
		switch {
		case !x.duplicate:
			c.begin(st, sp, x.cost, x.attempt)
			continue
		case c.lacksInput(st, x.attempt):
			sp.Outcome = Fails
			c.copyLater(st, &sp, x.cost, endOfSlots)
			continue
		}
		sp.Outcome, sp.End = Fails, c.after(c.now, x.cost)
		c.end = max(c.end, sp.End)
		c.events.push(event{sp.End, int32(c.addSpan(&sp)), endOfSlots}) //nolint:gosec // an index
	}
}

// joins reports whether task b, after last, can be in one span with task a and the tasks between them.
func (c *loader) joins(a, last, b *runningTask) bool {
	return c.opt.Fault == nil && a.stage == b.stage && b.attempt.Task == last.attempt.Task+1 &&
		a.attempt.Number == b.attempt.Number && !a.duplicate && !b.duplicate && a.start == b.start &&
		b.slot > last.slot && int(b.slot) < c.slots.pools[a.stage.k].count && !c.lacksInput(a.stage, a.attempt) &&
		c.after(0, a.cost) == c.after(0, b.cost)
}
