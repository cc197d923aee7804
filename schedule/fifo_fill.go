package schedule

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// maxInstant is later than any instant that a replay means; ends saturate there.
const maxInstant = math.MaxInt64 / 2

// lastTry is the attempt from which on Fault is not asked: a Fault that lets no task through would replay forever.
const lastTry = 100

// millis rounds a length of time to whole milliseconds, half up (facts A1); less than nothing is nothing.
func millis(d time.Duration) dag.Instant {
	if d <= 0 {
		return 0
	}
	ms := d / time.Millisecond
	if d%time.Millisecond >= time.Millisecond/2 {
		ms++
	}
	return dag.Instant(ms)
}

func later(t, ms dag.Instant) dag.Instant { return min(t+ms, maxInstant) }

// enqueue makes what waits of a phase eligible.
func (e *fifoEngine) enqueue(j int32, k dag.Kind) {
	phase := &e.jobs[j].phases[k]
	if phase.fresh.lo < phase.fresh.hi && !phase.queued {
		phase.queued = true
		e.fresh[k].push(int64(e.jobs[j].submitted), j)
	}
	if phase.retry.waiting() {
		if i, found := slices.BinarySearchFunc(e.again[k], j, e.byFIFO); !found {
			e.again[k] = slices.Insert(e.again[k], i, j)
		}
	}
}

func (e *fifoEngine) byFIFO(a, b int32) int {
	x := timeEntry{int64(e.jobs[a].submitted), a}
	y := timeEntry{int64(e.jobs[b].submitted), b}
	switch {
	case x.before(y):
		return -1
	case y.before(x):
		return 1
	}
	return 0
}

// fill gives free slots to eligible tasks (facts A1, rule 2).
func (e *fifoEngine) fill(k dag.Kind, t dag.Instant) {
	for e.free[k].n > 0 {
		switch n := e.unhindered(k); {
		case n > 0:
			e.startFresh(k, e.fresh[k].top().id, min(n, e.free[k].n), t)
		case len(e.again[k]) == 0 || !e.fillWary(k, t):
			return
		}
	}
}

// unhindered counts the fresh tasks of the first job that come before every task to be tried again: they suit any slot.
func (e *fifoEngine) unhindered(k dag.Kind) int {
	if e.fresh[k].len() == 0 {
		return 0
	}
	j := e.fresh[k].top().id
	phase := &e.jobs[j].phases[k]
	if len(e.again[k]) > 0 {
		switch again := e.again[k][0]; e.byFIFO(again, j) {
		case -1:
			return 0
		case 0:
			first, _ := phase.retry.first(-1)
			return int(min(phase.fresh.hi, max(first, phase.fresh.lo)) - phase.fresh.lo)
		}
	}
	return int(phase.fresh.hi - phase.fresh.lo)
}

// fillWary goes once through the free slots, each of which may have to skip tasks that have failed on its node.
// It stops as soon as fresh tasks come first, and says whether it has started any task.
func (e *fifoEngine) fillWary(k dag.Kind, t dag.Instant) (started bool) {
	free := &e.free[k]
	if free.block != nil {
		free.spill()
	}
	for slot := free.first(); slot >= 0; slot = free.after(slot) {
		j, group := e.choose(k, slot/e.per)
		if j < 0 {
			continue
		}
		started = true
		if group < 0 {
			e.startFresh(k, j, 1, t, slot)
		} else {
			e.startAgain(k, j, group, slot, t)
		}
		if e.unhindered(k) > 0 {
			break
		}
	}
	return started
}

// choose returns the job whose task a slot on the node takes, and the group of its retries that the task is in:
// -1 for its first fresh task. Job -1: there is none.
func (e *fifoEngine) choose(k dag.Kind, node int32) (job int32, group int) {
	first := int32(-1)
	if e.fresh[k].len() > 0 {
		first = e.fresh[k].top().id
	}
	for _, j := range e.again[k] {
		if first >= 0 && e.byFIFO(first, j) < 0 {
			break
		}
		phase := &e.jobs[j].phases[k]
		task, group := phase.retry.first(node)
		if j == first && task > phase.fresh.lo {
			break
		}
		if group >= 0 {
			return j, group
		}
	}
	return first, -1
}

// startFresh starts fresh tasks of job j, at most n of them and all of one cost: in the given slot, or else in
// the lowest free ones.
func (e *fifoEngine) startFresh(k dag.Kind, j int32, n int, t dag.Instant, slot ...int32) {
	free, phase := &e.free[k], &e.jobs[j].phases[k]
	first := phase.fresh.lo
	at := int32(0)
	if len(slot) > 0 {
		at = slot[0]
	} else {
		at = free.first()
	}
	cost := e.left(Task{
		Job: int(j), Kind: k, Index: int(first), Slot: int(at), Node: int(at / e.per), Start: t,
	})
	n = min(n, max(1, cost.Same))
	var slots []int32
	if len(slot) > 0 {
		slots = free.takeOne(at)
	} else {
		slots = free.take(n)
	}
	if phase.fresh.lo += int32(n); phase.fresh.lo == phase.fresh.hi {
		e.nextRun(k, phase)
	}
	e.begun += n
	e.start(Span{
		Job: j, Kind: k, First: first, Count: int32(n), Start: t, End: later(t, millis(cost.Setup+cost.Work)), Slots: slots,
	})
}

// nextRun moves on to the next run of fresh tasks; the phase is the first of the queue.
func (e *fifoEngine) nextRun(k dag.Kind, phase *fifoPhase) {
	if len(phase.more) > 0 {
		phase.fresh, phase.more = phase.more[0], phase.more[1:]
		return
	}
	e.fresh[k].pop()
	phase.queued = false
}

// startAgain starts a task that has been tried before, in a slot of the bitmap.
func (e *fifoEngine) startAgain(k dag.Kind, j int32, group int, slot int32, t dag.Instant) {
	retry := e.jobs[j].phases[k].retry
	task := retry.groups[group].tasks.top().id
	number := retry.take(group)
	if !retry.waiting() {
		i, _ := slices.BinarySearchFunc(e.again[k], j, e.byFIFO)
		e.again[k] = slices.Delete(e.again[k], i, i+1)
	}
	cost := e.left(Task{
		Job: int(j), Kind: k, Index: int(task), Attempt: int(number), Slot: int(slot), Node: int(slot / e.per), Start: t,
	})
	e.start(Span{
		Job: j, Kind: k, First: task, Count: 1, Attempt: number, Start: t, End: later(t, millis(cost.Setup+cost.Work)),
		Slots: e.free[k].takeOne(slot),
	})
}

// start puts a span into the schedule, cut where tasks of it fail.
func (e *fifoEngine) start(sp Span) {
	if e.opt.Fault == nil || sp.Attempt >= lastTry {
		e.push(sp)
		return
	}
	from := int32(0)
	for i := range sp.Count {
		task := Task{
			Job: int(sp.Job), Kind: sp.Kind, Index: int(sp.First + i), Attempt: int(sp.Attempt),
			Slot: int(sp.Slots[i]), Node: int(sp.Slots[i] / e.per), Start: sp.Start,
		}
		at, fails := e.opt.Fault(task, sp.Start, sp.End)
		if !fails {
			continue
		}
		e.pushPart(sp, from, i)
		failed := part(sp, i, i+1)
		failed.Outcome = Fails
		failed.End = min(max(at, sp.Start, e.now), sp.End)
		e.push(failed)
		from = i + 1
	}
	e.pushPart(sp, from, sp.Count)
}

func (e *fifoEngine) pushPart(sp Span, from, to int32) {
	if from < to {
		e.push(part(sp, from, to))
	}
}

// part returns the tasks from to to-1 of a span, counted from its first.
func part(sp Span, from, to int32) Span {
	sp.First, sp.Count, sp.Slots = sp.First+from, to-from, sp.Slots[from:to:to]
	return sp
}

func (e *fifoEngine) push(sp Span) {
	if len(e.spans) == cap(e.spans) {
		e.grow()
	}
	e.spans = append(e.spans, sp)
	e.ends.push(int64(sp.End), int32(len(e.spans)-1))
}

// grow makes room for the spans that the rest of the tasks will need if they go on as so far.
func (e *fifoEngine) grow() {
	more := 256
	if e.begun > 1000 {
		more = int(1.02 * float64(len(e.spans)-e.loaded) * float64(e.pending-e.begun) / float64(e.begun))
	}
	e.spans = slices.Grow(e.spans, max(more, len(e.spans)/4, 256))
}

// fail puts the task of a failed span back to its place in the queue.
func (e *fifoEngine) fail(sp *Span) {
	phase := &e.jobs[sp.Job].phases[sp.Kind]
	if phase.retry == nil {
		phase.retry = &retries{}
	}
	phase.retry.note(sp.First, sp.Attempt, sp.Slots[0]/e.per)
	phase.retry.wait(sp.First, e.nodes[sp.Kind])
	if sp.Kind == dag.Map || e.jobs[sp.Job].phases[dag.Map].left == 0 {
		e.enqueue(sp.Job, sp.Kind)
	}
}
