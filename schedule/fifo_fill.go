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

// millis rounds a length of time to whole milliseconds, half up (docs/facts/paratimer.md A1); less than nothing is
// nothing.
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
func (e *fifoEngine) enqueue(j int32, k dag.StageIndex) {
	phase := &e.jobs[j].phases[k]
	if phase.fresh.lo < phase.fresh.hi {
		e.fresh[k] = e.insert(k, e.fresh[k], j)
	}
	if phase.retry.waiting() {
		e.again[k] = e.insert(k, e.again[k], j)
	}
}

// insert puts a job into a queue unless it is there. Most come last.
func (e *fifoEngine) insert(k dag.StageIndex, queue []int32, j int32) []int32 {
	if e.moving { // it is put in order when somebody looks
		if slices.Contains(queue, j) {
			return queue
		}
		return append(queue, j)
	}
	if n := len(queue); n == 0 || e.compare(k, queue[n-1], j) < 0 {
		return append(queue, j)
	}
	i, found := slices.BinarySearchFunc(queue, j, func(a, b int32) int { return e.compare(k, a, b) })
	if found {
		return queue
	}
	return slices.Insert(queue, i, j)
}

// fill gives free slots to eligible tasks (docs/facts/paratimer.md A1, rule 2).
func (e *fifoEngine) fill(k dag.StageIndex, t dag.Instant) {
	for e.free[k].n > 0 {
		e.reorder(k)
		switch n := e.unhindered(k); {
		case n > 0:
			e.startFresh(k, e.fresh[k][0], e.together(min(n, e.free[k].n)), t)
		case len(e.again[k]) == 0 || !e.fillWary(k, t):
			return
		}
	}
}

// unhindered counts the fresh tasks of the first job that come before every task to be tried again: they suit any slot.
func (e *fifoEngine) unhindered(k dag.StageIndex) int {
	if len(e.fresh[k]) == 0 {
		return 0
	}
	j := e.fresh[k][0]
	phase := &e.jobs[j].phases[k]
	if len(e.again[k]) > 0 {
		switch again := e.again[k][0]; e.compare(k, again, j) {
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
func (e *fifoEngine) fillWary(k dag.StageIndex, t dag.Instant) (started bool) {
	free := &e.free[k]
	if free.block != nil {
		free.spill()
	}
	for slot := free.first(); slot >= 0; slot = free.after(slot) {
		e.reorder(k)
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
func (e *fifoEngine) choose(k dag.StageIndex, node int32) (job int32, group int) {
	first := int32(-1)
	if len(e.fresh[k]) > 0 {
		first = e.fresh[k][0]
	}
	for _, j := range e.again[k] {
		if first >= 0 && e.compare(k, first, j) < 0 {
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
func (e *fifoEngine) startFresh(k dag.StageIndex, j int32, n int, t dag.Instant, slot ...int32) {
	free, phase := &e.free[k], &e.jobs[j].phases[k]
	first := phase.fresh.lo
	var at int32
	if len(slot) > 0 {
		at = slot[0]
	} else {
		at = free.first()
	}
	cost := e.left(Task{
		Job: int(j), Stage: k, Index: int(first), Slot: int(at), Node: int(at / e.per), Start: t,
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
	e.start(&Span{
		Job: j, Stage: k, First: first, Count: int32(n), Start: t, End: later(t, millis(cost.Setup+cost.Work)),
		Slots: slots,
	})
}

// nextRun moves on to the next run of fresh tasks; the phase is the first of the queue.
func (e *fifoEngine) nextRun(k dag.StageIndex, phase *fifoPhase) {
	if len(phase.more) > 0 {
		phase.fresh, phase.more = phase.more[0], phase.more[1:]
		return
	}
	e.fresh[k] = e.fresh[k][1:]
}

// startAgain starts a task that has been tried before, in a slot of the bitmap.
func (e *fifoEngine) startAgain(k dag.StageIndex, j int32, group int, slot int32, t dag.Instant) {
	retry := e.jobs[j].phases[k].retry
	task := retry.groups[group].tasks[0]
	number := retry.take(group)
	if !retry.waiting() {
		i := slices.Index(e.again[k], j)
		e.again[k] = slices.Delete(e.again[k], i, i+1)
	}
	cost := e.left(Task{
		Job: int(j), Stage: k, Index: int(task), Attempt: int(number), Slot: int(slot), Node: int(slot / e.per),
		Start: t,
	})
	e.start(&Span{
		Job: j, Stage: k, First: task, Count: 1, Attempt: number, Start: t, End: later(t, millis(cost.Setup+cost.Work)),
		Slots: e.free[k].takeOne(slot),
	})
}

// start puts a span into the schedule, cut where tasks of it fail.
func (e *fifoEngine) start(sp *Span) {
	if e.opt.Fault == nil || sp.Attempt >= lastTry {
		e.push(sp)
		return
	}
	from := int32(0)
	for i := range sp.Count {
		task := Task{
			Job: int(sp.Job), Stage: sp.Stage, Index: int(sp.First + i), Attempt: int(sp.Attempt),
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
		e.push(&failed)
		from = i + 1
	}
	e.pushPart(sp, from, sp.Count)
}

func (e *fifoEngine) pushPart(sp *Span, from, to int32) {
	if from < to {
		p := part(sp, from, to)
		e.push(&p)
	}
}

// part returns the tasks from to to-1 of a span, counted from its first.
func part(sp *Span, from, to int32) Span {
	p := *sp
	p.First, p.Count, p.Slots = sp.First+from, to-from, sp.Slots[from:to:to]
	return p
}

func (e *fifoEngine) push(sp *Span) {
	n, slot := len(e.spans), int32(-1)
	e.jobs[sp.Job].running[sp.Stage] += int(sp.Count)
	e.end = max(e.end, sp.End)
	if sp.Count == 1 && sp.Outcome == OK {
		slot = 2*sp.Slots[0] + int32(sp.Stage)
		e.holder[sp.Stage][sp.Slots[0]] = sp.Job
		if e.opt.EndOnly != nil { // nobody looks at its span
			e.ends.push(end{sp.End, -1, slot})
			return
		}
	}
	if n == cap(e.spans) {
		e.grow()
	}
	if n > 0 && e.spans[n-1].Start == sp.Start && bySlot(&e.spans[n-1], sp) > 0 {
		e.jumbled = true
	}
	e.spans = append(e.spans, *sp)
	e.ends.push(end{sp.End, int32(n), slot})
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
	phase := &e.jobs[sp.Job].phases[sp.Stage]
	if phase.retry == nil {
		phase.retry = &retries{}
	}
	phase.retry.note(sp.First, sp.Attempt, sp.Slots[0]/e.per)
	phase.retry.wait(sp.First, e.nodes[sp.Stage])
	if sp.Stage == dag.Map || e.jobs[sp.Job].phases[dag.Map].left == 0 {
		e.enqueue(sp.Job, sp.Stage)
	}
}
