package spark

import (
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

func (a *App) takeJobStart(e *event) {
	var ids []int
	name := ""
	last := -1
	for i := range e.Stages {
		id := idOf(e.Stages[i].ID)
		ids = append(ids, id)
		if id > last {
			last, name = id, dag.Clean(string(e.Stages[i].Name))
		}
		a.takeStageInfo(&e.Stages[i])
	}
	if e.Stages == nil {
		for _, n := range e.StageIDs[:min(len(e.StageIDs), mostListed)] {
			ids = append(ids, idOf(n))
		}
	}
	a.takeJob(idOf(e.JobID), name, dag.Clean(string(e.Job.Description)), e.at, dag.NoInstant, ids, "RUNNING",
		string(e.Job.Group))
	a.takeExecutionOf(e, idOf(e.JobID))
}

// takeExecutionOf notes of which executions of SQL a job is.
func (a *App) takeExecutionOf(e *event, job int) {
	for _, of := range []text{e.Job.SQL, e.Job.Root} {
		if id, err := strconv.Atoi(string(of)); err == nil {
			if x := a.executionAt(id); x != nil && len(x.jobs) < mostJobs {
				x.jobs[job] = true
			}
		}
	}
}

func (a *App) takeJobEnd(e *event) {
	j := a.jobs[idOf(e.JobID)]
	if j == nil {
		if j = a.openImplied(); j == nil {
			return
		}
	}
	delete(a.missing, lack{"JobEnd", j.id})
	j.completed, j.status, j.why = e.at, "FAILED", firstLine(string(e.Result.Exception.Message))
	if e.Result.Result == "JobSucceeded" {
		j.status = "SUCCEEDED"
	}
}

// takeStageInfo takes what a stage is, and returns it; nil if there are too many.
func (a *App) takeStageInfo(w *stageInfo) *stage {
	s := a.stageAt(idOf(w.ID))
	if s == nil {
		a.dropped = true
		return nil
	}
	s.name = dag.Clean(string(w.Name))
	if w.Try.ID() <= 0 {
		s.tasks, s.sized = w.Tasks.Count(mostTasks+1), true
	}
	if len(s.rdds) == 0 {
		rdds := make([]number, len(w.RDDs))
		for i := range w.RDDs {
			rdds[i] = w.RDDs[i].ID
		}
		s.rdds = idsOf(rdds)
	}
	if !s.known {
		s.parents, s.known = idsOf(w.Parents), true
	}
	if s.status == "" {
		s.status = "PENDING"
	}
	return s
}

// earliest is when the first job of a stage was submitted; NoInstant if that is unknown.
func (a *App) earliest(s *stage) dag.Instant {
	at := dag.NoInstant
	for _, id := range s.jobs {
		if j := a.jobs[id]; j != nil && j.submitted.Known() && (!at.Known() || j.submitted < at) {
			at = j.submitted
		}
	}
	return at
}

func (a *App) takeStageEvent(e *event) {
	s := a.takeStageInfo(&e.Stage)
	if s == nil {
		return
	}
	t := s.tryAt(e.Stage.Try.ID())
	if t == nil {
		return
	}
	at := e.at
	if began := e.Stage.Submitted.Instant(); began.Known() {
		at = max(min(began+e.shift, at), a.earliest(s))
	}
	if t.tasks = e.Stage.Tasks.Count(mostTasks); e.Job.Pool != "" {
		s.pool = dag.Clean(string(e.Job.Pool))
	}
	if e.kind() == "StageSubmitted" {
		t.submitted, t.status = at, "ACTIVE"
		a.imply(s, e)
	} else {
		a.begin(s, t, at, e)
		delete(a.missing, lack{"StageCompleted", s.id})
		t.status, t.completed = "COMPLETE", e.at
		if t.failure = cause(string(e.Stage.Failure)); t.failure != "" {
			t.status = "FAILED"
		}
		t.settled = false
	}
	if t == s.newest() {
		s.status = t.status
	}
}

func (a *App) takeTaskEvent(e *event) {
	s := a.stages[idOf(e.StageID)]
	if s == nil && a.plausible(idOf(e.StageID)) {
		s = a.stageAt(idOf(e.StageID))
	}
	if s == nil {
		return
	}
	t := s.tryAt(e.Try.ID())
	if t == nil {
		return
	}
	started := t.list[idOf(e.Task.ID)] != nil
	k := a.taskAt(t, idOf(e.Task.ID))
	if k == nil {
		return
	}
	if k.part = e.Task.Index.ID(); idOf(e.Task.Part) >= 0 {
		k.part = idOf(e.Task.Part)
	}
	if !s.sized { // only its tasks tell how many there are
		s.tasks = max(s.tasks, min(k.part+1, mostTasks))
	}
	if k.executor = a.executorAt(string(e.Task.Executor)); k.executor >= 0 {
		x := a.executors[k.executor]
		x.unannounced = x.total == 0
	}
	a.begin(s, t, max(min(e.Task.Launch.Instant()+e.shift, e.at), a.earliest(s)), e)
	if e.kind() == "TaskStart" {
		k.launch = max(min(e.Task.Launch.Instant()+e.shift, e.at), t.submitted)
		return
	}
	k.end = e.at
	if at := e.Task.Finish.Instant(); at.Known() {
		k.end = at + e.shift
	}
	if !started {
		k.launch = min(max(e.launched(k.end), t.submitted), k.end)
		a.lacks("TaskStart", idOf(e.Task.ID))
	}
	a.takeTaskEnd(t, k, e)
	if m := e.Metrics; m != nil {
		k.in, k.read, k.out = float64(m.Input.Records), float64(m.Read.Records),
			max(zero(m.Write.Records), zero(m.Output.Records))
		s.writes = s.writes || m.Write.Records > 0
	}
}

// takeTaskEnd takes how a task ended.
func (a *App) takeTaskEnd(t *try, k *task, e *event) {
	was := k.state
	if k.guessed {
		k.guessed, was = false, dag.AttemptRunning
		delete(a.unended, k)
	}
	switch r := &e.EndReason; {
	case r.Reason == "Success" && !e.Task.Failed && !e.Task.Killed:
		if was != dag.AttemptSucceeded {
			t.complete++
		}
		k.state, k.why = dag.AttemptSucceeded, ""
	case e.Task.Killed || r.Reason == "TaskKilled":
		k.state, k.why = dag.AttemptKilled, firstLine(string(r.KillReason))
	case r.Reason == commitDenied:
		k.state, k.why = dag.AttemptKilled, commitDenied
	default:
		if r.Reason == "ExecutorLostFailure" && k.executor >= 0 && a.executors[k.executor].active {
			x := a.executors[k.executor]
			x.active, x.removed, x.reason = false, e.at, firstLine(string(r.Loss))
		}
		k.state, k.why = dag.AttemptFailed,
			firstLine(strings.Join(strings.Fields(string(r.Reason)+" "+cause(string(r.Description))+string(r.Message)+
				string(r.Loss)), " "))
	}
}

// took is how long a task worked by its executor's own measure; -1 if that is unknown.
func (e *event) took() time.Duration {
	if e.Metrics == nil || !(e.Metrics.Run > 0) {
		return -1
	}
	ms := zero(e.Metrics.Run) + zero(e.Metrics.Deserialize) + zero(e.Metrics.Serialize)
	return time.Duration(min(ms, 1<<40)) * time.Millisecond
}

// launched is when a task began of which there is only its end.
func (e *event) launched(end dag.Instant) dag.Instant {
	at := e.Task.Launch.Instant()
	if took := e.took(); took >= 0 && (e.shift != 0 || end.Sub(at)-took > time.Minute) {
		return end.Add(-took)
	}
	return min(at+e.shift, end)
}
