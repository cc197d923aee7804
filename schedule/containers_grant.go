package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// together is how close starts must be for their JVMs to slow each other down (docs/facts/measured.md 4).
const together = 1600 * time.Millisecond

// grant hands out free memory: earlier jobs first, in a job the AM's own container, then tasks as its rules have it.
func (y *containers) grant(t dag.Instant) {
	if t < y.s.NextContainer {
		return
	}
	if y.contended() {
		y.share(t)
	} else {
		for _, j := range y.inOrder() {
			if y.pool.freeMB <= 0 {
				break
			}
			y.grantJob(j, t)
		}
	}
	y.preemptLater(t)
	y.grow(t)
}

func (y *containers) grantJob(j int, t dag.Instant) {
	switch job := &y.jobs[j]; job.stage {
	case waitingAM:
		if y.roomOf(j) >= job.amMB && y.leavesRoom(j) {
			y.startAM(j, t)
		}
	case active:
		job.rules.grant(y, j, t)
	}
}

// leavesRoom says that another AM would leave room for a container of a task beside it, or that it is the only one.
// Schedulers see to that by a limit for AMs (CapacityScheduler's maximum-am-resource-percent); where that is known it
// counts.
func (y *containers) leavesRoom(j int) bool {
	if y.queues[y.jobs[j].queue].mastersMB < plenty {
		return y.mastersFit(y.jobs[j].queue, y.jobs[j].amMB)
	}
	others, tasks := false, 0
	for _, i := range y.order {
		if s := y.jobs[i].stage; i != j && (s == starting || s == active) {
			others = true
			for k := range y.jobs[i].phase {
				tasks += y.jobs[i].phase[k].granted * y.jobs[i].phase[k].mb
			}
		}
	}
	job := &y.jobs[j]
	return !others || y.roomIn(job.queue, job.user)+tasks-job.amMB >= job.largestMB()
}

// room is how many containers for tasks of kind k the job may be given now.
func (y *containers) room(j int, k dag.StageIndex) int {
	job := &y.jobs[j]
	p := &job.phase[k]
	n := (y.roomOf(j) - y.pool.idleOn(job.avoided, p.mb)) / p.mb
	if p.most > 0 {
		n = min(n, p.most-p.granted)
	}
	return max(n, 0)
}

func (y *containers) grantRetries(j int, k dag.StageIndex, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	for !p.closed && len(p.retry) > 0 && y.room(j, k) > 0 {
		task := p.retry[0]
		if task < 0 { // not asked for yet
			return
		}
		p.retry = p.retry[1:]
		y.give(j, k, task, 1, t)
	}
}

func (y *containers) grantCopying(j int, k dag.StageIndex, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	for p.asked > 0 && len(p.retry) > 0 && y.room(j, k) > 0 {
		task := p.retry[0]
		p.retry = p.retry[1:]
		p.asked--
		y.give(j, k, task, 1, t)
	}
	n := min(p.asked, y.room(j, k))
	p.asked -= y.grantPending(j, k, n, t)
}

// grantPending gives containers to up to n pending tasks, runs of consecutive tasks at once, and returns how many.
func (y *containers) grantPending(j int, k dag.StageIndex, n int, t dag.Instant) int {
	p := &y.jobs[j].phase[k]
	given := 0
	for n > 0 && len(p.pending) > 0 {
		r := &p.pending[0]
		run := min(n, int(r[1]-r[0]))
		y.give(j, k, r[0], run, t)
		p.waiting -= run
		r[0] += int32(run)
		if r[0] == r[1] {
			p.pending = p.pending[1:]
		}
		n -= run
		given += run
	}
	return given
}

// give takes n containers for tasks first, first+1, …: those that are kept before new ones.
func (y *containers) give(j int, k dag.StageIndex, first int32, n int, t dag.Instant) {
	kept := y.keptContainers(j, n, t)
	if kept > 0 {
		y.launch(j, k, first, kept, t, true)
	}
	if n > kept {
		y.launch(j, k, first+int32(kept), n-kept, t, false) //nolint:gosec // a stage has at most 2^31 tasks
	}
}

// launch starts tasks in containers when the AM hears of these, at its next heartbeat.
func (y *containers) launch(j int, k dag.StageIndex, first int32, n int, t dag.Instant, kept bool) {
	job := &y.jobs[j]
	p := &job.phase[k]
	y.occupy(j, n*p.mb)
	p.granted += n
	start := y.nextBeat(j, t.Add(y.s.Plan.Overheads.Handoff))
	y.startAt(j, k, first, y.seats(j, n, p.mb), start, kept)
	for i := int(k) + 1; i < len(job.phase); i++ {
		if to := &job.phase[i]; to.from == k && to.left() > 0 {
			y.beatLater(j, start) // it may be asked for once all of these have their containers
		}
	}
}

// startAt has tasks start in their lanes at an instant.
func (y *containers) startAt(j int, k dag.StageIndex, first int32, lanes []int32, start dag.Instant, kept bool) {
	if y.joins(j, k, first, len(lanes), start, kept) {
		return
	}
	at := y.batch(batch{job: int32(j), kind: k, first: first, lanes: lanes, start: start, kept: kept})
	if y.endOnly != nil {
		y.endOnly.newest = at
	}
	y.later(start, rankStart, event{op: opStart, a: at})
}

// nextBeat is the AM's first heartbeat at or after t.
func (y *containers) nextBeat(j int, t dag.Instant) dag.Instant {
	beat := dag.Instant(y.s.Plan.Overheads.Beat / time.Millisecond)
	from := y.jobs[j].beat
	if beat <= 0 || !from.Known() || t <= from {
		return t
	}
	return from + (t-from+beat-1)/beat*beat
}

// start launches a batch of tasks that were granted together.
func (y *containers) start(b *batch, t dag.Instant) {
	j, lanes := int(b.job), b.lanes
	y.noteStarts(lanes, t)
	for i := 0; i < len(lanes); {
		first := b.first + int32(i) //nolint:gosec // a stage has at most 2^31 tasks
		number := y.jobs[j].phase[b.kind].attempt[first]
		i += y.run(j, b.kind, first, len(lanes)-i, number, t, lanes[i:], nil, b.kept)
	}
}

func (y *containers) noteStarts(lanes []int32, t dag.Instant) {
	for _, l := range lanes {
		y.recent.note(y.pool.node[l], 1, t)
	}
}

// run puts up to n tasks of equal cost into lanes, schedules their end and returns how many it took. a is the attempt
// that runs already, nil for tasks that start at t; kept says that these start in containers that were kept.
func (y *containers) run(j int, k dag.StageIndex, first int32, n int, number int32, t dag.Instant, lanes []int32,
	a *dag.Attempt, kept bool,
) int {
	task := Task{
		Job: j, Stage: k, Index: int(first), Attempt: int(number), Slot: int(lanes[0]),
		Node: int(y.pool.node[lanes[0]]), Running: a, Start: t,
	}
	if a == nil {
		if y.cores() {
			task.Cold = y.pool.cold.drop(lanes[0])
		} else {
			task.Together, task.Cold = y.recent.at(y.pool.node[lanes[0]]), y.jobs[j].rules.cold(y, kept, t)
		}
	}
	cost := y.left(task)
	if a == nil && number == 0 && y.opt.Fault == nil && len(y.pool.room) == 0 {
		n = min(n, max(cost.Same, 1))
	} else {
		n = 1 // a retry, a fault or a node of its own makes each task a case of its own
	}
	sp := Span{
		Job: int32(j), Stage: k, First: first, Count: int32(n), Attempt: number, Start: t, End: dag.NoInstant,
		Slots: lanes[:n:n],
	}
	at := y.span(sp)
	// What is left counts from now for a running task, from the start of a later one.
	ready := max(t, y.now).Add(cost.Setup)
	if p := &y.jobs[j].phase[k]; p.copies() && !(a != nil && a.CopyEnd.Known()) {
		end := y.inputEnd(j, k)
		if !end.Known() {
			p.copying = append(p.copying, waiting{at, ready, cost.Work})
			return n
		}
		ready = max(ready, end.Add(y.s.Plan.Overheads.Copy))
	}
	y.endAt(at, ready.Add(cost.Work))
	return n
}

// endAt schedules the end of a span.
func (y *containers) endAt(at int, end dag.Instant) {
	sp := &y.out[at]
	end = max(end, y.now)
	if y.opt.Fault != nil && sp.Attempt < lastTry {
		task := Task{
			Job: int(sp.Job), Stage: sp.Stage, Index: int(sp.First), Attempt: int(sp.Attempt),
			Slot: int(sp.Slots[0]), Node: int(y.pool.node[sp.Slots[0]]),
		}
		if when, fails := y.opt.Fault(task, sp.Start, end); fails {
			sp.Outcome, sp.End = Fails, max(min(when, end), y.now)
			y.later(sp.End, rankEnd, event{op: opFail, a: int32(at)})
			return
		}
	}
	sp.End = end
	if y.endOnly != nil {
		y.endOnly.endsAt(end, int32(at))
		return
	}
	y.later(end, rankEnd, event{op: opDone, a: int32(at)})
}
