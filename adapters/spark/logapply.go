package spark

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A player applies the events of a log.
type player struct {
	*facts
	*repairer
}

func (a *App) player() player { return player{a.facts, a.repairer} }

func (p *player) startApplication(e *event) {
	w := e.more
	p.id, p.name, p.user, p.began = w.application(), dag.Clean(string(w.AppName)), dag.Clean(string(w.User)), e.at
}

func (p *player) updateSettings(e *event) {
	for k, v := range e.more.Properties {
		p.conf.set(k, string(v))
	}
}

func (p *player) applyExecutor(e *event) {
	w := e.more
	id := string(w.Executor)
	if id == "" {
		id = string(w.ExcludedExecutor)
	}
	n := p.executorAt(id)
	if n < 0 {
		return
	}
	x := p.all[n]
	switch e.kind.name {
	case "ExecutorAdded":
		x.active, x.added, x.host = true, e.at, dag.Clean(string(w.ExecutorInfo.Host))
		x.total, x.coresUnknown = w.ExecutorInfo.Cores.Count(mostCores), false
		x.cores = x.total / p.conf.coresPerTask()
	case "ExecutorRemoved":
		x.active, x.removed, x.reason = false, e.at, firstLine(string(w.Reason))
	default:
		x.excluded = !strings.Contains(e.kind.name, "Un")
	}
}

func (p *player) applyExecution(e *event) {
	w := e.more
	x := p.executionAt(idOf(w.Execution))
	if x == nil {
		return
	}
	switch {
	case e.kind.name == "SQLExecutionStart":
		x.description, x.submitted, x.status = described(string(w.Description)), e.at, "RUNNING"
		x.plan = w.plan
	case e.kind.name == "SQLAdaptiveExecutionUpdate":
		if x.plan = w.plan; x.status != "RUNNING" {
			x.plan = nil
		}
	case w.Error != "":
		x.status, x.ended, x.plan = "FAILED", e.at, nil
	default:
		x.status, x.ended, x.plan = "COMPLETED", e.at, nil
	}
}

func (p *player) startJob(e *event) {
	w := e.more
	job := wireJob{
		JobID: w.JobID, Description: w.Job.Description, JobGroup: w.Job.Group, Status: "RUNNING",
		SubmissionTime: moment(e.at), StageIDs: make([]number, len(w.Stages)),
	}
	last := -1
	for i := range w.Stages {
		id := idOf(w.Stages[i].ID)
		if job.StageIDs[i] = number(id); id > last {
			last, job.Name = id, w.Stages[i].Name
		}
		p.describeLogged(&w.Stages[i])
	}
	if w.Stages == nil {
		for _, n := range w.StageIDs[:min(len(w.StageIDs), mostListed)] {
			job.StageIDs = append(job.StageIDs, number(idOf(n)))
		}
	}
	p.takeJob(&job)
	p.takeExecutionOf(e, idOf(w.JobID))
}

// takeExecutionOf records the executions of SQL that a job belongs to.
func (f *facts) takeExecutionOf(e *event, job int) {
	of := e.properties()
	for _, name := range []text{of.SQL, of.Root} {
		if id, err := strconv.Atoi(string(name)); err == nil {
			if x := f.executionAt(id); x != nil {
				x.addJob(job)
			}
		}
	}
}

func (p *player) endJob(e *event) {
	w := e.more
	j := p.jobs[idOf(w.JobID)]
	if j == nil {
		if j = p.openImplied(); j == nil {
			return
		}
	}
	delete(p.missing, gap{"JobEnd", j.id})
	j.completed, j.status, j.why = e.at, "FAILED", firstLine(string(w.Result.Exception.Message))
	if w.Result.Result == "JobSucceeded" {
		j.status = "SUCCEEDED"
	}
}

// describeLogged sets the description of a stage. It returns nil if stageAt does.
func (p *player) describeLogged(w *loggedStage) *stage {
	s := p.describe((*stageRow)(w))
	if s == nil {
		return nil
	}
	s.hasTasks = s.hasTasks || w.Try.ID() <= 0
	if !s.hasParents {
		s.parents, s.hasParents = idsOf(w.Parents), true
	}
	if s.status == "" {
		s.status = "PENDING"
	}
	return s
}

func (p *player) applyStage(e *event) {
	w := stageRow(e.more.Stage)
	s := p.describeLogged(&e.more.Stage)
	if s == nil {
		return
	}
	t := s.tryAt(w.Try.ID())
	if t == nil {
		return
	}
	at := e.at
	if began := w.Submitted.at(); began.Known() {
		at = max(min(began+e.shift, at), p.firstOf(s.jobs))
	}
	if e.kind.name == "StageSubmitted" {
		t.submitted, w.Status = at, "ACTIVE"
		p.imply(s, e)
	} else {
		p.begin(s, t, at, e)
		delete(p.missing, gap{"StageCompleted", s.id})
		w.Status, t.completed, t.settled = "COMPLETE", e.at, false
		if w.Failure != "" {
			w.Status = "FAILED"
		}
	}
	w.Submitted, w.Completed = moment(t.submitted), moment(t.completed)
	w.Complete, w.RunTime = number(t.complete), -1
	if w.Pool = e.more.Job.Pool; w.Pool == "" {
		w.Pool = text(s.pool)
	}
	p.takeStage(&w)
}

func (p *player) applyTask(e *event) {
	w := e.task
	if p.stages[e.stage] == nil && !p.plausible(e.stage) {
		return
	}
	t := p.tryOf(e.stage, int(w.try))
	if t == nil {
		return
	}
	s := t.stage
	k, isNew := p.taskAt(t, int(w.id))
	if k == nil {
		return
	}
	if !s.hasTasks { // the number of tasks is only visible from the tasks
		s.tasks = max(s.tasks, min(int(w.part)+1, mostTasks))
	}
	executor := p.executorAt(w.executor)
	if executor >= 0 {
		x := p.all[executor]
		x.coresUnknown = x.total == 0
	}
	launch := min(w.launch+e.shift, e.at)
	p.begin(s, t, max(launch, p.firstOf(s.jobs)), e)
	if e.kind.name == "TaskStart" {
		k.identify(int(w.part), max(launch, t.submitted), executor)
		return
	}
	k.end = e.at
	if w.finish.Known() {
		k.end = w.finish + e.shift
	}
	launch = k.launch
	if isNew {
		launch = min(max(w.launched(k.end, e.shift), t.submitted), k.end)
		p.miss("TaskStart", int(w.id))
	}
	k.identify(int(w.part), launch, executor)
	p.endTask(k, e)
	if w.hasCounters {
		k.in, k.read, k.out = w.in, w.read, w.out
		s.writes = s.writes || w.writes
	}
}

// endTask sets the end of a task.
func (p *player) endTask(k *task, e *event) {
	w := e.task
	was := k.state
	if k.guessed {
		k.impliedSince, was = dag.NoInstant, dag.AttemptRunning
	}
	if w.state == dag.AttemptSucceeded && was != dag.AttemptSucceeded {
		k.try.complete++
	}
	if w.executorLost && k.executor >= 0 && p.all[k.executor].active {
		x := p.all[k.executor]
		x.active, x.removed, x.reason = false, e.at, w.loss
	}
	k.why = w.why
	k.become(w.state, false)
}
