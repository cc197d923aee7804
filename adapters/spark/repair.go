package spark

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
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
	implied        []*task      // tasks with an implied end, including some with a later real end
	impliedJobs    int          // jobs with a missing start
	missing        map[gap]bool // events that an event log does not have
	announcedTasks int          // facts.tasks at the last call of announce that set cores
}

// A gap is an event that is missing: its kind, and the id of the job, stage or task.
type gap struct {
	kind string
	id   int
}

// miss records an event that is missing in the log. It ignores responses of a driver: they are not from one instant,
// so they prove nothing.
func (r *repairer) miss(kind string, id int) {
	if r.inLog && len(r.missing) < mostTasks {
		r.missing[gap{kind, id}] = true
	}
}

// mostGap bounds how far an unknown stage id may exceed all known ones, if the start of its job is missing.
const mostGap = 10_000

// plausible reports whether a stage with this id can exist.
func (r *repairer) plausible(id int) bool {
	top := -1
	for _, j := range r.jobs {
		top = max(top, j.last())
	}
	return id >= 0 && (top < 0 || id <= top+mostGap)
}

// begin marks an attempt of a stage as running if its submission event is missing.
func (r *repairer) begin(s *stage, t *try, at dag.Instant, e *event) {
	r.imply(s, e)
	if t.status != "" {
		return
	}
	r.miss("StageSubmitted", s.id)
	t.submitted, t.status = at, "ACTIVE"
	if t.tasks == 0 {
		t.tasks = s.tasks
	}
	if t == s.newest() {
		s.status = t.status
	}
}

// beforeImplied is less than the ids of all jobs with a missing start.
const beforeImplied = -mostJobs - 3

// imply assigns a stage without a job to a job with a missing start.
func (r *repairer) imply(s *stage, e *event) {
	if len(s.jobs) > 0 || !r.plausible(s.id) {
		return
	}
	j := r.openImplied()
	if j == nil {
		j = &job{
			id: beforeImplied + 1 + r.impliedJobs, status: "RUNNING", submitted: e.at, completed: dag.NoInstant,
			name: s.name, group: dag.Clean(string(e.properties().Group)),
		}
		if !r.addJob(j) {
			return
		}
		r.impliedJobs++
		r.miss("JobStart", j.id)
	}
	j.stages = insert(j.stages, s.id)
	s.jobs = append(s.jobs, j.id)
	r.takeExecutionOf(e, j.id)
}

// openImplied returns the running job with a missing start, or nil.
func (r *repairer) openImplied() *job {
	if j := r.jobs[beforeImplied+r.impliedJobs]; j != nil && !j.hasEnded() {
		return j
	}
	return nil
}

// repair ends everything that must have ended by now.
func (r *repairer) repair(now dag.Instant) {
	r.implied = slices.DeleteFunc(r.implied, func(k *task) bool { return !k.impliedSince.Known() })
	r.announce()
	for _, s := range r.stages {
		r.completeStage(s, now)
	}
	for _, j := range r.jobs {
		s := r.stages[j.last()]
		if j.hasEnded() || s == nil || !s.done() {
			continue
		}
		// A job ends with its last stage.
		if t := s.newest(); t.completed >= j.submitted && (r.hasEnd || now.Sub(t.completed) > late) {
			j.status, j.completed = "SUCCEEDED", t.completed
			r.miss("JobEnd", j.id)
		}
	}
	running := map[int32][]*task{}
	for _, s := range r.stages {
		for _, t := range s.tries {
			if r.settle(s, t, now); t.settled {
				continue
			}
			for _, k := range t.running() {
				if k.assignable() {
					running[k.executor] = append(running[k.executor], k)
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
	for _, id := range s.jobs {
		j := r.jobs[id]
		if j == nil {
			continue
		}
		if j.status == "SUCCEEDED" {
			at = max(at, j.completed)
		}
		for _, sid := range j.stages {
			of := r.stages[sid]
			if of == nil || !of.hasParents || !slices.Contains(of.parents, s.id) {
				continue
			}
			next := of.newest()
			if next != nil && t.submitted.Known() && next.submitted > t.submitted {
				at = max(at, next.submitted)
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
	t.status, t.completed = "COMPLETE", at
	s.status = t.status
	r.miss("StageCompleted", s.id)
}

// overAt returns when all tasks of a stage attempt must have ended, or NoInstant while they may run.
func (r *repairer) overAt(s *stage, t *try) dag.Instant {
	if t.status == "COMPLETE" {
		return t.completed
	}
	at := dag.NoInstant
	for _, id := range s.jobs {
		if j := r.jobs[id]; j != nil {
			if !j.hasEnded() {
				return dag.NoInstant
			}
			at = max(at, j.completed)
		}
	}
	return at
}

// end sets a guessed end of a task. implied means that a later event shows that the task has ended.
func (r *repairer) end(k *task, state dag.AttemptState, at, now dag.Instant, implied bool) {
	k.end = at
	k.become(state, true)
	if !implied {
		return
	}
	if !k.impliedSince.Known() {
		r.implied = append(r.implied, k)
	}
	k.impliedSince = now
}

// settle ends the open tasks of a stage attempt once the attempt is complete or its jobs have ended. They get the
// median duration of the stage's tasks. If the stage waited for a last task, that one lasts until the stage's end.
func (r *repairer) settle(s *stage, t *try, now dag.Instant) {
	at := r.overAt(s, t)
	if t.settled || !at.Known() {
		return
	}
	t.settled = true
	open := slices.DeleteFunc(slices.Clone(t.running()), func(k *task) bool { return !k.launch.Known() })
	if len(open) == 0 {
		return
	}
	var took []dag.Instant
	last := dag.NoInstant
	succeeded := map[int32]bool{}
	for _, u := range s.tries {
		for _, k := range u.list {
			if k.state == dag.AttemptSucceeded {
				succeeded[k.part] = true
				if last = max(last, k.end); k.launch.Known() && !k.guessed {
					took = append(took, k.end-k.launch)
				}
			}
		}
	}
	usual := dag.Instant(1 << 40)
	if len(took) > 0 {
		slices.Sort(took)
		usual = took[len(took)/2]
	}
	awaited := !last.Known() || at.Sub(last) > handover
	slices.SortFunc(open, func(x, y *task) int {
		return cmp.Or(cmp.Compare(y.launch, x.launch), cmp.Compare(x.id, y.id))
	})
	complete := t.status == "COMPLETE"
	for _, k := range open {
		if !complete || succeeded[k.part] {
			r.end(k, dag.AttemptKilled, max(k.launch, at), now, complete)
			continue
		}
		end := at
		if !awaited {
			end = min(at, k.launch+usual)
		}
		r.end(k, dag.AttemptSucceeded, max(k.launch, end), now, true)
		awaited = false
	}
}

// crowd ends tasks of a lost executor. It also ends the oldest tasks of an executor that seems to run more tasks
// than it has cores: each ended when the next one began.
func (r *repairer) crowd(x *executor, running []*task, now dag.Instant) {
	if gone := x.removed; !x.active && gone.Known() && now.Sub(gone) > late {
		for _, k := range running {
			k.why = "its executor was lost"
			r.end(k, dag.AttemptFailed, max(k.launch, gone), now, true)
		}
		return
	}
	cores := max(x.cores, x.total)
	if cores == 0 || x.coresUnknown || len(running) <= cores {
		return
	}
	slices.SortFunc(running, byLaunch)
	for i, next := range running[cores:] {
		if now.Sub(next.launch) > overlap {
			r.end(running[i], dag.AttemptSucceeded, next.launch, now, true)
		}
	}
}

// announce sets the cores of executors with an unknown number of cores. They get as many as the other executors
// have. If no number is known, each gets the highest number of tasks that it ran at once.
func (r *repairer) announce() {
	most, unknown := 0, map[int32][]*task{}
	for i, x := range r.all {
		if x.coresUnknown {
			unknown[int32(i)] = nil //nolint:gosec // G115: bounded by mostExecutors
		} else {
			most = max(most, x.cores)
		}
	}
	if len(unknown) == 0 || r.announcedTasks == r.tasks {
		return
	}
	r.announcedTasks = r.tasks
	if most > 0 {
		for i := range unknown {
			r.all[i].cores = most
		}
		return
	}
	for _, s := range r.stages {
		for _, t := range s.tries {
			for _, k := range t.list {
				if _, is := unknown[k.executor]; is && k.launch.Known() && !k.guessed {
					unknown[k.executor] = append(unknown[k.executor], k)
				}
			}
		}
	}
	for i, tasks := range unknown {
		r.all[i].cores = max(r.all[i].cores, atOnce(tasks))
	}
}

// atOnce returns the highest number of tasks that ran at the same time. It ignores the short overlap of two tasks on
// one core.
func atOnce(tasks []*task) int {
	var changes []change
	for _, k := range tasks {
		changes = append(changes, change{k.launch, 1})
		if k.state != dag.AttemptRunning {
			overlap := min(dag.Instant(handover/time.Millisecond), (k.end-k.launch)/2)
			changes = append(changes, change{k.end - overlap, -1})
		}
	}
	return highest(changes)
}
