package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// endBatch ends what ends next, unless something else happens before.
func (y *containers) endBatch() bool {
	q, until := &y.endOnly.ends, dag.Instant(maxInstant)
	if y.opt.Until.Known() && y.opt.Until > 0 {
		until = y.opt.Until
	}
	at := q.first()
	if at > until || len(y.todo.heap) > 0 && at > y.todo.heap[0].at {
		return false
	}
	who, k, sole := y.soleWaiting()
	for {
		if sole && who >= 0 {
			y.handOver(who, k, until)
			if q.n == 0 {
				return true
			}
			if at = q.first(); at > until || len(y.todo.heap) > 0 && at > y.todo.heap[0].at {
				return true
			}
		}
		y.now = at
		others, opened := false, y.opened
		for q.n > 0 && q.first() == at {
			e := q.pop()
			others = others || e.slot == endOfOthers
			y.endOne(e)
		}
		switch {
		case y.moreNow():
			return true
		case !sole || others || y.opened != opened:
			y.grant(at)
			return true
		case who >= 0 && y.pool.freeMB > 0:
			y.grantSole(who, k, at)
		}
		if q.n == 0 {
			return true
		}
		if at = q.first(); at > until || len(y.todo.heap) > 0 && at >= y.todo.heap[0].at {
			return true
		}
	}
}

// soleWaiting says that at most one phase waits for containers, so that until the next event nobody else has to be
// asked, and which: -1 if none does.
func (y *containers) soleWaiting() (who int, k dag.StageIndex, sole bool) {
	who = -1
	for i := range y.queues {
		if y.queues[i].smallestMB() < plenty {
			return -1, k, false
		}
	}
	for _, j := range y.order {
		job := &y.jobs[j]
		if job.stage == waitingAM {
			return -1, k, false
		}
		if job.stage != active {
			continue
		}
		if y.hanging(j) {
			return -1, k, false
		}
		for i := range job.phase {
			p := &job.phase[i]
			if p.closed && !p.copies() {
				continue // it wants nothing before it opens
			}
			if p.retries() || p.copies() && p.asked > 0 && len(p.retry) > 0 || p.closed || p.lacks != nil &&
				p.left() > 0 {
				return -1, k, false
			}
			waits := p.waiting > 0 && (!p.copies() || p.asked > 0)
			if waits && who >= 0 {
				return -1, k, false
			}
			if waits {
				who, k = j, dag.StageIndex(i) //nolint:gosec // an index
			}
		}
	}
	return who, k, true
}

// grantSole hands out free memory where only one phase waits for it.
func (y *containers) grantSole(j int, k dag.StageIndex, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	if !p.copies() {
		y.grantPending(j, k, y.room(j, k), t)
		return
	}
	p.asked -= y.grantPending(j, k, min(p.asked, y.room(j, k)), t)
}

// What ends, in place of the row of a plain task's stage.
const (
	endOfSpan   int32 = -1 // span id
	endOfOthers int32 = -2 // ebb id: tasks of another application
)

// endOne ends a span, or tasks of others, or a plain task: one that succeeds and of which nothing but its job and kind
// matters has no span.
func (y *containers) endOne(e end) {
	switch e.slot {
	case endOfSpan:
		y.done(int(e.id), e.at)
		return
	case endOfOthers:
		y.ebb(int(e.id))
		return
	}
	of := y.endOnly.stages[e.slot]
	j, k := int(of.job), of.stage
	p := &y.jobs[j].phase[k]
	p.granted--
	y.vacate(j, p.mb)
	y.jobs[j].rules.freed(&y.jobs[j], 1, e.at)
	y.count(j, k, 0, 1, e.at)
}

// runPlain starts a batch of tasks as run does, each by itself and without a span unless it fails or waits for maps.
func (y *containers) runPlain(b *batch, t dag.Instant) {
	j, k := int(b.job), b.kind
	p := &y.jobs[j].phase[k]
	numbers, input := p.attempt, dag.NoInstant
	if p.copies() {
		input = y.inputEnd(j, k)
	}
	task := Task{Job: j, Stage: k, Node: -1, Start: t}
	ready := max(t, y.now)
	n, cuts, cut := int32(len(b.lanes)), b.cuts, int32(0)
	var cost Cost
	for i := range n {
		if i == cut { // the next grant, whose tasks know nothing of those after it
			if cut = n; len(cuts) > 0 {
				cut, cuts = cuts[0], cuts[1:]
			}
			if cost.Same = 0; !y.cores() {
				y.recent.note(-1, int(cut-i), t)
				task.Together, task.Cold = y.recent.at(-1), y.jobs[j].rules.cold(y, b.kept, t)
			}
		}
		task.Index, task.Attempt = int(b.first+i), 0
		if numbers != nil {
			task.Attempt = int(numbers[b.first+i])
		}
		if cost.Same--; cost.Same < 1 || task.Attempt != 0 || y.opt.Fault != nil {
			cost = y.left(task)
		}
		from := ready.Add(cost.Setup)
		if p.copies() {
			if !input.Known() {
				p.copying = append(p.copying, waiting{y.plainSpan(&task, dag.NoInstant), from, cost.Work})
				continue
			}
			from = max(from, input.Add(y.s.Plan.Overheads.Copy))
		}
		at := max(from.Add(cost.Work), y.now)
		if y.opt.Fault != nil && task.Attempt < lastTry {
			if when, fails := y.opt.Fault(task, t, at); fails {
				when = max(min(when, at), y.now)
				y.later(when, rankEnd, event{op: opFail, a: int32(y.plainSpan(&task, when))})
				continue
			}
		}
		if p.tracked {
			y.endOnly.endsAt(at, int32(y.plainSpan(&task, at)))
			continue
		}
		y.endOnly.ends.push(end{at, -1, p.row})
	}
}

// plainSpan gives a task a span after all.
func (y *containers) plainSpan(t *Task, end dag.Instant) int {
	return y.span(Span{
		Job: int32(t.Job), Stage: t.Stage, First: int32(t.Index), Count: 1, Attempt: int32(t.Attempt), Start: t.Start,
		End: end, Slots: y.useLanes(1, 0),
	})
}

// handOver gives the containers of tasks of a stage that end to its next tasks, as long as that is all that happens.
// Most of what a replay of many tasks does is this, and each time it changes nothing but which task is next: the
// memory that is held stays the same. So nobody is asked who wants it, and the batches that start on the way are the
// only events.
func (y *containers) handOver(j int, k dag.StageIndex, until dag.Instant) {
	if !y.handsOver(j, k) {
		return
	}
	job, q := &y.jobs[j], &y.endOnly.ends
	p := &job.phase[k]
	for q.n > 0 && p.waiting > 0 {
		at := q.first()
		if at > until {
			return
		}
		if len(y.todo.heap) > 0 && y.todo.heap[0].at <= at {
			next := y.todo.heap[0]
			if next.at == at || next.op != opStart || int(y.batches[next.a].job) != j || y.batches[next.a].kind != k {
				return
			}
			y.todo.pop()
			y.now = next.at
			y.startBatch(next.a, next.at)
			continue
		}
		r := &p.pending[0]
		n := q.alike(p.row)
		if n == 0 || n > r[1]-r[0] {
			return
		}
		q.drop(int(n))
		y.now, job.lastEnd = at, at
		p.done += int(n)
		y.startAt(j, k, r[0], y.useLanes(int(n), p.mb), y.beatAfter(j, k, at.Add(y.s.Plan.Overheads.Handoff)), false)
		p.waiting -= int(n)
		if r[0] += n; r[0] == r[1] {
			p.pending = p.pending[1:]
		}
	}
}

// handsOver reports whether a stage, the only one that waits, gets exactly the containers that its own tasks free.
func (y *containers) handsOver(j int, k dag.StageIndex) bool {
	job := &y.jobs[j]
	p := &job.phase[k]
	if _, plain := job.rules.(reducesFirst); !plain || p.copies() || !y.laneless() ||
		y.queues[job.queue].userRatio < 1 {
		return false
	}
	for i := int(k) + 1; i < len(job.phase); i++ {
		if to := &job.phase[i]; to.from == k && to.left() > 0 && !job.beating {
			return false // the master has to think about the tasks that copy
		}
	}
	room := y.roomOf(j)
	return room >= 0 && (room < p.mb || p.most > 0 && p.granted == p.most)
}

// beatAfter is the AM's first heartbeat at or after t, which mostly is when the newest batch starts.
func (y *containers) beatAfter(j int, k dag.StageIndex, t dag.Instant) dag.Instant {
	if at := y.endOnly.newest; at >= 0 && t > y.jobs[j].beat {
		b := &y.batches[at]
		before := b.start - dag.Instant(y.s.Plan.Overheads.Beat/time.Millisecond)
		if int(b.job) == j && b.kind == k && t <= b.start && t > before {
			return b.start
		}
	}
	return y.nextBeat(j, t)
}
