package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// together is how close starts must be for their JVMs to slow each other down (docs/facts/measured.md 4).
const together = 1600 * time.Millisecond

// grant hands out free memory: earlier jobs first, in a job the AM's own container, then maps to run again, then
// reduces, then maps (docs/facts/hadoop.md F, priorities 5, 10, 20).
func (y *yarn) grant(t dag.Instant) {
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
}

func (y *yarn) grantJob(j int, t dag.Instant) {
	switch job := &y.jobs[j]; job.stage {
	case waitingAM:
		if y.roomOf(j) >= job.amMB && y.leavesRoom(j) {
			y.startAM(j, t)
		}
	case active:
		y.grantRetries(j, dag.Map, t)
		y.grantReduces(j, t)
		y.grantPending(j, dag.Map, y.room(j, dag.Map), t)
	}
}

// leavesRoom says that another AM would leave room for a container of a task beside it, or that it is the only one. Schedulers see to that
// by a limit for AMs (CapacityScheduler's maximum-am-resource-percent); where that is known it counts.
func (y *yarn) leavesRoom(j int) bool {
	if y.queues[y.jobs[j].queue].mastersMB < plenty {
		return y.mastersFit(y.jobs[j].queue, y.jobs[j].amMB)
	}
	others, tasks := false, 0
	for _, i := range y.order {
		if s := y.jobs[i].stage; i != j && (s == starting || s == active) {
			others = true
			for k := range y.jobs[i].phase {
				tasks += y.jobs[i].phase[k].granted * y.jobs[i].mb[k]
			}
		}
	}
	job := &y.jobs[j]
	return !others || y.roomIn(job.queue, job.user)+tasks-job.amMB >= max(job.mb[dag.Map], job.mb[dag.Reduce])
}

// room is how many containers for tasks of kind k the job may be given now.
func (y *yarn) room(j int, k dag.Kind) int {
	job := &y.jobs[j]
	n := (y.roomOf(j) - y.pool.idleOn(job.avoided, job.mb[k])) / job.mb[k]
	limit := job.limits.MaxMaps
	if k == dag.Reduce {
		limit = job.limits.MaxReduces
	}
	if limit > 0 {
		n = min(n, limit-job.phase[k].granted)
	}
	return max(n, 0)
}

func (y *yarn) grantRetries(j int, k dag.Kind, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	for len(p.retry) > 0 && y.room(j, k) > 0 {
		task := p.retry[0]
		if task < 0 { // not asked for yet
			return
		}
		p.retry = p.retry[1:]
		y.give(j, k, task, 1, t)
	}
}

func (y *yarn) grantReduces(j int, t dag.Instant) {
	job := &y.jobs[j]
	p := &job.phase[dag.Reduce]
	for job.asked > 0 && len(p.retry) > 0 && y.room(j, dag.Reduce) > 0 {
		task := p.retry[0]
		p.retry = p.retry[1:]
		job.asked--
		y.give(j, dag.Reduce, task, 1, t)
	}
	n := min(job.asked, y.room(j, dag.Reduce))
	job.asked -= y.grantPending(j, dag.Reduce, n, t)
}

// grantPending gives containers to up to n pending tasks, runs of consecutive tasks at once, and returns how many.
func (y *yarn) grantPending(j int, k dag.Kind, n int, t dag.Instant) int {
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

// give takes n containers for tasks first, first+1, …; they start when the AM hears of them, at its next heartbeat.
func (y *yarn) give(j int, k dag.Kind, first int32, n int, t dag.Instant) {
	job := &y.jobs[j]
	y.occupy(j, n*job.mb[k])
	job.phase[k].granted += n
	lanes := y.seats(j, n, job.mb[k])
	start := y.nextBeat(j, t.Add(y.s.Plan.Overheads.Handoff))
	if !y.joins(j, k, first, n, start) {
		at := y.batch(batch{job: int32(j), kind: k, first: first, lanes: lanes, start: start})
		if y.lean != nil {
			y.lean.newest = at
		}
		y.later(start, rankStart, event{op: opStart, a: at})
	}
	if k == dag.Map && job.phase[dag.Reduce].left() > 0 {
		y.beatLater(j, start)
	}
}

// nextBeat is the AM's first heartbeat at or after t.
func (y *yarn) nextBeat(j int, t dag.Instant) dag.Instant {
	beat := dag.Instant(y.s.Plan.Overheads.Beat / time.Millisecond)
	from := y.jobs[j].beat
	if beat <= 0 || !from.Known() || t <= from {
		return t
	}
	return from + (t-from+beat-1)/beat*beat
}

// start launches a batch of tasks that were granted together.
func (y *yarn) start(j int, k dag.Kind, first int32, lanes []int32, t dag.Instant) {
	y.noteStarts(lanes, t)
	for i := 0; i < len(lanes); {
		number := y.jobs[j].phase[k].attempt[first+int32(i)]
		i += y.run(j, k, first+int32(i), len(lanes)-i, number, t, lanes[i:], nil)
	}
}

func (y *yarn) noteStarts(lanes []int32, t dag.Instant) {
	for _, l := range lanes {
		y.recent.note(y.pool.node[l], 1, t)
	}
}

// run puts up to n tasks of equal cost into lanes, schedules their end and returns how many it took.
// a is the attempt that runs already, nil for tasks that start at t.
func (y *yarn) run(j int, k dag.Kind, first int32, n int, number int32, t dag.Instant, lanes []int32, a *dag.Attempt) int {
	task := Task{Job: j, Kind: k, Index: int(first), Attempt: int(number), Slot: int(lanes[0]), Node: int(y.pool.node[lanes[0]]), Running: a, Start: t}
	if a == nil {
		task.Together, task.Cold = y.recent.at(y.pool.node[lanes[0]]), y.cold(t)
	}
	cost := y.left(task)
	if a == nil && number == 0 && y.opt.Fault == nil && len(y.pool.room) == 0 {
		n = min(n, max(cost.Same, 1))
	} else {
		n = 1 // a retry, a fault or a node of its own makes each task a case of its own
	}
	sp := Span{Job: int32(j), Kind: k, First: first, Count: int32(n), Attempt: number, Start: t, End: dag.NoInstant, Slots: lanes[:n:n]}
	at := y.span(sp)
	job := &y.jobs[j]
	// What is left counts from now for a running task, from the start of a later one.
	ready := max(t, y.now).Add(cost.Setup)
	if k == dag.Reduce && !(a != nil && a.CopyEnd.Known()) {
		if !job.mapsEnd.Known() {
			job.copying = append(job.copying, waiting{at, ready, cost.Work})
			return n
		}
		ready = max(ready, job.mapsEnd.Add(y.s.Plan.Overheads.Copy))
	}
	y.endAt(at, ready.Add(cost.Work))
	return n
}

// endAt schedules the end of a span.
func (y *yarn) endAt(at int, end dag.Instant) {
	sp := &y.out[at]
	end = max(end, y.now)
	if y.opt.Fault != nil && sp.Attempt < lastTry {
		task := Task{Job: int(sp.Job), Kind: sp.Kind, Index: int(sp.First), Attempt: int(sp.Attempt), Slot: int(sp.Slots[0]), Node: int(y.pool.node[sp.Slots[0]])}
		if when, fails := y.opt.Fault(task, sp.Start, end); fails {
			sp.Outcome, sp.End = Fails, max(min(when, end), y.now)
			y.later(sp.End, rankEnd, event{op: opFail, a: int32(at)})
			return
		}
	}
	sp.End = end
	if y.lean != nil {
		y.lean.endsAt(end, int32(at))
		return
	}
	y.later(end, rankEnd, event{op: opDone, a: int32(at)})
}
