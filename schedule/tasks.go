package schedule

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// lastTry is the first attempt for which Fault is not called: a Fault that fails every attempt would replay
// forever.
const lastTry = 100

// endTasks handles an end.
func (c *scheduler) endTasks(e event) {
	switch e.Kind {
	case endOfOthers:
		c.changed = true
		c.cluster.End(int(e.ID), c.now)
		return
	case endOfRun:
		run := c.runs[e.ID]
		st := &c.stages[run.row]
		st.release(c, 1, nil)
		st.count(c, 0, run.tasks)
		return
	case endOfSpan, endOfSlots:
		sp := c.spans[e.ID]
		st := c.stage(&sp)
		st.release(c, int(sp.Count), sp.Slots)
		switch {
		case e.Kind == endOfSlots:
		case sp.Outcome == Fails:
			c.changed = true
			c.failed(&sp)
		default:
			st.count(c, sp.First, sp.Count)
		}
		return
	}
	st := &c.stages[e.Kind]
	if e.ID < 0 { // ^id tasks in equivalent slots
		st.release(c, int(^e.ID), nil)
		st.count(c, 0, ^e.ID)
		return
	}
	st.release(c, 1, st.pool.slots.view(e.ID))
	st.count(c, 0, 1)
}

func (c *scheduler) stage(sp *Span) *stage { return &c.jobs[sp.Job].stages[sp.Stage] }

// count adds n tasks from first on, which have released their slots, to the finished ones of a stage.
func (st *stage) count(c *scheduler, first, n int32) {
	j := st.job
	st.done += int(n)
	j.left -= int(n)
	j.lastEnd = c.now
	if st.watched || st.left() == 0 {
		st.follow(c, first, n)
	}
	if j.left == 0 {
		c.at(c.now.Add(c.overheads.Finish), rankEnd, func() { j.finish(c) })
	}
}

// follow continues the stages that wait for the n finished tasks of st from first on.
func (st *stage) follow(c *scheduler, first, n int32) {
	over := st.left() == 0
	if over {
		st.ended = c.now
	}
	for i := int(st.k) + 1; i < len(st.job.stages); i++ {
		to := &st.job.stages[i]
		for _, e := range to.edges {
			switch {
			case e.From != st.k:
			case e.Kind == dag.SlowStart:
				if over {
					to.copyIsDone(c)
				}
				if to.left() > 0 {
					to.job.beatLater(c, c.now)
				}
			case e.Kind == dag.OneToOne:
				c.changed = true
				to.releaseTasks(first, n)
			}
		}
		if over && to.closed && to.mayOpen() && c.openOrWait(to, c.now) {
			c.open(to)
		}
	}
}

// copyIsDone starts the work of a stage's copying tasks after all their input is complete.
func (st *stage) copyIsDone(c *scheduler) {
	end := st.inputEnd()
	if !end.Known() {
		return
	}
	for _, t := range st.copying {
		t.resume(c, c.after(max(t.ready, c.now.Add(c.overheads.Copy)), 0, t.work))
	}
	c.copying -= len(st.copying)
	st.copying = nil
}

// A batch is tasks of a stage that get their containers together and start together.
type batch struct {
	stage *stage
	first int32
	slots []int32
	kept  bool // in containers of earlier tasks: nothing is launched
}

// begin starts the tasks of a batch, those of one cost together.
func (b *batch) begin(c *scheduler) {
	c.noteStarts(b.slots)
	for from := 0; from < len(b.slots); {
		//nolint:gosec // a stage has at most 2^31 tasks
		from += b.stage.start(c, b.first+int32(from), b.slots[from:], b.kept)
	}
}

// begin starts tasks of a stage in their slots, all of one cost, and returns their end, or that of the last of them
// if some fail. Tasks of a stage that copies wait for their input: their end is unknown.
func (st *stage) begin(c *scheduler, sp *Span, setup, work time.Duration, running *dag.Attempt) dag.Instant {
	ready := max(sp.Start, c.now)
	sp.End = c.after(ready, setup, work)
	if st.closed || st.copies() { // it may have to wait for input
		if st.lacksInput(c, running) {
			st.copyLater(c, sp, setup, work, endOfSpan)
			return sp.End
		}
		if st.copies() && !hasCopied(running) {
			copied := st.inputEnd().Add(c.overheads.Copy)
			sp.End = c.after(max(ready.Add(setup), copied), 0, work)
		}
	}
	sp.End = max(sp.End, c.now)
	if c.opt.Fault == nil || sp.Attempt >= lastTry {
		st.push(c, sp)
		return sp.End
	}
	from, last := int32(0), sp.End
	for i := range sp.Count {
		one := sp.part(i, i+1)
		if !c.fails(&one, running) {
			continue
		}
		if from < i {
			before := sp.part(from, i)
			st.push(c, &before)
		}
		st.push(c, &one)
		from, last = i+1, one.End
	}
	if from < sp.Count {
		rest := sp.part(from, sp.Count)
		st.push(c, &rest)
	}
	return last
}

// hasCopied reports whether a running attempt has all its input.
func hasCopied(running *dag.Attempt) bool { return running != nil && running.CopyEnd.Known() }

// lacksInput reports whether a task waits in its slot for input. If a reduce has copied everything, maps that run
// again are for other reduces.
func (st *stage) lacksInput(c *scheduler, running *dag.Attempt) bool {
	if c.fixedSlots {
		return st.closed && !(hasCopied(running) && running.CopyEnd >= running.Start)
	}
	return st.copies() && !hasCopied(running) && !st.inputEnd().Known()
}

// copyLater begins tasks that wait in their slots until all their input is complete.
func (st *stage) copyLater(c *scheduler, sp *Span, setup, work time.Duration, row int32) {
	ready := max(sp.Start, c.now)
	t := copyingTask{ready: ready.Add(setup), work: work, row: row}
	if c.fixedSlots { // lengths are rounded
		t.ready, t.work = c.after(ready, setup, 0), work+min(0, setup)
	}
	sp.End = dag.NoInstant
	t.span = c.addSpan(sp)
	c.copying++
	st.copying = append(st.copying, t)
}

// part returns the tasks from to to-1 of a span, counted from its first.
func (s *Span) part(from, to int32) Span {
	p := *s
	p.First, p.Count, p.Slots = s.First+from, to-from, s.Slots[from:to:to]
	return p
}

// fails evaluates the Fault for the one task of a span, and sets its end if it fails.
func (c *scheduler) fails(sp *Span, running *dag.Attempt) bool {
	t := Task{
		Job: int(sp.Job), Stage: sp.Stage, Index: int(sp.First), Attempt: int(sp.Attempt), Slot: int(sp.Slots[0]),
		Node: c.node(sp.Slots[0]), Running: running, Start: sp.Start,
	}
	at, fails := c.opt.Fault(t, sp.Start, sp.End)
	if fails {
		sp.Outcome, sp.End = Fails, max(min(at, sp.End), c.now)
	}
	return fails
}

// push schedules the end of a new span. Tasks that succeed need no span if only the end of the replay is needed.
func (st *stage) push(c *scheduler, sp *Span) {
	c.end = max(c.end, sp.End)
	if sp.Outcome == OK && !st.tracked {
		if !c.slotsDiffer {
			c.endAt(sp.End, int(^sp.Count), st.row)
			return
		}
		if sp.Count == 1 {
			if c.opt.EndOnly == nil {
				c.addSpan(sp)
			}
			c.endAt(sp.End, int(sp.Slots[0]), st.row)
			return
		}
	}
	c.endAt(sp.End, c.addSpan(sp), endOfSpan)
}

// resume sets the end of a task that has copied. In a slot it does not fail any more.
func (t *copyingTask) resume(c *scheduler, until dag.Instant) {
	sp := &c.spans[t.span]
	sp.End = max(until, c.now)
	c.end = max(c.end, sp.End)
	if c.opt.Fault != nil && sp.Attempt < lastTry && !c.fixedSlots {
		c.fails(sp, nil)
	}
	c.endAt(sp.End, t.span, t.row)
}

// addSpan returns the index of a new span.
func (c *scheduler) addSpan(sp *Span) int {
	n := len(c.spans)
	if n == cap(c.spans) {
		c.spans = slices.Grow(c.spans, 1)
	}
	c.spans = c.spans[:n+1]
	c.spans[n] = *sp // once: append copies it twice
	return n
}

// A taskRun is tasks of a stage that follow each other on one core, as one event. Tasks that start long before the end
// of their stage matter as a sum only, so a replay that returns its end alone merges them: guided self-scheduling
// (Polychronopoulos and Kuck, IEEE Transactions on Computers 1987). Runs get shorter as the stage empties. The first
// tasks on each core, which may take longer, and the last waves stay single. A run has the tasks that start within its
// share of the time that is left, so no task waits behind a long one that another core would have overtaken.
type taskRun struct {
	row   int32 // of the stage
	tasks int32
}

// runShare is the number of runs of the present length that the waiting tasks would be on each core. With 1 a stage
// ends up to 5% late.
const runShare = 2

// runLength returns the number of waiting tasks of a stage that follow each other on the next free core. It is 1 if
// other stages may take that core.
func (st *stage) runLength(c *scheduler) int {
	if !c.opt.Runs || c.slotsDiffer || !c.onCores || st.watched || len(c.waiting) != 1 || len(st.job.requests) != 1 {
		return 1
	}
	cores := c.growth.cores
	if st.total-st.waiting < cores || c.cluster.Free+st.granted < cores {
		return 1
	}
	return max(1, st.waiting/(runShare*max(cores, 1)))
}

// RunsOf returns about how many runs and single tasks a replay with Options.Runs makes of the tasks of a stage on some
// cores; all are single if cores is 0. A run takes 1/(runShare cores) of the waiting tasks, so the runs of a stage are
// runShare cores times the logarithm of its waves, before the last runShare² waves.
func RunsOf(tasks, cores int) int {
	single := runShare * runShare * cores
	if cores == 0 || tasks <= single {
		return tasks
	}
	return cores + single + int(runShare*float64(cores)*math.Log(float64(tasks)/float64(single)))
}

// startRun starts up to n waiting tasks of a stage, one after the other on one core: as many as the cost model returns.
// A task that fails runs again: the core loses the time of the failed attempt.
func (c *scheduler) startRun(st *stage, n int) {
	first, last := st.pending[0][0], st.pending[0][1]
	t := st.task(first, 0, 0, -1)
	t.Start, t.Count = c.now, min(n, int(last-first))
	cost := c.left(t)
	_, tasks := st.takePending(min(max(cost.Same, 1), t.Count))
	c.occupy(st.job, st.size)
	st.granted++
	until := max(c.after(c.now, cost.Setup, cost.Work), c.now)
	each := max((until-c.now)/dag.Instant(tasks), 1)
	for from := c.now; c.opt.Fault != nil && t.Attempt < lastTry; t.Attempt++ {
		at, fails := c.opt.Fault(t, from, until)
		if !fails {
			break
		}
		until += (at - c.now) % each
		from = at
	}
	c.endAt(until, len(c.runs), endOfRun)
	c.runs = append(c.runs, taskRun{st.row, int32(tasks)}) //nolint:gosec // a stage has at most 2^31 tasks
}
