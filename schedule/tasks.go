package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

// lastTry is the first attempt for which Fault is not called: a Fault that fails every attempt would replay
// forever.
const lastTry = 100

// taskEnds handles an end.
func (r *replay) taskEnds(e event) {
	switch e.row {
	case endOfOthers:
		r.changed = true
		r.scheduler.others.end(r.scheduler, int(e.id))
		return
	case endOfSpan, endOfSlots:
		sp := r.spans[e.id]
		st := r.stage(&sp)
		r.release(st, int(sp.Count), sp.Slots)
		if r.opt.EndOnly != nil {
			r.idleSpans = append(r.idleSpans, e.id)
		}
		switch {
		case e.row == endOfSlots:
		case sp.Outcome == Fails:
			r.changed = true
			r.scheduler.failed(&sp)
		default:
			r.count(st, sp.First, sp.Count)
		}
		return
	}
	st := &r.stages[e.row]
	if e.id < 0 { // ^id tasks in equivalent slots
		r.release(st, int(^e.id), nil)
		r.count(st, 0, ^e.id)
		return
	}
	r.release(st, 1, st.pool.slots.all[e.id:e.id+1:e.id+1])
	r.count(st, 0, 1)
}

func (r *replay) stage(sp *Span) *stage { return &r.jobs[sp.Job].stages[sp.Stage] }

// release frees the slots of n tasks of a stage.
func (r *replay) release(st *stage, n int, slots []int32) {
	st.granted -= n
	r.scheduler.release(st, n, slots)
}

// count adds n tasks from first on, which have released their slots, to the finished ones of a stage.
func (r *replay) count(st *stage, first, n int32) {
	j := st.job
	st.done += int(n)
	j.left -= int(n)
	j.lastEnd = r.now
	if st.watched || st.left() == 0 {
		r.follow(st, first, n)
	}
	if j.left == 0 {
		r.later(r.now.Add(r.overheads.Finish), rankEnd, opFinish, j.index)
	}
}

// follow continues the stages that wait for the n finished tasks of st from first on.
func (r *replay) follow(st *stage, first, n int32) {
	over := st.left() == 0
	if over {
		st.ended = r.now
	}
	for i := int(st.k) + 1; i < len(st.job.stages); i++ {
		to := &st.job.stages[i]
		for _, e := range to.edges {
			switch {
			case e.From != st.k:
			case e.Kind == dag.SlowStart:
				if over {
					r.copied(to)
				}
				if to.left() > 0 {
					to.job.beatLater(r.scheduler, r.now)
				}
			case e.Kind == dag.OneToOne:
				r.changed = true
				to.releaseTasks(first, n)
			}
		}
		if over && to.closed && to.mayOpen() && r.openOrWait(to, r.now) {
			r.open(to)
		}
	}
}

// copied starts the work of a stage's copying tasks after all their input is complete.
func (r *replay) copied(st *stage) {
	end := st.inputEnd()
	if !end.Known() {
		return
	}
	for _, c := range st.copying {
		r.resume(&c, r.scheduler.after(max(c.ready, r.now.Add(r.overheads.Copy)), Cost{Work: c.work}))
	}
	r.copying -= len(st.copying)
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

// startBatch starts tasks that start together, those of each grant separately.
func (r *replay) startBatch(b *batch) {
	from := 0
	for _, to := range b.grants {
		r.scheduler.startTasks(b.stage, b.first, b.slots, from, to, b.kept)
		from = to
	}
	r.scheduler.startTasks(b.stage, b.first, b.slots, from, len(b.slots), b.kept)
}

// begin starts tasks of a stage in their slots, all of one cost, and returns their end, or that of the last of them
// if some fail. Tasks of a stage that copies wait for their input: their end is unknown.
func (r *replay) begin(st *stage, sp Span, cost Cost, running *dag.Attempt) dag.Instant {
	ready := max(sp.Start, r.now)
	sp.End = r.scheduler.after(ready, cost)
	if st.closed || st.copies() { // it may have to wait for input
		if r.lacksInput(st, running) {
			r.copyLater(st, &sp, cost, endOfSpan)
			return sp.End
		}
		if st.copies() && !hasCopied(running) {
			copied := st.inputEnd().Add(r.overheads.Copy)
			sp.End = r.scheduler.after(max(ready.Add(cost.Setup), copied), Cost{Work: cost.Work})
		}
	}
	sp.End = max(sp.End, r.now)
	if r.opt.Fault == nil || sp.Attempt >= lastTry {
		r.push(st, &sp)
		return sp.End
	}
	from, last := int32(0), sp.End
	for i := range sp.Count {
		one := sp.part(i, i+1)
		if !r.fails(&one, running) {
			continue
		}
		if from < i {
			before := sp.part(from, i)
			r.push(st, &before)
		}
		r.push(st, &one)
		from, last = i+1, one.End
	}
	if from < sp.Count {
		rest := sp.part(from, sp.Count)
		r.push(st, &rest)
	}
	return last
}

// hasCopied reports whether a running attempt has all its input.
func hasCopied(running *dag.Attempt) bool { return running != nil && running.CopyEnd.Known() }

// lacksInput reports whether a task waits in its slot for input. If a reduce has copied everything, maps that run
// again are for other reduces.
func (r *replay) lacksInput(st *stage, running *dag.Attempt) bool {
	if r.fixedSlots {
		return st.closed && !(hasCopied(running) && running.CopyEnd >= running.Start)
	}
	return st.copies() && !hasCopied(running) && !st.inputEnd().Known()
}

// copyLater begins tasks that wait in their slots until all their input is complete.
func (r *replay) copyLater(st *stage, sp *Span, cost Cost, row int32) {
	ready := max(sp.Start, r.now)
	c := copyingTask{ready: ready.Add(cost.Setup), work: cost.Work, row: row}
	if r.fixedSlots { // lengths are rounded
		c.ready, c.work = r.scheduler.after(ready, Cost{Setup: cost.Setup}), cost.Work+min(0, cost.Setup)
	}
	sp.End = dag.NoInstant
	c.span = r.addSpan(sp)
	r.copying++
	st.copying = append(st.copying, c)
}

// part returns the tasks from to to-1 of a span, counted from its first.
func (s *Span) part(from, to int32) Span {
	p := *s
	p.First, p.Count, p.Slots = s.First+from, to-from, s.Slots[from:to:to]
	return p
}

// fails evaluates the Fault for the one task of a span, and sets its end if it fails.
func (r *replay) fails(sp *Span, running *dag.Attempt) bool {
	t := Task{
		Job: int(sp.Job), Stage: sp.Stage, Index: int(sp.First), Attempt: int(sp.Attempt), Slot: int(sp.Slots[0]),
		Node: r.scheduler.node(sp.Slots[0]), Running: running, Start: sp.Start,
	}
	at, fails := r.opt.Fault(t, sp.Start, sp.End)
	if fails {
		sp.Outcome, sp.End = Fails, max(min(at, sp.End), r.now)
	}
	return fails
}

// push schedules the end of a new span. Tasks that succeed need no span if only the end of the replay is needed.
func (r *replay) push(st *stage, sp *Span) {
	r.end = max(r.end, sp.End)
	if sp.Outcome == OK && !st.tracked {
		if !r.slotsDiffer {
			r.events.push(event{sp.End, ^sp.Count, st.row})
			return
		}
		if sp.Count == 1 {
			if r.opt.EndOnly == nil {
				r.addSpan(sp)
			}
			r.events.push(event{sp.End, sp.Slots[0], st.row})
			return
		}
	}
	r.events.push(event{sp.End, int32(r.addSpan(sp)), endOfSpan}) //nolint:gosec // an index
}

// resume sets the end of a task that has copied. In a slot it does not fail any more.
func (r *replay) resume(c *copyingTask, until dag.Instant) {
	sp := &r.spans[c.span]
	sp.End = max(until, r.now)
	r.end = max(r.end, sp.End)
	if r.opt.Fault != nil && sp.Attempt < lastTry && !r.fixedSlots {
		r.fails(sp, nil)
	}
	r.events.push(event{sp.End, int32(c.span), c.row}) //nolint:gosec // an index
}

// addSpan returns the index of a new span.
func (r *replay) addSpan(sp *Span) int {
	if n := len(r.idleSpans); n > 0 {
		at := int(r.idleSpans[n-1])
		r.idleSpans = r.idleSpans[:n-1]
		r.spans[at] = *sp
		return at
	}
	r.spans = append(r.spans, *sp)
	return len(r.spans) - 1
}
