package spark

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A driver that is too busy drops events. Its log and its web page then never show the end of some tasks, stages or
// jobs. Later events imply these ends.

// late is how long ParaTimer waits for an event before it infers the event from later ones.
const late = 30 * time.Second

// overlap is how long an executor may run one task more than it has cores. The driver launches the next task before
// it processes the result of the previous one.
const overlap = 250 * time.Millisecond

// A repairer adds the events that a driver has dropped and that later ones imply.
type repairer struct {
	*facts
	implied     []*task // tasks with an implied end, including some with a later real end
	impliedJobs int     // jobs with a missing start
	missing     int     // other events that are missing: starts of stages and tasks, ends of jobs and stages
}

// plausible reports whether a stage with this id can exist, if the start of its job is missing.
func (r *repairer) plausible(id int) bool {
	const mostGap = 10_000 // above all known ids
	top := -1
	for _, j := range r.jobs {
		if s := j.last(); s != nil {
			top = max(top, s.id)
		}
	}
	return id >= 0 && (top < 0 || id <= top+mostGap)
}

// beforeImplied is less than the ids of all jobs with a missing start.
const beforeImplied = -mostJobs - 3

// imply assigns a stage without a job to a job with a missing start.
func (r *repairer) imply(s *stage, e *event) {
	if len(s.jobs) > 0 || r.stages[s.id] != s || !r.plausible(s.id) {
		return
	}
	of := &e.more.Properties
	j := r.openImplied()
	if j == nil {
		j = &job{
			id: beforeImplied + 1 + r.impliedJobs, status: "RUNNING", submitted: e.at, completed: dag.NoInstant,
			group: dag.Clean(string(of.Group)),
		}
		if !r.addJob(j) {
			return
		}
		r.impliedJobs++
	}
	j.stages = insert(j.stages, s, byStage)
	s.jobs = append(s.jobs, j)
	r.takeExecutionOf(of, j.id)
}

// openImplied returns the running job with a missing start, or nil.
func (r *repairer) openImplied() *job {
	if j := r.jobs[beforeImplied+r.impliedJobs]; j != nil && !j.hasEnded() {
		return j
	}
	return nil
}

// begin marks an attempt of a stage as running if its submission event is missing.
func (r *repairer) begin(t *try, at dag.Instant, e *event) {
	if r.imply(t.stage, e); t.status != "" {
		return
	}
	s := t.stage
	t.submitted, t.status, t.tasks = at, "ACTIVE", cmp.Or(t.tasks, s.tasks)
	r.missing++
	if t == s.newest() {
		s.status = t.status
	}
}

// repair ends everything that must have ended by now.
func (r *repairer) repair(now dag.Instant) {
	r.implied = slices.DeleteFunc(r.implied, func(k *task) bool { return !k.impliedSince.Known() })
	for _, s := range r.stages {
		r.completeStage(s, now)
	}
	for _, j := range r.jobs {
		s := j.last()
		if j.hasEnded() || s == nil || !s.done() {
			continue
		}
		// A job ends with its last stage.
		if t := s.newest(); t.completed >= j.submitted && (r.hasEnd || now.Sub(t.completed) > late) {
			j.status, j.completed = "SUCCEEDED", t.completed
			r.missing++
		}
	}
	running := map[int32][]*task{}
	for _, s := range r.stages {
		for _, t := range s.tries {
			if r.settle(t, now); t.settled {
				continue
			}
			for _, k := range t.running() {
				if k.assignable() {
					running[k.Node] = append(running[k.Node], k)
				}
			}
		}
	}
	for i, tasks := range running {
		r.crowd(r.all[i], tasks, now)
	}
}

// completeStage completes a stage attempt if another stage has read its output, or all its tasks have succeeded.
func (r *repairer) completeStage(s *stage, now dag.Instant) {
	t := s.newest()
	if t == nil || t.status != "ACTIVE" {
		return
	}
	at := dag.NoInstant
	for _, j := range s.jobs {
		if j.status == "SUCCEEDED" {
			at = max(at, j.completed)
		}
		for _, of := range j.stages {
			if of.ran() && slices.Contains(of.parents, s.id) && t.submitted.Known() &&
				of.newest().submitted > t.submitted {
				at = max(at, of.newest().submitted)
			}
		}
	}
	last, all := t.ended()
	switch {
	case at.Known() && all:
		at = min(at, last)
	case !at.Known() && all && (r.hasEnd || now.Sub(last) > late):
		at = last
	case !at.Known():
		return
	}
	t.status, t.completed, s.status = "COMPLETE", at, "COMPLETE"
	r.missing++
}

// overAt returns when all tasks of a stage attempt must have ended, or NoInstant while they may run.
func (t *try) overAt() dag.Instant {
	if t.status == "COMPLETE" {
		return t.completed
	}
	at := dag.NoInstant
	for _, j := range t.stage.jobs {
		if !j.hasEnded() {
			return dag.NoInstant
		}
		at = max(at, j.completed)
	}
	return at
}

// imagine sets a guessed end of a task that a later event has shown.
func (r *repairer) imagine(k *task, state dag.AttemptState, at, now dag.Instant) {
	k.End = max(k.Start, at)
	if k.become(state, true); !k.impliedSince.Known() {
		r.implied = append(r.implied, k)
	}
	k.impliedSince = now
}

// settle ends the open tasks of a stage attempt once the attempt is complete or its jobs have ended. They get the
// median duration of the stage's tasks. If the stage waited for a last task, that one lasts until the stage's end.
func (r *repairer) settle(t *try, now dag.Instant) {
	at := t.overAt()
	if t.settled || !at.Known() {
		return
	}
	t.settled = true
	open := slices.DeleteFunc(t.running(), func(k *task) bool { return !k.Start.Known() })
	if len(open) == 0 {
		return
	}
	took, last, succeeded := []dag.Instant{1 << 40}, dag.NoInstant, map[int32]bool{}
	for _, u := range t.stage.tries {
		for _, k := range u.list {
			if k.State == dag.AttemptSucceeded {
				succeeded[k.part] = true
				if last = max(last, k.End); k.Start.Known() && !k.guessed {
					took = append(took, k.End-k.Start)
				}
			}
		}
	}
	slices.Sort(took)
	usual := took[(len(took)-1)/2]
	awaited := !last.Known() || at.Sub(last) > handover
	slices.SortFunc(open, func(x, y *task) int {
		return cmp.Or(cmp.Compare(y.Start, x.Start), cmp.Compare(x.id, y.id))
	})
	for _, k := range open {
		switch {
		case t.status != "COMPLETE": // its job has failed, or was cancelled
			k.End = max(k.Start, at)
			k.become(dag.AttemptKilled, true)
		case succeeded[k.part]:
			r.imagine(k, dag.AttemptKilled, at, now)
		case awaited:
			r.imagine(k, dag.AttemptSucceeded, at, now)
			awaited = false
		default:
			r.imagine(k, dag.AttemptSucceeded, min(at, k.Start+usual), now)
		}
	}
}

// crowd ends tasks of a lost executor. It also ends the oldest tasks of an executor that seems to run more tasks
// than it has cores: each ended when the next one began.
func (r *repairer) crowd(x *executor, running []*task, now dag.Instant) {
	if gone := x.removed; !x.active && gone.Known() && now.Sub(gone) > late {
		for _, k := range running {
			k.Diagnosis = "its executor was lost"
			r.imagine(k, dag.AttemptFailed, gone, now)
		}
		return
	}
	cores := max(x.cores, x.total)
	if cores == 0 || len(running) <= cores {
		return
	}
	slices.SortFunc(running, byLaunch)
	for i, next := range running[cores:] {
		if now.Sub(next.Start) > overlap {
			r.imagine(running[i], dag.AttemptSucceeded, next.Start, now)
		}
	}
}

// remarks returns warnings about events that the driver has dropped.
func (r *repairer) remarks(now dag.Instant) (out []dag.Warning) {
	missing, where := count(r.implied, func(k *task) bool {
		// A driver that is gone may not have been polled since the task ended.
		return r.inLog && r.hasEnd || now.Sub(max(k.End, k.impliedSince)) > late
	}), ""
	if r.inLog { // the responses of a driver are not from one instant, so they prove nothing
		missing, where = missing+r.impliedJobs+r.missing, " in the log"
	}
	if n := count(r.all, func(x *executor) bool { return r.inLog && x.total == 0 && x.cores > 0 }); n > 0 {
		out = append(out, remark("how many cores %s had is not in the event log: ParaTimer assumes as many as had a task at once",
			units.Count(n, "executor")))
	}
	if missing > 0 {
		out = append(out, remark("missing%s: %s of jobs, stages or tasks; the driver dropped them, and ParaTimer takes their "+
			"times from what came later", where, units.Count(missing, "event")))
	}
	return out
}

// count returns how many items of a list have a property.
func count[T any](list []T, has func(T) bool) int { return len(input.Only(list, has)) }

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
