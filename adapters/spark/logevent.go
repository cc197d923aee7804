package spark

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/dag"
)

// An event is the parsed part of an event log line.
type event struct {
	kind  string // the event's name without package and prefix
	line  int    // line number in the log, from 1
	stamp dag.Instant
	at    dag.Instant // stamp, but not before the previous line's event
	shift dag.Instant // correction of its times after a clock change
	stage int         // -1 none
	task  *taskEvent  // of TaskStart and TaskEnd
	more  *wireEvent  // of all others
}

// A taskEvent is the start or end of a task attempt.
type taskEvent struct {
	id, part       int32
	try            int32
	executor       string
	launch, finish dag.Instant
	state          dag.AttemptState
	why, loss      string // loss is why its executor was lost, or ""
	lost           bool   // with its executor
	counted        bool   // it has counters
	writes         bool   // it writes a shuffle
	in, read, out  float64
	took           time.Duration // duration as the executor measured it; -1 unknown
}

// A wireEvent is an event as Spark's listener writes it.
type wireEvent struct {
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
	// The executor's id in events of exclusion.
	ExcludedExecutor text `json:"executorId"`

	JobID     *number     `json:"Job ID"`
	Submitted number      `json:"Submission Time"`
	Stages    []stageInfo `json:"Stage Infos"`
	StageIDs  []*number   `json:"Stage IDs"` // the only field for stages before Spark 1.2
	Completed number      `json:"Completion Time"`
	Result    struct {
		Result    text
		Exception struct{ Message text }
	} `json:"Job Result"`

	// Of executions of SQL, and of their jobs.
	Execution   *number `json:"executionId"`
	Description text    `json:"description"`
	Time        number  `json:"time"`
	Error       text    `json:"errorMessage"`
	PlanText    string  `json:"physicalPlanDescription"`
	plan        *sqlPlan
	Job         jobProperties `json:"Properties"`

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

// jobProperties are the local properties of the thread that submitted a job or a stage.
type jobProperties struct {
	SQL         text `json:"spark.sql.execution.id"`
	Root        text `json:"spark.sql.execution.root.id"`
	Group       text `json:"spark.jobGroup.id"`
	Description text `json:"spark.job.description"`
	Pool        text `json:"spark.scheduler.pool"`
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

// eventKinds are the kinds of events that are parsed.
var eventKinds = []string{
	"LogStart", "ApplicationStart", "ApplicationEnd", "EnvironmentUpdate", "ExecutorAdded", "ExecutorRemoved",
	"ExecutorExcluded", "ExecutorUnexcluded", "ExecutorBlacklisted", "ExecutorUnblacklisted", "JobStart", "JobEnd",
	"StageSubmitted", "StageCompleted", "TaskStart", "TaskEnd", "SQLExecutionStart", "SQLExecutionEnd",
	"SQLAdaptiveExecutionUpdate",
}

// mostCores bounds the cores of an executor.
const mostCores = 1 << 20

func idOf(n *number) int {
	if n == nil {
		return -1
	}
	return n.ID()
}

// application returns the id of the application that an event starts. YARN restarts a driver that has failed. The id
// of the second attempt then ends in _2, as the name of its log does.
func (w *wireEvent) application() string {
	id := dag.Clean(string(w.AppID))
	if n := dag.Clean(string(w.Attempt)); n != "" && n != "1" {
		id += "_" + n
	}
	return id
}

// eventOf parses a line. ok is false if the line is not an event; e is nil for kinds that are not in eventKinds.
func (l *Log) eventOf(line []byte) (e *event, w *wireEvent, ok bool) {
	name := eventlog.Event(line)
	kind := strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "SparkListener")
	i := slices.Index(eventKinds, kind)
	if i < 0 {
		return nil, nil, name != "" && json.Valid(line)
	}
	w = &wireEvent{}
	if json.Unmarshal(line, w) != nil || !w.sound(kind) {
		return nil, nil, false
	}
	e = &event{kind: eventKinds[i], stamp: w.time(kind), stage: -1}
	switch kind {
	case "TaskStart", "TaskEnd":
		e.stage, e.task = idOf(w.StageID), w.taskEvent(l.intern)
		return e, w, true
	case "StageSubmitted", "StageCompleted":
		e.stage = idOf(w.Stage.ID)
	}
	w.plan, w.PlanText = parsePlan(w.PlanText), ""
	e.more = w
	return e, w, true
}

// sound reports whether an event has the required fields of its kind, in valid ranges.
func (w *wireEvent) sound(kind string) bool {
	switch kind {
	case "JobStart":
		whole := slices.DeleteFunc(slices.Clone(w.Stages), func(s stageInfo) bool { return !s.sound() })
		broken := w.Stages == nil && len(w.StageIDs) == 0 || len(whole) == 0 && len(w.Stages) > 0
		w.Stages = whole // a job without partitions has no stage
		return !broken && idOf(w.JobID) >= 0
	case "JobEnd":
		return idOf(w.JobID) >= 0 && w.Result.Result != ""
	case "StageSubmitted", "StageCompleted":
		return w.Stage.sound()
	case "TaskStart", "TaskEnd":
		return idOf(w.StageID) >= 0 && w.Try.ID() < mostAttempts && w.Task != nil && w.Task.sound() &&
			(kind == "TaskStart" || w.EndReason.Reason != "")
	case "ExecutorAdded":
		return w.Executor != "" && w.ExecutorInfo.Cores > 0 && w.ExecutorInfo.Cores <= mostCores
	case "ExecutorRemoved":
		return w.Executor != ""
	case "SQLExecutionStart", "SQLExecutionEnd", "SQLAdaptiveExecutionUpdate":
		return idOf(w.Execution) >= 0
	}
	return true
}

func (w *stageInfo) sound() bool {
	n := w.Tasks
	return idOf(w.ID) >= 0 && w.Try.ID() >= 0 && w.Try.ID() < mostAttempts && n != nil && *n >= 0 && *n <= mostTasks
}

func (w *taskInfo) sound() bool {
	return idOf(w.ID) >= 0 && w.Launch.Instant().Known() && w.Index.ID() >= 0 && w.Executor != ""
}

// An identity identifies an event, so that duplicates in the log are found.
type identity struct {
	kind, executor, reason           string
	job, stage, try, task, execution int
	at                               dag.Instant
}

// identity returns the identity of an event. once is false for kinds that may repeat.
func (w *wireEvent) identity(kind string) (of identity, once bool) {
	of = identity{
		kind: kind, executor: string(w.Executor), reason: string(w.EndReason.Reason), job: idOf(w.JobID),
		stage: idOf(w.Stage.ID), try: w.Stage.Try.ID(), execution: idOf(w.Execution),
	}
	if w.Task != nil {
		of.task = idOf(w.Task.ID)
	}
	switch kind {
	case "ExecutorAdded", "ExecutorRemoved":
		of.at = w.time(kind)
	case "JobStart", "JobEnd", "StageSubmitted", "StageCompleted", "TaskStart", "TaskEnd", "SQLExecutionStart",
		"SQLExecutionEnd":
	default:
		return of, false
	}
	return of, true
}

// time returns when the event happened, or NoInstant if the event does not contain the time.
func (w *wireEvent) time(kind string) dag.Instant {
	switch kind {
	case "JobStart":
		return w.Submitted.Instant()
	case "SQLExecutionStart", "SQLExecutionEnd":
		return w.Time.Instant()
	case "JobEnd":
		return w.Completed.Instant()
	case "StageSubmitted":
		return w.Stage.Submitted.Instant()
	case "StageCompleted":
		return w.Stage.Completed.Instant()
	case "TaskStart":
		return w.Task.Launch.Instant()
	case "TaskEnd":
		return w.Task.Finish.Instant()
	}
	return w.Timestamp.Instant()
}

// taskEvent returns the parsed task of an event. intern returns the same memory for equal strings.
func (w *wireEvent) taskEvent(intern func(string) string) *taskEvent {
	info := w.Task
	k := &taskEvent{
		//nolint:gosec // G115: see Number.ID
		id: int32(idOf(info.ID)), part: int32(info.Index.ID()), try: int32(w.Try.ID()),
		executor: intern(string(info.Executor)), launch: info.Launch.Instant(), finish: info.Finish.Instant(), took: -1,
	}
	if part := idOf(info.Part); part >= 0 {
		k.part = int32(part) //nolint:gosec // G115: see Number.ID
	}
	if m := w.Metrics; m != nil {
		k.counted, k.writes = true, m.Write.Records > 0
		k.in, k.read = float64(m.Input.Records), float64(m.Read.Records)
		k.out = max(positive(m.Write.Records), positive(m.Output.Records))
		if m.Run > 0 {
			ms := positive(m.Run) + positive(m.Deserialize) + positive(m.Serialize)
			k.took = time.Duration(min(ms, 1<<40)) * time.Millisecond
		}
	}
	switch r := &w.EndReason; {
	case r.Reason == "Success" && !info.Failed && !info.Killed:
		k.state = dag.AttemptSucceeded
	case info.Killed || r.Reason == "TaskKilled":
		k.state, k.why = dag.AttemptKilled, intern(firstLine(string(r.KillReason)))
	case r.Reason == commitDenied:
		k.state, k.why = dag.AttemptKilled, commitDenied
	default:
		k.state, k.lost = dag.AttemptFailed, r.Reason == "ExecutorLostFailure"
		k.loss = intern(firstLine(string(r.Loss)))
		k.why = intern(firstLine(strings.Join(strings.Fields(string(r.Reason)+" "+cause(string(r.Description))+
			string(r.Message)+string(r.Loss)), " ")))
	}
	return k
}

// launched returns when a task began if the log does not have its start.
func (k *taskEvent) launched(end, shift dag.Instant) dag.Instant {
	if k.took >= 0 && (shift != 0 || end.Sub(k.launch)-k.took > time.Minute) {
		return end.Add(-k.took)
	}
	return min(k.launch+shift, end)
}

// properties returns the properties of the thread that submitted a job or a stage.
func (e *event) properties() *jobProperties {
	if e.more == nil {
		return &jobProperties{}
	}
	return &e.more.Job
}
