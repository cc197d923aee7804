package spark

import (
	"cmp"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// These methods apply the events of a log.

func (a *App) startApplication(e *event) {
	w := e.more
	a.id, a.began = cmp.Or(w.application(), a.id), e.at
	a.name, a.user = dag.Clean(string(w.AppName)), dag.Clean(string(w.User))
}

func (a *App) applyExecutor(e *event) {
	w := e.more
	n := a.executorAt(string(w.ExecutorID))
	if n < 0 {
		return
	}
	x := a.all[n]
	switch e.kind.name {
	case "ExecutorAdded":
		x.added, x.host = e.at, dag.Clean(string(w.ExecutorInfo.Host))
		x.total = w.ExecutorInfo.TotalCores.Count(mostCores)
		x.cores = x.total / a.conf.coresPerTask()
		a.set(x, true, x.removed, x.reason)
	case "ExecutorRemoved":
		a.set(x, false, e.at, firstLine(string(w.RemovedReason)))
	default:
		x.excluded = !strings.Contains(e.kind.name, "Un")
	}
}

func (a *App) applyExecution(e *event) {
	w := e.more
	x := a.executionAt(idOf(w.ExecutionID))
	if w.plan != nil {
		x.plan = w.plan
		a.planner.retitle()
	}
	switch e.kind.name {
	case "SQLExecutionStart":
		x.description, x.status = described(string(w.Description)), "RUNNING"
	case "SQLExecutionEnd":
		if x.ended, x.status = e.at, "COMPLETED"; w.ErrorMessage != "" {
			x.status = "FAILED"
		}
	}
}

func (a *App) startJob(e *event) {
	w := e.more
	job, of := w.wireJob, &w.Properties
	job.Description, job.JobGroup, job.JobTags = of.Description, of.Group, []text{of.Tags}
	job.Status, job.SubmissionTime = "RUNNING", moment(e.at)
	job.StageIDs = job.StageIDs[:min(len(job.StageIDs), mostListed)]
	if w.StageInfos != nil {
		job.StageIDs = nil
	}
	for i := range w.StageInfos {
		job.StageIDs = append(job.StageIDs, number(idOf(w.StageInfos[i].ID)))
		a.describeLogged(&w.StageInfos[i])
	}
	a.takeJob(&job)
	a.takeExecutionOf(of, idOf(w.JobID))
}

// takeExecutionOf records the executions of SQL that a job belongs to.
func (f *facts) takeExecutionOf(of *jobProperties, job int) {
	for _, name := range []text{of.SQL, of.Root} {
		f.addExecutionJob(f.executionAt(idIn(string(name))), job)
	}
}

func (a *App) endJob(e *event) {
	w := e.more
	j := cmp.Or(a.jobs[idOf(w.JobID)], a.openImplied())
	if j == nil {
		return
	}
	j.completed, j.status, j.why = e.at, "FAILED", firstLine(string(w.JobResult.Exception.Message))
	if w.JobResult.Result == "JobSucceeded" {
		j.status = "SUCCEEDED"
	}
}

// describeLogged sets the description of a stage.
func (a *App) describeLogged(w *stageRow) *stage {
	w.RDDs = nil // another reader of the log may have been here
	for i := range w.RDDInfo {
		w.RDDs = append(w.RDDs, w.RDDInfo[i].RDDID)
	}
	s := a.describe(w)
	s.scope(w.scopes())
	if s.status = cmp.Or(s.status, "PENDING"); s.parents == nil {
		s.parents = idsOf(w.ParentIDs)
	}
	return s
}

func (a *App) applyStage(e *event) {
	w := &e.more.StageInfo
	s, t := a.describeLogged(w), a.tryOf(e.stage, w.Try.ID())
	at := e.at
	if began := w.Submitted.At(); began.Known() {
		at = max(min(began+e.shift, at), firstOf(s.jobs))
	}
	if e.kind.name == "StageSubmitted" {
		t.submitted, t.status = at, "ACTIVE"
		a.imply(s, e)
	} else {
		a.begin(t, at, e)
		t.completed, t.status, t.failure, t.settled = e.at, "COMPLETE", cause(string(w.Failure)), false
		if w.Failure != "" {
			t.status = "FAILED"
		}
	}
	t.tasks = w.Tasks.Count(mostTasks)
	s.pool = cmp.Or(dag.Clean(string(e.more.Properties.Pool)), s.pool)
	if t == s.newest() {
		s.status = t.status
	}
}

func (a *App) applyTask(e *event) {
	w := e.task
	if a.stages[e.stage] == nil && !a.plausible(e.stage) {
		return
	}
	t := a.tryOf(e.stage, int(w.try))
	s := t.stage
	k, isNew := a.taskAt(t, int(w.id))
	if s.parents == nil { // no event describes the stage yet
		s.tasks = max(s.tasks, min(int(w.part)+1, mostTasks))
	}
	executor, launch := a.executorAt(w.executor), min(w.launch+e.shift, e.at)
	a.begin(t, max(launch, firstOf(s.jobs)), e)
	if e.kind.name == "TaskStart" {
		k.identify(int(w.part), max(launch, t.submitted), executor)
		a.occupy(k, 1)
		return
	}
	a.occupy(k, -one(!isNew))
	if k.End = e.at; w.finish.Known() {
		k.End = w.finish + e.shift
	}
	launch = k.Start
	if isNew {
		launch = min(max(w.launched(k.End, e.shift), t.submitted), k.End)
		a.missing++
	}
	k.identify(int(w.part), launch, executor)
	if w.state == dag.AttemptSucceeded && (k.State != dag.AttemptSucceeded || k.guessed) {
		t.complete++
	}
	if w.loss != "" && executor >= 0 && a.all[executor].active {
		a.set(a.all[executor], false, e.at, w.loss)
	}
	k.Diagnosis, k.impliedSince = w.why, dag.NoInstant
	k.become(w.state, false)
	k.Done[0], k.read, k.Out, k.Metrics = w.in, w.read, w.out, w.metrics
	s.writes = s.writes || w.writes
}

// occupy adds n to the running tasks of an executor. If the log does not have its cores, they are as many as had a task
// at once.
func (a *App) occupy(k *task, n int) {
	if k.Node >= 0 {
		x := a.all[k.Node]
		if x.running += n; x.total == 0 {
			x.cores = max(x.cores, x.running)
		}
	}
}
