package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// loadStage says where between submission and its first task the job is.
func (y *containers) loadStage(j int) {
	s, job, js := y.s, &y.jobs[j], &y.s.Jobs[j]
	o := s.Plan.Overheads
	running, done := 0, 0
	for k := range job.phase {
		running += js.Stages[k].Running()
		done += job.phase[k].done
	}
	switch {
	case !js.Submitted.Known():
		job.stage = blocked
		return
	case running > 0 || js.State == dag.Running && (done > 0 || s.At >= js.Submitted.Add(o.Launch)):
		// Its tasks are asked for; where none runs, they wait for containers.
		job.stage = active
		y.seatMaster(j)
	case js.HeldMB > 0 || js.State == dag.Running:
		job.stage = starting
		y.seatMaster(j)
		ready := js.Submitted.Add(o.Launch)
		if ready <= s.At {
			// Later than usual: it may come at any moment, and what has not come for long will not come at once.
			ready = s.At.Add(lateShare(s.At.Sub(js.Submitted)-o.Launch, o.Beat))
		}
		y.at(ready, rankSubmit, func(t dag.Instant) { y.activate(j, t) })
		return
	default:
		// The RM takes a moment to accept the application.
		if up := js.Submitted.Add(o.AMStart); up > s.At {
			y.at(up, rankAsk, func(dag.Instant) { job.stage = waitingAM })
		} else {
			job.stage = waitingAM
		}
		return
	}
	y.loadBeat(j)
	if job.left() == 0 {
		y.at(job.lastEnd.Add(o.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
		return
	}
	for k := range job.phase {
		if p := &job.phase[k]; !p.copies() && len(p.retry) > 0 {
			y.retryLater(j, dag.StageIndex(k), s.At) //nolint:gosec // an index
		}
	}
}

// lateShare is how much longer to wait for something that is late by d already: half as long again, at least half a
// beat.
func lateShare(late, beat time.Duration) time.Duration {
	return max(late/2, beat/2)
}

// loadBeat takes the phase of the AM's heartbeat from the newest start of an attempt: tasks start at heartbeats.
func (y *containers) loadBeat(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			if a := &js.Stages[k].Attempts[i]; a.Start.Known() && a.Start > job.beat {
				job.beat = a.Start
			}
		}
	}
}

// loadAsked guesses how many tasks that copy the AM has asked for: those of its last heartbeat.
func (y *containers) loadAsked(j int) {
	for i := range y.jobs[j].phase {
		k := dag.StageIndex(i) //nolint:gosec // an index
		switch p := &y.jobs[j].phase[k]; {
		case !p.copies():
		case y.inputEnd(j, k).Known():
			p.asked = p.waiting + len(p.retry)
		default:
			p.asked = max(0, y.jobs[j].rules.want(y, j, k)-p.granted)
		}
	}
}
