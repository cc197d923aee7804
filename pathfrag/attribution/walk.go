package attribution

import (
	"github.com/paratimer/paratimer/dag"
)

// A walker follows the chain backwards. Its parts are in reverse order.
type walker struct {
	*run
	graph  *dag.Graph
	marks  *Marks
	origin dag.Instant
	at     dag.Instant // the present position of the chain
	parts  []Part
	waits  []Wait
	been   map[int32]bool // attempts that the chain has passed
	done   []bool         // jobs that the chain has passed

	towards *Attempt // of a run that goes on: the attempt that its end waits for, nil if unknown
}

// back moves to an earlier instant and adds a part with a cause for the time between.
func (w *walker) back(c Cause, to dag.Instant, p Part) {
	to = max(to, w.origin)
	if to >= w.at {
		return
	}
	p.Cause, p.Start, p.End = c, to, w.at
	if n := len(w.parts); n > 0 {
		if q := &w.parts[n-1]; q.Cause == c && q.Job == p.Job && q.Stage == p.Stage && q.Task == p.Task &&
			q.Attempt == p.Attempt {
			q.Start, w.at = to, to
			return
		}
	}
	w.parts = append(w.parts, p)
	w.at = to
}

// ofJob returns a part of a job, without a task.
func ofJob(j int32) Part { return Part{Job: int(j), Task: -1, Attempt: -1} }

func (w *walker) of(id int32) Part {
	a := &w.all[id]
	return Part{Job: int(a.job), Stage: a.kind, Task: a.Task, Attempt: a.Number}
}

// walk makes the parts and returns the end of the chain.
func (w *walker) walk() dag.Instant {
	end := max(w.s.At, w.origin)
	if w.s.State.Ended() {
		j := w.lastJob()
		switch {
		case j >= 0:
			end = max(w.s.Jobs[j].Finished, w.origin)
			w.at = end
			w.jobEnd(j)
		default:
			w.at = end
			w.running()
		}
	} else {
		w.at = end
		w.running()
	}
	w.back(Unknown, w.origin, ofJob(-1))
	return end
}

// lastJob returns the job that ended last, -1 if no end is known.
func (w *walker) lastJob() int32 {
	last := int32(-1)
	for j := range w.s.Jobs {
		if t := w.s.Jobs[j].Finished; t.Known() && (last < 0 || t > w.s.Jobs[last].Finished) {
			last = int32(j)
		}
	}
	return last
}

// jobEnd continues the chain with a job that ended by now.
func (w *walker) jobEnd(j int32) {
	w.done[j] = true
	if id := w.last[j]; id >= 0 {
		w.back(Finish, w.all[id].End, ofJob(j))
		w.follow(id)
		return
	}
	plan, js := &w.s.Plan.Jobs[j], &w.s.Jobs[j]
	if !w.tasksLeft(j) && plan.Tasks() == 0 && js.Started.Known() {
		w.back(Finish, js.Started, ofJob(j)) // it has no tasks
	} else {
		w.back(Unknown, max(js.Started, js.Submitted), ofJob(j))
	}
	w.jobStart(j)
}

// running starts the chain of a run that goes on: with the attempt that its end waits for or, if that is unknown,
// the one that has run longest, except tasks that wait for their input.
func (w *walker) running() {
	best := int32(-1)
	for i := range w.all {
		a := &w.all[i]
		if a.State != dag.AttemptRunning || !a.Start.Known() || w.copies(a) && !a.CopyEnd.Known() && w.inputLeft(a) {
			continue
		}
		if t := w.towards; t != nil && *t == (Attempt{int(a.job), a.kind, a.Task, a.Number}) {
			best = int32(i)
			break
		}
		if best < 0 || a.Start < w.all[best].Start {
			best = int32(i)
		}
	}
	if best >= 0 {
		w.follow(best)
		return
	}
	open := int32(-1)
	for j := range w.s.Jobs {
		js := &w.s.Jobs[j]
		if js.Submitted.Known() && !js.State.Ended() && (open < 0 || js.Submitted < w.s.Jobs[open].Submitted) {
			open = int32(j)
		}
	}
	switch {
	case open < 0:
		if j := w.lastJob(); j >= 0 { // between two waves
			w.back(Launch, w.s.Jobs[j].Finished, ofJob(-1))
			w.jobEnd(j)
		}
	case w.last[open] < 0:
		w.done[open] = true
		w.jobStart(open)
	case w.s.DriverAlone().Known() && (w.s.Plan.Open || w.tasksLeft(open)):
		w.done[open] = true
		w.back(Launch, w.all[w.last[open]].End, ofJob(open))
		w.follow(w.last[open])
	case w.tasksLeft(open):
		w.done[open] = true
		w.back(Containers, w.all[w.last[open]].End, ofJob(open))
		w.follow(w.last[open])
	default:
		w.jobEnd(open)
	}
}

// tasksLeft reports whether tasks of a job have not succeeded.
func (w *walker) tasksLeft(j int32) bool {
	for k := range w.s.Plan.Jobs[j].NumStages() {
		if w.left(j, k) {
			return true
		}
	}
	return false
}

// follow goes back through attempts until the chain leaves them.
func (w *walker) follow(id int32) {
	for id >= 0 && w.at > w.origin {
		w.been[id] = true
		id = w.through(id)
	}
}
