package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// loadStage says where between submission and its first task the job is.
func (y *yarn) loadStage(j int) {
	s, job, js := y.s, &y.jobs[j], &y.s.Jobs[j]
	o := s.Plan.Overheads
	running := js.Map.Running() + js.Reduce.Running()
	switch {
	case !js.Submitted.Known():
		job.stage = blocked
		return
	case running > 0 || js.State == dag.Running && (job.phase[dag.Map].done+job.phase[dag.Reduce].done > 0 || s.At >= js.Submitted.Add(o.Launch)):
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
	if job.phase[dag.Map].left()+job.phase[dag.Reduce].left() == 0 {
		y.at(job.lastEnd.Add(o.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
		return
	}
	if len(job.phase[dag.Map].retry) > 0 {
		y.retryLater(j, dag.Map, s.At)
	}
}

// lateShare is how much longer to wait for something that is late by d already: half as long again, at least half a beat.
func lateShare(late, beat time.Duration) time.Duration {
	return max(late/2, beat/2)
}

// loadBeat takes the phase of the AM's heartbeat from the newest start of an attempt: tasks start at heartbeats.
func (y *yarn) loadBeat(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		for i := range js.Phase(k).Attempts {
			if a := &js.Phase(k).Attempts[i]; a.Start.Known() && a.Start > job.beat {
				job.beat = a.Start
			}
		}
	}
}

// loadAsked guesses how many reduces the AM has asked for: those of its last heartbeat.
func (y *yarn) loadAsked(j int) {
	job := &y.jobs[j]
	if job.mapsEnd.Known() {
		job.asked = job.phase[dag.Reduce].waiting + len(job.phase[dag.Reduce].retry)
		return
	}
	job.asked = max(0, y.wantReduces(j)-job.phase[dag.Reduce].granted)
}
