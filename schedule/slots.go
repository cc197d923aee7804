package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A slotScheduler is Hadoop 0.20's FIFO scheduler over a pool of map slots and one of reduce slots, as the ParaTimer
// paper assumes it (section 3.1; docs/facts/paratimer.md A1, A7, P2 to P6). A job is submitted when all jobs that it is
// after are complete. Each free slot takes the first task that may run by (submission, plan position, task index), or
// by the plan's Order before these; the reduces of a job may run once its last map has ended. A slot skips the tasks
// that have failed on its node.
//
// The cost of a replay is in spans, not in tasks: n log n in the number of different ends and in jobs.
type slotScheduler struct {
	*replay
	pools     [2]pool
	nodes     [2]int32    // how many nodes have slots of a pool
	per       int32       // slots of a pool that a node has
	queue     [2][]*stage // stages with tasks that may run, in the order in which they are served
	moves     bool        // that order changes while tasks start or end
	byRunning bool        // it changes with each task that starts
	// began of tasks have started, in spans from span loaded on: what the growth of spans is guessed from.
	began         int
	loaded, tasks int
}

func newSlotScheduler(r *replay) *slotScheduler {
	r.slotsDiffer = true
	running := slices.Contains(r.plan.Cluster.Order, dag.ByRunning)
	return &slotScheduler{
		replay: r, byRunning: running, moves: running || slices.Contains(r.plan.Cluster.Order, dag.ByRemaining),
	}
}

// after rounds the length of a task as a whole.
func (f *slotScheduler) after(from dag.Instant, c Cost) dag.Instant {
	return min(from+millis(c.Setup+c.Work), maxInstant)
}

func (f *slotScheduler) node(slot int32) int { return int(slot / f.per) }

func (f *slotScheduler) submit(j *job) {
	if j.state = active; j.left == 0 {
		f.later(f.now, rankEnd, opFinish, j.index)
	}
	for k := range j.stages {
		if st := &j.stages[k]; !st.closed {
			f.enqueue(st)
		}
	}
}

func (f *slotScheduler) finish(*job) {}

func (f *slotScheduler) unblock() bool { return false }

// opened lets the reduces of a job start, and those go on that wait for its last map.
func (f *slotScheduler) opened(st *stage) {
	for _, c := range st.copying {
		sp := &f.spans[c.span]
		sp.End = f.after(max(f.now, c.ready), Cost{Work: c.work})
		f.end = max(f.end, sp.End)
		f.ends.push(end{sp.End, int32(c.span), c.row}) //nolint:gosec // an index
	}
	st.copying = nil
	f.enqueue(st)
}

func (f *slotScheduler) release(st *stage, _ int, slots []int32) {
	if int(slots[0]) < len(st.pool.slots.all) {
		st.pool.slots.release(slots)
	}
}

// failed puts the task of a failed span back to its place in the queue.
func (f *slotScheduler) failed(sp *Span) {
	st := f.stage(sp)
	st.setAttempt(sp.First, max(st.attempt[sp.First], sp.Attempt+1))
	f.failedOn(st, sp.First, sp.Slots[0]/f.per)
	if i, found := slices.BinarySearch(st.retry, sp.First); !found {
		st.retry = slices.Insert(st.retry, i, sp.First)
	}
	if !st.closed {
		f.enqueue(st)
	}
}

// failedOn notes that a task has failed on a node; -1 is no node.
func (f *slotScheduler) failedOn(st *stage, task, node int32) {
	if st.failedOn == nil {
		st.failedOn = map[int32][]int32{}
	}
	nodes := st.failedOn[task]
	if i, found := slices.BinarySearch(nodes, node); node >= 0 && !found {
		st.failedOn[task] = slices.Insert(slices.Clip(nodes), i, node)
	}
}

// enqueue puts a stage into its queue unless it is there or has nothing to run. Most come last.
func (f *slotScheduler) enqueue(st *stage) {
	if len(st.pending) == 0 && len(st.retry) == 0 {
		return
	}
	q := &f.queue[st.k]
	switch n := len(*q); {
	case f.moves: // it is put in order before it is read
		if !slices.Contains(*q, st) {
			*q = append(*q, st)
		}
	case n == 0 || f.compare((*q)[n-1], st) < 0:
		*q = append(*q, st)
	default:
		if i, found := slices.BinarySearchFunc(*q, st, f.compare); !found {
			*q = slices.Insert(*q, i, st)
		}
	}
}

// compare orders stages of one pool by the plan's keys for their jobs, then by (submission, plan position).
func (f *slotScheduler) compare(a, b *stage) int {
	if len(f.plan.Cluster.Order) > 0 {
		if c := f.byKeys(a.job, b.job, func(j *job) int { return j.stages[a.k].granted }); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.job.submitted, b.job.submitted), cmp.Compare(a.job.index, b.job.index))
}

// grant gives free slots to tasks (docs/facts/paratimer.md A1, rule 2): to as many at once as suit any slot and have
// one cost, else slot by slot.
func (f *slotScheduler) grant() {
	for k := range f.pools {
		slots, q := &f.pools[k].slots, &f.queue[k]
		for slots.n > 0 && len(*q) > 0 {
			f.reorder(q)
			if n := (*q)[0].suitAny(); n > 0 {
				f.start((*q)[0], min(n, slots.n), slots.first(), false)
			} else if !f.grantOneByOne(k) {
				break
			}
		}
	}
}

// reorder puts a queue in order if that has changed.
func (f *slotScheduler) reorder(q *[]*stage) {
	if f.moves {
		slices.SortFunc(*q, f.compare)
	}
}

// suitAny is how many pending tasks come before any that is to run again: they suit any slot.
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

// grantOneByOne goes once through the free slots, each of which may have to skip tasks that have failed on its node. It
// stops as soon as tasks that suit any slot come first, and reports whether it has started any task.
func (f *slotScheduler) grantOneByOne(k int) (any bool) {
	slots, q := &f.pools[k].slots, &f.queue[k]
	slots.spill()
	for slot := slots.after(-1); slot >= 0 && len(*q) > 0; slot = slots.after(slot) {
		f.reorder(q)
		for _, st := range *q {
			i := f.firstRetry(st, slot/f.per)
			if i >= 0 && (len(st.pending) == 0 || st.retry[i] < st.pending[0][0]) {
				f.startRetry(st, i, slot)
			} else if len(st.pending) > 0 {
				f.start(st, 1, slot, true)
			} else {
				continue
			}
			any = true
			break
		}
		if len(*q) > 0 {
			if f.reorder(q); (*q)[0].suitAny() > 0 {
				break
			}
		}
	}
	return any
}

// firstRetry is the index of the first task to run again that has not failed on a node, or has failed on all; -1 if
// there is none.
func (f *slotScheduler) firstRetry(st *stage, node int32) int {
	return slices.IndexFunc(st.retry, func(task int32) bool {
		nodes := st.failedOn[task]
		if _, failed := slices.BinarySearch(nodes, node); !failed {
			return true
		}
		all, _ := slices.BinarySearch(nodes, f.nodes[st.k])
		return all >= int(f.nodes[st.k])
	})
}

// start starts pending tasks of a stage, at most n of them and all of one cost: in the slot alone, or else in the
// lowest free ones, of which it is the first.
func (f *slotScheduler) start(st *stage, n int, slot int32, alone bool) {
	first := st.pending[0][0]
	t := st.task(first, 0, slot, f.node(slot))
	t.Start = f.now
	cost := f.left(t)
	if f.byRunning {
		n = 1 // the order changes with each
	}
	_, n = st.takePending(min(n, max(1, cost.Same)))
	var slots []int32
	if alone {
		slots = st.pool.slots.takeOne(slot)
	} else {
		slots = st.pool.slots.take(n)
	}
	f.began += n
	f.place(st, first, 0, slots, cost)
}

// startRetry starts a task that has been tried before, in a slot of the bitmap.
func (f *slotScheduler) startRetry(st *stage, i int, slot int32) {
	task := st.retry[i]
	st.retry = slices.Delete(st.retry, i, i+1)
	number := st.attempt[task]
	t := st.task(task, number, slot, f.node(slot))
	t.Start = f.now
	f.place(st, task, number, st.pool.slots.takeOne(slot), f.left(t))
}

// place begins tasks in their slots, and takes a stage that has no more to run out of its queue.
func (f *slotScheduler) place(st *stage, first, number int32, slots []int32, cost Cost) {
	if len(st.pending) == 0 && len(st.retry) == 0 {
		if q := &f.queue[st.k]; (*q)[0] == st {
			*q = (*q)[1:]
		} else {
			i := slices.Index(*q, st)
			*q = slices.Delete(*q, i, i+1)
		}
	}
	st.granted += len(slots)
	if len(f.spans) == cap(f.spans) && f.opt.EndOnly == nil {
		f.growSpans()
	}
	f.begin(st, st.span(first, number, slots, f.now), cost, nil)
}

// growSpans makes room for the spans that the rest of the tasks will need if they go on as so far.
func (f *slotScheduler) growSpans() {
	more := 256
	if f.began > 1000 {
		more = int(1.02 * float64(len(f.spans)-f.loaded) * float64(f.tasks-f.began) / float64(f.began))
	}
	f.spans = slices.Grow(f.spans, max(more, len(f.spans)/4, 256))
}

func (f *slotScheduler) why(j *job) string {
	for k := range j.stages {
		if j.stages[k].left() > 0 {
			stage := f.plan.StageName(j.index, dag.StageIndex(k)) //nolint:gosec // an index
			return "the cluster has no " + stage + " slots; give it at least one"
		}
	}
	return ""
}

// complete gives the reduces an end that still wait for maps, because the replay was stopped.
func (f *slotScheduler) complete(sch *Schedule) {
	sch.End = f.end
	for i := range f.stages {
		for _, c := range f.stages[i].copying {
			sp := &f.spans[c.span]
			sp.End = max(f.opt.Until, f.now) + 1
			sch.End = max(sch.End, sp.End)
		}
	}
	if f.jumbled {
		sortStarts(sch.Spans)
	}
}
