package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/eventqueue"
)

// lastTry is the first attempt for which Fault is not called: a Fault that fails every attempt would replay
// forever.
const lastTry = 100

// endTasks handles an end.
func (c *scheduler) endTasks(e eventqueue.Event) {
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
	st.release(c, 1, st.pool.slots.View(e.ID))
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
	start dag.Instant
	kept  bool // in containers of earlier tasks: nothing is launched
	// grants are the offsets in slots at which each next grant begins: a task counts only the starts up to its own
	// grant.
	grants []int
}

// begin starts tasks that start together, those of each grant separately.
func (b *batch) begin(c *scheduler) {
	from := 0
	for _, to := range b.grants {
		b.stage.startTasks(c, b.first, b.slots, from, to, b.kept)
		from = to
	}
	b.stage.startTasks(c, b.first, b.slots, from, len(b.slots), b.kept)
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
