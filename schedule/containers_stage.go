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
		if y.finished(j, dag.StageIndex(k)) == nil { //nolint:gosec // an index
			running += js.Stages[k].Running()
		}
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
		if f := y.finished(j, dag.StageIndex(k)); f != nil { //nolint:gosec // an index
			job.beat = max(job.beat, f.last)
			continue
		}
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

// loadPhase counts the phase's tasks and finds which have no container.
func (y *containers) loadPhase(j int, k dag.StageIndex) {
	p := &y.jobs[j].phase[k]
	p.total = y.s.Plan.Jobs[j].Stages[k].Count()
	if f := y.finished(j, k); f != nil {
		y.started(f.first)
		p.done, p.ended = p.total, f.ended
		y.jobs[j].lastEnd = max(y.jobs[j].lastEnd, f.ended)
		return
	}
	next := int32(0)
	attempts := y.s.Jobs[j].Stages[k].Attempts
	for i := 0; i < len(attempts); {
		task, end := attempts[i].Task, i+1
		for end < len(attempts) && attempts[end].Task == task {
			end++
		}
		t := y.loadTask(j, k, attempts[i:end])
		i = end
		if int(task) >= p.total || task < 0 {
			continue
		}
		if t.number > 0 {
			if p.attempt == nil {
				p.attempt = map[int32]int32{}
			}
			p.attempt[task] = t.number
		}
		if t.has || t.failed {
			if task > next {
				p.pending = append(p.pending, [2]int32{next, task})
			}
			next = max(next, task+1)
		}
		if t.failed && !t.has {
			p.retry = append(p.retry, task)
		}
	}
	if int(next) < p.total {
		p.pending = append(p.pending, [2]int32{next, int32(p.total)})
	}
	for _, r := range p.pending {
		p.waiting += int(r[1] - r[0])
	}
	if p.left() == 0 {
		p.ended = lastSuccess(attempts, y.now)
	}
}

// A taskStanding is how a task stands by its attempts.
type taskStanding struct {
	has    bool  // a container, or its end
	failed bool  // an attempt has
	number int32 // of its next attempt
}

// loadTask reads a task's attempts up to the one that has a container or has succeeded.
func (y *containers) loadTask(j int, k dag.StageIndex, attempts []dag.Attempt) (t taskStanding) {
	job := &y.jobs[j]
	for i := 0; i < len(attempts) && !t.has; i++ {
		a := &attempts[i]
		if a.State != dag.AttemptWaiting {
			y.started(a.Start)
		}
		switch a.State {
		case dag.AttemptSucceeded:
			t.has = true
			job.phase[k].done++
			if a.End.Known() && (!job.lastEnd.Known() || a.End > job.lastEnd) {
				job.lastEnd = a.End
			}
		case dag.AttemptRunning:
			t.has = true
			if y.doomed(a) {
				y.abandonLater(j, k, a)
			}
		case dag.AttemptFailed, dag.AttemptKilled:
			if y.doomed(a) {
				y.abandonLater(j, k, a)
				t.has = true
				continue
			}
			t.failed = true
			t.number = max(t.number, a.Number+1)
		case dag.AttemptWaiting:
			t.number = max(t.number, a.Number)
		}
	}
	return t
}

// lastSuccess is when the last task of a stage that is done has ended; now if that is not known.
func lastSuccess(attempts []dag.Attempt, now dag.Instant) dag.Instant {
	last := dag.NoInstant
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() && (!last.Known() || a.End > last) {
			last = a.End
		}
	}
	if !last.Known() {
		return now
	}
	return last
}

// loadRunning puts the running attempts into lanes and schedules their ends.
func (y *containers) loadRunning(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	for k := range js.NumStages() {
		p, attempts := &job.phase[k], js.Stages[k].Attempts
		last := int32(-1)
		if y.finished(j, k) != nil {
			continue
		}
		for i := range attempts {
			a := &attempts[i]
			if a.State != dag.AttemptRunning || int(a.Task) >= p.total {
				continue
			}
			twin := a.Task == last // a speculative second attempt holds a container too
			last = a.Task
			if y.doomed(a) {
				continue
			}
			lane := y.pool.lane(a.Node)
			if !y.pool.shuts(lane) {
				y.occupy(j, p.mb)
				y.pool.fill(a.Node, p.mb)
			}
			if twin {
				y.mergeTwin(j, k, a, lane)
				continue
			}
			p.granted++
			y.run(j, k, a.Task, 1, a.Number, a.Start, []int32{lane}, a, true)
		}
	}
}

// mergeTwin lets the better of two attempts of a task decide its end; the other's container is held as long.
func (y *containers) mergeTwin(j int, k dag.StageIndex, a *dag.Attempt, lane int32) {
	for i := len(y.out) - 1; i >= 0; i-- {
		sp := &y.out[i]
		if int(sp.Job) == j && sp.Stage == k && sp.First == a.Task {
			mb := y.jobs[j].phase[k].mb
			// A reduce that waits for maps has no end yet; its twin is taken to be killed soon.
			y.at(max(sp.End, y.now), rankEnd, func(dag.Instant) {
				y.leave(j, mb, []int32{lane})
			})
			return
		}
	}
}
