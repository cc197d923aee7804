package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// slots are the map slots and the reduce slots of Hadoop 0.20 and its FIFO scheduler, as the ParaTimer paper
// assumes them (section 3.1; facts/paratimer.md A1, A7, P2 to P6). Each slot has a number and a node. A job is
// submitted when all jobs before it are complete. Each free slot takes the first task that may run by (submission,
// plan position, task index), or by the plan's Order before these; the reduces of a job may run once its last map
// has ended. A slot skips the tasks that have failed on its node. Draining nodes get no new tasks.
//
// The cost of a replay depends on spans, not on tasks: n log n in the number of different ends and in jobs.
type slots struct {
	*scheduler
	pools     [2]slotPool
	perNode   int32 // number of slots of a pool on a node
	moves     bool  // the order of stages changes while tasks start or end
	byRunning bool  // it changes with each task that starts
	// Of the tasks that waited when the replay began, began have started, in the spans after the first loaded ones.
	began, tasks, loaded int
}

// A slotPool is the slots for maps or for reduces.
type slotPool struct {
	pool
	nodes int32    // number of nodes that have slots
	queue []*stage // stages with tasks that may run, in the order in which they are served
}

// roomForSlots bounds the number of slots with lists beyond the number of tasks. Slots are taken in ascending
// order, so the others are never used.
const roomForSlots = 1 << 20

// newSlots returns the free slots of the cluster.
func newSlots(c *scheduler) slots {
	of := &c.plan.Cluster
	f := slots{scheduler: c, perNode: int32(max(1, of.SlotsPerNode))} //nolint:gosec // Validate bounds it
	f.byRunning = slices.Contains(of.Order, dag.ByRunning)
	f.moves = f.byRunning || slices.Contains(of.Order, dag.ByRemaining)
	tasks := 0
	for i := range c.plan.Jobs {
		tasks += c.plan.Jobs[i].Tasks()
	}
	for k, n := range [...]int{of.MapSlots, of.ReduceSlots} {
		p := &f.pools[k]
		p.count = min(max(0, n), tasks+roomForSlots)
		p.slots = newFreeSlots(p.count)
		p.nodes = (int32(max(0, n)) + f.perNode - 1) / f.perNode //nolint:gosec // Validate bounds it
	}
	return f
}

// submit accepts a job from the driver.
func (f *slots) submit(j *job) {
	if j.state = active; j.left == 0 {
		f.at(f.now, rankEnd, func() { j.finish(f.scheduler) })
	}
	for k := range j.stages {
		if st := &j.stages[k]; !st.closed {
			f.enqueue(st)
		}
	}
}

// failed puts the task of a failed span back to its place in the queue.
func (f *slots) failed(st *stage, sp *Span) {
	f.failedOn(st, sp.First, sp.Slots[0]/f.perNode)
	if i, found := slices.BinarySearch(st.retry, sp.First); !found {
		st.retry = slices.Insert(st.retry, i, sp.First)
	}
	if !st.closed {
		f.enqueue(st)
	}
}

// failedOn records that a task has failed on a node; -1 is no node.
func (f *slots) failedOn(st *stage, task, node int32) {
	if st.failedOn == nil {
		st.failedOn = map[int32][]int32{}
	}
	nodes := st.failedOn[task]
	if i, found := slices.BinarySearch(nodes, node); node >= 0 && !found {
		st.failedOn[task] = slices.Insert(slices.Clip(nodes), i, node)
	}
}

// drains reports whether a slot's node gets no new tasks.
func (f *slots) drains(slot int32) bool {
	n := int(slot / f.perNode)
	return n < len(f.s.Nodes) && f.s.Nodes[n].Draining && f.now < f.s.At.Add(drained)
}

// enqueue adds a stage to its queue unless it is there or has nothing to run.
func (f *slots) enqueue(st *stage) {
	if len(st.pending) == 0 && len(st.retry) == 0 {
		return
	}
	q := &f.pools[st.k].queue
	f.reorder(*q)
	if i, found := slices.BinarySearchFunc(*q, st, f.compare); !found {
		*q = slices.Insert(*q, i, st)
	}
}

// reorder sorts a queue if its order may have changed.
func (f *slots) reorder(q []*stage) {
	if f.moves {
		slices.SortFunc(q, f.compare)
	}
}

// compare orders stages of one pool by the plan's keys for their jobs, then by (submission, plan position).
func (f *slots) compare(a, b *stage) int {
	if len(f.plan.Cluster.Order) > 0 {
		if c := f.byKeys(a.job, b.job, func(j *job) int { return j.stages[a.k].granted }); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.job.submitted, b.job.submitted), cmp.Compare(a.job.index, b.job.index))
}

// grant gives free slots to tasks (facts/paratimer.md A1, rule 2): to several at once if they fit any slot and
// have one cost, else slot by slot.
func (f *slots) grant() {
	for k := range f.pools {
		p := &f.pools[k]
		for slot := p.slots.first(); slot >= 0 && len(p.queue) > 0; {
			f.reorder(p.queue)
			if n := p.queue[0].suitAny(); n > 0 {
				f.start(p.queue[0], min(n, p.slots.len()), slot)
				slot = p.slots.first()
				continue
			}
			f.grantSlot(p, slot)
			if slot = p.slots.after(slot); len(p.queue) > 0 && p.queue[0].suitAny() > 0 {
				slot = p.slots.first()
			}
		}
	}
}

// suitAny returns how many pending tasks come before any that is to run again: they fit any slot.
func (st *stage) suitAny() int {
	if len(st.pending) == 0 {
		return 0
	}
	p := st.pending[0]
	if len(st.retry) > 0 {
		return int(min(p[1], max(st.retry[0], p[0])) - p[0])
	}
	return int(p[1] - p[0])
}

// grantSlot gives a slot to the first task that has not failed on its node.
func (f *slots) grantSlot(p *slotPool, slot int32) {
	for _, st := range p.queue {
		i := f.firstRetry(st, slot/f.perNode)
		if i >= 0 && (len(st.pending) == 0 || st.retry[i] < st.pending[0][0]) {
			task := st.retry[i]
			t := st.task(task, st.attempt[task], slot, int(slot/f.perNode))
			t.Start = f.now
			cost := f.left(t)
			st.retry = slices.Delete(st.retry, i, i+1)
			f.place(st, task, st.attempt[task], 1, slot, cost.Setup, cost.Work)
			return
		}
		if len(st.pending) > 0 {
			f.start(st, 1, slot)
			return
		}
	}
}

// firstRetry returns the index of the first task to run again that has not failed on a node, or has failed on all;
// -1 if there is none.
func (f *slots) firstRetry(st *stage, node int32) int {
	return slices.IndexFunc(st.retry, func(task int32) bool {
		nodes := st.failedOn[task]
		if _, failed := slices.BinarySearch(nodes, node); !failed {
			return true
		}
		all, _ := slices.BinarySearch(nodes, f.pools[st.k].nodes)
		return all >= int(f.pools[st.k].nodes)
	})
}

// start starts up to n pending tasks of a stage, all of one cost. One task starts in the given slot. Several start in
// the lowest free slots, and the given slot is the lowest.
func (f *slots) start(st *stage, n int, slot int32) {
	cost := f.left(Task{
		Job: st.job.index, Stage: st.k, Index: int(st.pending[0][0]), Slot: int(slot), Node: int(slot / f.perNode),
		Start: f.now,
	})
	if f.byRunning {
		n = 1 // the order changes with each
	}
	first, n := st.takePending(min(n, max(1, cost.Same)))
	f.began += n
	f.place(st, first, 0, n, slot, cost.Setup, cost.Work)
}

// place begins n tasks, and removes a stage without further tasks from its queue.
func (f *slots) place(st *stage, first, number int32, n int, slot int32, setup, work time.Duration) {
	p := &f.pools[st.k]
	if len(st.pending) == 0 && len(st.retry) == 0 {
		if i := slices.Index(p.queue, st); i == 0 {
			p.queue = p.queue[1:]
		} else {
			p.queue = slices.Delete(p.queue, i, i+1)
		}
	}
	var slots []int32
	if n > 1 {
		slots = p.slots.take(n)
	} else {
		slots = p.slots.takeOne(slot)
	}
	st.granted += n
	if len(f.spans) == cap(f.spans) && f.opt.EndOnly == nil {
		f.growSpans()
	}
	sp := st.span(first, number, slots, f.now)
	st.begin(f.scheduler, &sp, setup, work, nil)
}

// growSpans allocates room for the spans of all tasks that have not started, if they have as many tasks a span as those
// that have. A slice that grows by itself takes five times as much memory, and a replay takes twice the time.
func (f *slots) growSpans() {
	more := 256
	if f.began > 1000 {
		more = int(1.02 * float64(len(f.spans)-f.loaded) * float64(f.tasks-f.began) / float64(f.began))
	}
	f.spans = slices.Grow(f.spans, max(more, len(f.spans)/4, 256))
}

// lastEnd returns the end of the last task. It sets the end of reduces that still wait for maps because the replay
// was stopped.
func (f *slots) lastEnd() dag.Instant {
	last := f.end
	for i := range f.stages {
		for _, c := range f.stages[i].copying {
			sp := &f.spans[c.span]
			sp.End = max(f.opt.Until, f.now) + 1
			last = max(last, sp.End)
		}
	}
	return last
}

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
	j.submitted = dag.FirstKnown(js.Submitted, c.first)
	switch {
	case over: // unfinished tasks stay undone
		j.left, j.state, j.finished = 0, ended, dag.FirstKnown(js.Finished, j.lastEnd, c.now)
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
		if p := x.stage.pool; x.slot >= 0 && int(x.slot) < p.count && p.slots.has(x.slot) {
			p.slots.takeOne(x.slot)
		} else {
			others = append(others, x)
		}
	}
	for _, x := range others {
		if free := &x.stage.pool.slots; free.len() > 0 {
			x.slot = free.take(1)[0]
		} else {
			x.slot = free.add()
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
				if p.slots.has(slot) {
					taken = append(taken, p.slots.takeOne(slot)...)
				}
			}
		}
		if len(taken) > 0 {
			c.at(c.now.Add(drained), rankEnd, func() { p.slots.release(taken) })
		}
	}
}
