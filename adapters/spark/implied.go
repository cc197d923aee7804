package spark

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A driver that is too busy drops events, so that neither its log nor its web page ever says that a task, a stage or a
// job ended. What happened later implies it.

// late is how long an event may be late that what happened later implies.
const late = 30 * time.Second

// overlap is how long an executor may have one task more than it has cores: the driver launches the next one before it
// takes the result of the one before.
const overlap = 250 * time.Millisecond

// A lack is something that nothing says: the start of a job, of a kind and an id.
type lack struct {
	kind string
	id   int
}

// lacks notes an event that is missing in the log. Answers of a driver are not of one instant, so that they prove
// nothing.
func (a *App) lacks(kind string, id int) {
	if a.inLog && len(a.missing) < mostTasks {
		a.missing[lack{kind, id}] = true
	}
}

// mostGap is how far the id of a stage may lie above those of the jobs' stages if the start of its job is missing.
const mostGap = 10_000

// plausible reports whether there may be a stage of that id.
func (a *App) plausible(id int) bool {
	top := -1
	for _, j := range a.jobs {
		top = max(top, j.last())
	}
	return id >= 0 && (top < 0 || id <= top+mostGap)
}

// begin notes that an attempt of a stage runs if nothing has said that it was submitted.
func (a *App) begin(s *stage, t *try, at dag.Instant, e *event) {
	a.imply(s, e)
	if t.status != "" {
		return
	}
	a.lacks("StageSubmitted", s.id)
	t.submitted, t.status = at, "ACTIVE"
	if t.tasks == 0 {
		t.tasks = s.tasks
	}
	if t == s.newest() {
		s.status = t.status
	}
}

// firstImplied is the id of the first job of which there is no start.
const firstImplied = -mostJobs - 2

// imply makes a stage that is of no job one of a job whose start is missing.
func (a *App) imply(s *stage, e *event) {
	if len(s.jobs) > 0 || !a.plausible(s.id) {
		return
	}
	j := a.openImplied()
	if j == nil {
		id := firstImplied
		for a.jobs[id] != nil {
			id++
		}
		if len(a.jobs) >= mostJobs {
			a.dropped = true
			return
		}
		a.lacks("JobStart", id)
		j = &job{
			id: id, status: "RUNNING", submitted: e.at, completed: dag.NoInstant, name: s.name,
			group: dag.Clean(string(e.Job.Group)),
		}
		a.jobs[id] = j
	}
	j.stages = append(j.stages, s.id)
	slices.Sort(j.stages)
	s.jobs = append(s.jobs, j.id)
	a.takeExecutionOf(e, j.id)
}

// openImplied is the job that runs and whose start is missing; nil if there is none.
func (a *App) openImplied() *job {
	for id := firstImplied; a.jobs[id] != nil; id++ {
		if j := a.jobs[id]; !j.over() {
			return j
		}
	}
	return nil
}

// conclude ends what must have ended by now.
func (a *App) conclude(now dag.Instant) {
	a.announce()
	ids := sortedKeys(a.stages)
	for _, id := range ids {
		a.concludeStage(a.stages[id], now)
	}
	for _, id := range a.jobIDs() {
		j := a.jobs[id]
		s := a.stages[j.last()]
		if j.over() || s == nil || !s.done() {
			continue
		}
		// A job ends with its last stage.
		if t := s.newest(); t.completed >= j.submitted && (a.over || now.Sub(t.completed) > late) {
			j.status, j.completed = "SUCCEEDED", t.completed
			a.lacks("JobEnd", id)
		}
	}
	running := map[int][]*task{}
	for _, id := range ids {
		s := a.stages[id]
		for _, t := range s.tries {
			a.settle(s, t, now)
			if t.settled {
				continue
			}
			for _, k := range t.list {
				if k.state == dag.AttemptRunning && k.launch.Known() && k.executor >= 0 {
					running[k.executor] = append(running[k.executor], k)
				}
			}
		}
	}
	for i, tasks := range running {
		a.crowd(a.executors[i], tasks, now)
	}
}

// concludeStage completes an attempt of a stage that another stage has read, or all of whose tasks have succeeded.
func (a *App) concludeStage(s *stage, now dag.Instant) {
	t := s.newest()
	if t == nil || t.status != "ACTIVE" {
		return
	}
	at := dag.NoInstant
	for _, id := range s.jobs {
		j := a.jobs[id]
		if j == nil {
			continue
		}
		if j.status == "SUCCEEDED" {
			at = max(at, j.completed)
		}
		for _, sid := range j.stages {
			of := a.stages[sid]
			if of == nil || !of.known || !slices.Contains(of.parents, s.id) {
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
	case !at.Known() && all && (a.over || now.Sub(last) > late):
		at = last
	case !at.Known():
		return
	}
	t.status, t.completed = "COMPLETE", at
	s.status = t.status
	a.lacks("StageCompleted", s.id)
}

// ended is when the last task of an attempt of a stage succeeded, and whether all of them have.
func (t *try) ended() (last dag.Instant, all bool) {
	last = dag.NoInstant
	done := make(map[int]bool, t.complete)
	for _, k := range t.list {
		if k.state == dag.AttemptSucceeded && !k.guessed {
			done[k.part], last = true, max(last, k.end)
		}
	}
	return last, t.tasks > 0 && len(done) >= t.tasks
}

// overAt is when the tasks of an attempt of a stage had ended at the latest; NoInstant while they may run.
func (a *App) overAt(s *stage, t *try) dag.Instant {
	if t.status == "COMPLETE" {
		return t.completed
	}
	at := dag.NoInstant
	for _, id := range s.jobs {
		if j := a.jobs[id]; j != nil {
			if !j.over() {
				return dag.NoInstant
			}
			at = max(at, j.completed)
		}
	}
	return at
}

// settle ends the tasks of an attempt of a stage that is complete, or whose jobs have ended. They took as long as
// others of the stage, but for one that the stage waited for.
func (a *App) settle(s *stage, t *try, now dag.Instant) {
	at := a.overAt(s, t)
	if t.settled || !at.Known() {
		return
	}
	t.settled = true
	var open []*task
	var took []dag.Instant
	last := dag.NoInstant
	succeeded := map[int]bool{}
	for _, u := range s.tries {
		for _, id := range sortedKeys(u.list) {
			k := u.list[id]
			switch {
			case u == t && k.state == dag.AttemptRunning && k.launch.Known():
				open = append(open, k)
			case k.state == dag.AttemptSucceeded:
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
	for _, k := range open {
		k.guessed, k.state, k.end = true, dag.AttemptKilled, max(k.launch, at)
		if t.status != "COMPLETE" {
			continue
		}
		if a.unended[k] = now; !succeeded[k.part] {
			k.state = dag.AttemptSucceeded
			if !awaited {
				k.end = max(k.launch, min(at, k.launch+usual))
			}
			awaited = false
		}
	}
}

// crowd ends tasks of an executor that has gone, or that seems to run more of them than it has cores: those that began
// first ended when the next ones began.
func (a *App) crowd(x *executor, running []*task, now dag.Instant) {
	if gone := x.removed; !x.active && gone.Known() && now.Sub(gone) > late {
		for _, k := range running {
			k.state, k.end, k.guessed, k.why = dag.AttemptFailed, max(k.launch, gone), true, "its executor was lost"
			a.unended[k] = now
		}
		return
	}
	cores := max(x.cores, x.total)
	if cores == 0 || x.unannounced || len(running) <= cores {
		return
	}
	slices.SortFunc(running, func(p, q *task) int {
		return cmp.Or(cmp.Compare(p.launch, q.launch), cmp.Compare(p.id, q.id))
	})
	for i, next := range running[cores:] {
		if now.Sub(next.launch) > overlap {
			k := running[i]
			k.state, k.end, k.guessed = dag.AttemptSucceeded, next.launch, true
			a.unended[k] = now
		}
	}
}
