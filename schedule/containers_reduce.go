package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

// beatLater makes the AM reconsider its reduces at its first heartbeat at or after t.
func (y *containers) beatLater(j int, t dag.Instant) {
	job := &y.jobs[j]
	if job.beating {
		return
	}
	job.beating = true
	y.later(y.nextBeat(j, t), rankBeat, event{op: opBeat, a: int32(j)})
}

// beat is a heartbeat of the AM: it makes room for stages that hang because others copy from them, else it reconsiders
// those that copy.
func (y *containers) beat(j int, t dag.Instant) {
	y.jobs[j].beating = false
	if y.hanging(j) {
		y.preempt(j)
		return
	}
	for i := range y.jobs[j].phase {
		if y.jobs[j].phase[i].copies() {
			y.askCopying(j, dag.StageIndex(i), t) //nolint:gosec // an index
		}
	}
}

// askCopying asks for more tasks of a stage that copies, or takes back asks that were not granted. The scheduler hears
// it a heartbeat later.
func (y *containers) askCopying(j int, k dag.StageIndex, t dag.Instant) {
	job := &y.jobs[j]
	if job.stage != active {
		return
	}
	p := &job.phase[k]
	more := job.rules.want(y, j, k) - p.granted - p.asked - p.asking
	if more < 0 {
		p.asked += max(more, -p.asked) // ramp down what is not granted
		return
	}
	if more == 0 {
		return
	}
	p.asking += more
	y.later(t.Add(y.s.Plan.Overheads.Beat), rankAsk, event{op: opAsk, a: int32(j), b: int32(more), stage: k})
}

// done ends a span of tasks.
func (y *containers) done(at int, t dag.Instant) {
	sp := &y.out[at]
	j, k, first, n := int(sp.Job), sp.Stage, sp.First, sp.Count
	y.release(at)
	y.over(at)
	y.count(j, k, first, n, t)
}

// count adds n tasks from first on that are done to a stage; their containers have been given back.
func (y *containers) count(j int, k dag.StageIndex, first, n int32, t dag.Instant) {
	job := &y.jobs[j]
	job.phase[k].done += int(n)
	job.lastEnd = t
	y.follow(j, k, first, n, t)
	if job.left() == 0 {
		y.at(t.Add(y.s.Plan.Overheads.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
	}
}

// release gives a span's containers back.
func (y *containers) release(at int) {
	sp := &y.out[at]
	p := &y.jobs[sp.Job].phase[sp.Stage]
	p.granted -= int(sp.Count)
	y.leave(int(sp.Job), int(sp.Count)*p.mb, sp.Slots)
	y.jobs[sp.Job].rules.freed(&y.jobs[sp.Job], int(sp.Count), y.now)
}

// copied lets the waiting tasks of a stage copy the last output that they lacked, and work.
func (y *containers) copied(j int, k dag.StageIndex, t dag.Instant) {
	if !y.inputEnd(j, k).Known() {
		return
	}
	p := &y.jobs[j].phase[k]
	for _, w := range p.copying {
		y.endAt(w.span, max(w.ready, t.Add(y.s.Plan.Overheads.Copy)).Add(w.work))
	}
	p.copying = nil
}

// fail ends a simulated attempt that did not succeed. Its task is asked for again.
func (y *containers) fail(at int, t dag.Instant) {
	sp := y.out[at]
	j, k := int(sp.Job), sp.Stage
	y.release(at)
	y.over(at)
	p := &y.jobs[j].phase[k]
	if p.attempt == nil {
		p.attempt = map[int32]int32{}
	}
	p.attempt[sp.First] = sp.Attempt + 1
	p.retry = append(p.retry, sp.First)
	y.retryLater(j, k, t)
}

// retryLater hides the retries of a stage that does not copy from the scheduler until the AM has asked for them: the
// request comes a heartbeat too late for the container that the failed attempt held, which goes to the next map
// (recording failure-1; ParaTimer section 3.2.2 saw the same of its scheduler).
func (y *containers) retryLater(j int, k dag.StageIndex, t dag.Instant) {
	p := &y.jobs[j].phase[k]
	if p.copies() {
		y.beatLater(j, t)
		return
	}
	hidden := p.retry
	p.retry = append([]int32{-1}, hidden...)
	y.at(y.nextBeat(j, t).Add(y.s.Plan.Overheads.Beat), rankAsk, func(dag.Instant) {
		for i, task := range p.retry {
			if task < 0 {
				p.retry = append(p.retry[:i:i], p.retry[i+1:]...)
				return
			}
		}
	})
}
