package spark

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// An event is a line of an event log, as far as it is read. Spark writes its listener's events as JSON, one a line.
type event struct {
	Event text
	at    dag.Instant // not before the event in the line before

	Timestamp number
	AppName   text `json:"App Name"`
	AppID     text `json:"App ID"`
	User      text
	Version   text `json:"Spark Version"`

	Properties map[string]text `json:"Spark Properties"`

	Executor     text `json:"Executor ID"`
	ExecutorInfo struct {
		Host  text
		Cores number `json:"Total Cores"`
	} `json:"Executor Info"`
	Reason text `json:"Removed Reason"`
	// Names of the same in events of exclusion.
	ExcludedExecutor text `json:"executorId"`

	JobID     *number               `json:"Job ID"`
	Submitted number                `json:"Submission Time"`
	Stages    []stageInfo           `json:"Stage Infos"`
	Completed number                `json:"Completion Time"`
	Result    struct{ Result text } `json:"Job Result"`

	// Of executions of SQL, and of the jobs that are of one.
	Execution   *number `json:"executionId"`
	Description text    `json:"description"`
	Time        number  `json:"time"`
	Error       text    `json:"errorMessage"`
	PlanText    string  `json:"physicalPlanDescription"`
	plan        *sqlPlan
	Job         struct {
		SQL         text `json:"spark.sql.execution.id"`
		Root        text `json:"spark.sql.execution.root.id"`
		Group       text `json:"spark.jobGroup.id"`
		Description text `json:"spark.job.description"`
		Pool        text `json:"spark.scheduler.pool"`
	} `json:"Properties"`

	Stage stageInfo `json:"Stage Info"`

	StageID   *number   `json:"Stage ID"`
	Try       number    `json:"Stage Attempt ID"`
	Task      *taskInfo `json:"Task Info"`
	EndReason taskEnd   `json:"Task End Reason"`
	Metrics   *struct {
		Input struct {
			Records number `json:"Records Read"`
		} `json:"Input Metrics"`
		Output struct {
			Records number `json:"Records Written"`
		} `json:"Output Metrics"`
		Read struct {
			Records number `json:"Total Records Read"`
		} `json:"Shuffle Read Metrics"`
		Write struct {
			Records number `json:"Shuffle Records Written"`
		} `json:"Shuffle Write Metrics"`
	} `json:"Task Metrics"`
}

type stageInfo struct {
	ID    *number `json:"Stage ID"`
	Try   number  `json:"Stage Attempt ID"`
	Name  text    `json:"Stage Name"`
	Tasks number  `json:"Number of Tasks"`
	RDDs  []struct {
		ID number `json:"RDD ID"`
	} `json:"RDD Info"`
	Parents   []number `json:"Parent IDs"`
	Submitted number   `json:"Submission Time"`
	Completed number   `json:"Completion Time"`
	Failure   text     `json:"Failure Reason"`
}

type taskInfo struct {
	ID       number `json:"Task ID"`
	Index    number
	Part     *number `json:"Partition ID"`
	Launch   number  `json:"Launch Time"`
	Executor text    `json:"Executor ID"`
	Finish   number  `json:"Finish Time"`
	Failed   bool
	Killed   bool
}

type taskEnd struct {
	Reason      text
	Description text
	Message     text
	Loss        text `json:"Loss Reason"`
	KillReason  text `json:"Kill Reason"`
}

// kind is the event's name without its package and the prefix that all have.
func (e *event) kind() string {
	name := string(e.Event)
	return strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "SparkListener")
}

// wanted are the kinds of events that are read.
var wanted = map[string]bool{
	"LogStart": true, "ApplicationStart": true, "ApplicationEnd": true, "EnvironmentUpdate": true,
	"ExecutorAdded": true, "ExecutorRemoved": true,
	"ExecutorExcluded": true, "ExecutorUnexcluded": true, "ExecutorBlacklisted": true, "ExecutorUnblacklisted": true,
	"JobStart": true, "JobEnd": true, "StageSubmitted": true, "StageCompleted": true, "TaskStart": true,
	"TaskEnd": true, "SQLExecutionStart": true, "SQLExecutionEnd": true,
	"SQLAdaptiveExecutionUpdate": true,
}

// eventOf reads a line. ok is false for a line that is no event; e is nil for one that is not wanted.
func eventOf(line []byte) (e *event, ok bool) {
	const key = `"Event":"`
	head := string(line[:min(len(line), 200)])
	i := strings.Index(head, key)
	if i < 0 {
		return nil, false
	}
	name, _, ended := strings.Cut(head[i+len(key):], `"`)
	e = &event{Event: text(name)}
	if !ended || !wanted[e.kind()] {
		return nil, ended && json.Valid(line)
	}
	if json.Unmarshal(line, e) != nil {
		return nil, false
	}
	e.plan, e.PlanText = parsePlan(e.PlanText), ""
	return e, true
}

// time is when the event happened; NoInstant where it does not tell.
func (e *event) time() dag.Instant {
	switch e.kind() {
	case "JobStart":
		return e.Submitted.Instant()
	case "SQLExecutionStart", "SQLExecutionEnd":
		return e.Time.Instant()
	case "JobEnd":
		return e.Completed.Instant()
	case "StageSubmitted":
		return e.Stage.Submitted.Instant()
	case "StageCompleted":
		return e.Stage.Completed.Instant()
	case "TaskStart":
		if e.Task != nil {
			return e.Task.Launch.Instant()
		}
	case "TaskEnd":
		if e.Task != nil {
			return e.Task.Finish.Instant()
		}
	}
	return e.Timestamp.Instant()
}

// takeEvent takes an event that happened at its instant.
func (a *App) takeEvent(e *event) {
	switch e.kind() {
	case "LogStart":
		a.version = string(e.Version)
	case "ApplicationStart":
		a.id, a.name, a.user, a.began = dag.Clean(string(e.AppID)), dag.Clean(string(e.AppName)),
			dag.Clean(string(e.User)), e.at
	case "ApplicationEnd":
		a.over, a.ended = true, e.at
	case "EnvironmentUpdate":
		for k, v := range e.Properties {
			if len(a.conf) < 10_000 {
				a.conf[k] = string(v)
			}
		}
	case "ExecutorAdded", "ExecutorRemoved", "ExecutorExcluded", "ExecutorUnexcluded", "ExecutorBlacklisted",
		"ExecutorUnblacklisted":
		a.takeExecutorEvent(e)
	case "JobStart":
		a.takeJobStart(e)
	case "JobEnd":
		if j := a.jobs[idOf(e.JobID)]; j != nil {
			j.completed, j.status = e.at, "FAILED"
			if e.Result.Result == "JobSucceeded" {
				j.status = "SUCCEEDED"
			}
		}
	case "SQLExecutionStart", "SQLExecutionEnd", "SQLAdaptiveExecutionUpdate":
		a.takeSQLEvent(e)
	case "StageSubmitted", "StageCompleted":
		a.takeStageEvent(e)
	case "TaskStart", "TaskEnd":
		a.takeTaskEvent(e)
	}
}

func idOf(n *number) int {
	if n == nil {
		return -1
	}
	return n.ID()
}

func (a *App) takeExecutorEvent(e *event) {
	id := string(e.Executor)
	if id == "" {
		id = string(e.ExcludedExecutor)
	}
	n := a.executorAt(id)
	if n < 0 {
		return
	}
	x := a.executors[n]
	switch e.kind() {
	case "ExecutorAdded":
		x.active, x.added, x.host = true, e.at, dag.Clean(string(e.ExecutorInfo.Host))
		x.cores = e.ExecutorInfo.Cores.Count(1<<20) / a.coresPerTask()
	case "ExecutorRemoved":
		x.active, x.removed, x.reason = false, e.at, firstLine(string(e.Reason))
	default:
		x.excluded = !strings.Contains(e.kind(), "Un")
	}
}

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
	a.takeJob(idOf(e.JobID), name, dag.Clean(string(e.Job.Description)), e.at, dag.NoInstant, ids, "RUNNING",
		string(e.Job.Group))
	for _, of := range []text{e.Job.SQL, e.Job.Root} {
		if id, err := strconv.Atoi(string(of)); err == nil {
			if x := a.executionAt(id); x != nil && len(x.jobs) < mostJobs {
				x.jobs[idOf(e.JobID)] = true
			}
		}
	}
}

func (a *App) takeSQLEvent(e *event) {
	x := a.executionAt(idOf(e.Execution))
	if x == nil {
		return
	}
	switch {
	case e.kind() == "SQLExecutionStart":
		x.description, x.submitted, x.status = described(string(e.Description)), e.at, "RUNNING"
		x.plan = e.plan
	case e.kind() == "SQLAdaptiveExecutionUpdate":
		if x.plan = e.plan; x.status != "RUNNING" {
			x.plan = nil
		}
	case e.Error != "":
		x.status, x.ended, x.plan = "FAILED", e.at, nil
	default:
		x.status, x.ended, x.plan = "COMPLETED", e.at, nil
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
		s.tasks = w.Tasks.Count(mostTasks)
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

func (a *App) takeStageEvent(e *event) {
	s := a.takeStageInfo(&e.Stage)
	if s == nil {
		return
	}
	t := s.tryAt(e.Stage.Try.ID())
	if t == nil {
		return
	}
	t.tasks, t.submitted = e.Stage.Tasks.Count(mostTasks), e.Stage.Submitted.Instant()
	t.status = "ACTIVE"
	if e.Job.Pool != "" {
		s.pool = dag.Clean(string(e.Job.Pool))
	}
	if e.kind() == "StageCompleted" {
		t.status, t.completed = "COMPLETE", e.at
		if t.failure = cause(string(e.Stage.Failure)); t.failure != "" {
			t.status = "FAILED"
		}
	}
	if t == s.newest() {
		s.status = t.status
	}
}

func (a *App) takeTaskEvent(e *event) {
	s := a.stages[idOf(e.StageID)]
	if s == nil || e.Task == nil || e.Task.ID.ID() < 0 {
		return
	}
	t := s.tryAt(e.Try.ID())
	if t == nil {
		return
	}
	k := a.taskAt(t, e.Task.ID.ID())
	if k == nil {
		return
	}
	part := e.Task.Index.ID()
	if p := idOf(e.Task.Part); p >= 0 {
		part = p
	}
	k.part, k.launch, k.executor = part, e.Task.Launch.Instant(), a.executorAt(string(e.Task.Executor))
	if e.kind() == "TaskStart" {
		return
	}
	k.end = e.at
	if at := e.Task.Finish.Instant(); at.Known() {
		k.end = at
	}
	switch r := &e.EndReason; {
	case r.Reason == "Success" && !e.Task.Failed && !e.Task.Killed:
		if k.state != dag.AttemptSucceeded {
			t.complete++
		}
		k.state = dag.AttemptSucceeded
	case e.Task.Killed || r.Reason == "TaskKilled":
		k.state, k.why = dag.AttemptKilled, firstLine(string(r.KillReason))
	default:
		k.state, k.why = dag.AttemptFailed,
			firstLine(strings.Join(strings.Fields(string(r.Reason)+" "+cause(string(r.Description))+string(r.Message)+
				string(r.Loss)), " "))
	}
	if m := e.Metrics; m != nil {
		k.in, k.read, k.out = float64(m.Input.Records), float64(m.Read.Records),
			max(zero(m.Write.Records), zero(m.Output.Records))
		s.writes = s.writes || m.Write.Records > 0
	}
}
