package spark

import (
	"encoding/json"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/dag"
)

// An event is a line of an event log, as far as it is read. Spark writes its listener's events as JSON, one a line.
type event struct {
	Event text
	line  int         // of the log, from 1
	at    dag.Instant // not before the event in the line before
	shift dag.Instant // what is added to its times, because the log's clock was set

	Timestamp number
	AppName   text `json:"App Name"`
	AppID     text `json:"App ID"`
	Attempt   text `json:"App Attempt ID"`
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

	JobID     *number     `json:"Job ID"`
	Submitted number      `json:"Submission Time"`
	Stages    []stageInfo `json:"Stage Infos"`
	StageIDs  []*number   `json:"Stage IDs"` // all that Spark before 1.2 has
	Completed number      `json:"Completion Time"`
	Result    struct {
		Result    text
		Exception struct{ Message text }
	} `json:"Job Result"`

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
		Deserialize number `json:"Executor Deserialize Time"`
		Run         number `json:"Executor Run Time"`
		Serialize   number `json:"Result Serialization Time"`
		Input       struct {
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
	Tasks *number `json:"Number of Tasks"`
	RDDs  []struct {
		ID number `json:"RDD ID"`
	} `json:"RDD Info"`
	Parents   []number `json:"Parent IDs"`
	Submitted number   `json:"Submission Time"`
	Completed number   `json:"Completion Time"`
	Failure   text     `json:"Failure Reason"`
}

type taskInfo struct {
	ID       *number `json:"Task ID"`
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

// application returns the id of the application that an event starts. YARN starts a driver again that has failed: the
// id of its second attempt ends in _2, as the name of that attempt's log does.
func (e *event) application() string {
	id := dag.Clean(string(e.AppID))
	if n := dag.Clean(string(e.Attempt)); n != "" && n != "1" {
		id += "_" + n
	}
	return id
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
	e = &event{Event: text(eventlog.Event(line))}
	if e.Event == "" || !wanted[e.kind()] {
		return nil, e.Event != "" && json.Valid(line)
	}
	if json.Unmarshal(line, e) != nil || !e.sound() {
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
		a.id, a.name, a.user, a.began = e.application(), dag.Clean(string(e.AppName)),
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
		a.takeJobEnd(e)
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
		x.total, x.unannounced = e.ExecutorInfo.Cores.Count(mostCores), false
		x.cores = x.total / a.coresPerTask()
	case "ExecutorRemoved":
		x.active, x.removed, x.reason = false, e.at, firstLine(string(e.Reason))
	default:
		x.excluded = !strings.Contains(e.kind(), "Un")
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
