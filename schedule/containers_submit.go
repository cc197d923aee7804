package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

func (y *containers) submit(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.submitted, job.beat = t, t
	y.order = append(y.order, j)
	if len(y.order) == 1 {
		y.askAnew()
	}
	// The RM takes a moment to accept the application.
	y.at(t.Add(y.s.Plan.Overheads.AMStart), rankAsk, func(dag.Instant) { job.stage = waitingAM })
}

// startAM gives the job's AM its container.
func (y *containers) startAM(j int, t dag.Instant) {
	job := &y.jobs[j]
	o := y.s.Plan.Overheads
	y.occupy(j, job.amMB)
	job.stage, job.mastered = starting, t
	ready := t.Add(max(0, o.Launch-o.AMStart))
	y.at(ready, rankSubmit, func(t dag.Instant) { y.activate(j, t) })
}

// activate asks for the job's tasks: its first may start now.
func (y *containers) activate(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.stage = active
	job.beat = t
	for i := range job.phase {
		if p := &job.phase[i]; p.total == 0 && !p.closed && len(p.after) == 0 {
			y.follow(j, dag.StageIndex(i), 0, 0, t) //nolint:gosec // an index
		}
	}
	if job.left() == 0 {
		y.at(t.Add(y.s.Plan.Overheads.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
	}
	job.rules.first(y, j, t)
}

// finish ends the job; its AM keeps its container a while.
func (y *containers) finish(j int, t dag.Instant) {
	job := &y.jobs[j]
	if job.stage == ended {
		return
	}
	job.stage, job.finished = ended, t
	mb := job.amMB
	y.at(t.Add(y.s.Plan.Overheads.AMHold), rankEnd, func(dag.Instant) {
		y.vacate(j, mb)
		y.pool.empty(job.seat, mb)
	})
	y.driver.next(y, t)
}
