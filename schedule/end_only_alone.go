package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

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
