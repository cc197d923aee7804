package spark

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/paratimer/paratimer/dag"
)

// An event is the parsed part of an event log line.
type event struct {
	kind  *eventKind
	line  int // line number in the log, from 1
	stamp dag.Instant
	at    dag.Instant // stamp, but not before the previous line's event
	shift dag.Instant // correction of its times after a clock change
	stage int         // -1 none
	task  *taskEvent  // of TaskStart and TaskEnd
	more  *wireEvent  // of all others; noFields for these two
}

// A taskEvent is the start or end of a task attempt.
type taskEvent struct {
	id, part, try  int32
	executor       string
	launch, finish dag.Instant
	state          dag.AttemptState
	why, loss      string        // loss is why its executor was lost, or ""
	writes         bool          // it writes a shuffle
	in, read, out  float64       // NaN unknown
	took           time.Duration // duration as the executor measured it; -1 unknown
	metrics        *dag.TaskMetrics
}

// A wireEvent is an event as Spark's listener writes it, with the keys that likeREST leaves.
type wireEvent struct {
	Timestamp, Time                                  moment
	AppName, AppID, AppAttemptID, User, SparkVersion text
	SparkProperties                                  map[string]text

	ExecutorID, RemovedReason text
	ExecutorInfo              struct {
		Host       text
		TotalCores number
	}

	wireJob               // with a description of executions of SQL only
	StageInfos []stageRow // not before Spark 1.2
	JobResult  struct {
		Result    text
		Exception struct{ Message text }
	}
	Properties jobProperties // of a job, or of the job of a stage

	// Of executions of SQL.
	ExecutionID  *number
	ErrorMessage text
	PlanText     text      `json:"physicalPlanDescription"`
	plan         queryPlan // of PlanText, which is dropped

	StageInfo stageRow

	StageID       *number
	AttemptID     number // of the stage
	TaskInfo      wireTask
	TaskEndReason struct{ Reason, Description, Message, LossReason, KillReason text }
	TaskMetrics   *wireMetrics
}

// jobProperties are the local properties of the thread that submitted a job or a stage.
type jobProperties struct {
	SQL         text `json:"spark.sql.execution.id"`
	Root        text `json:"spark.sql.execution.root.id"`
	Group       text `json:"spark.jobGroup.id"`
	Description text `json:"spark.job.description"`
	Tags        text `json:"spark.job.tags"`
	Pool        text `json:"spark.scheduler.pool"`
}

// pythonTime is the counter of Spark 4 with the milliseconds that a task waited for its Python worker.
const pythonTime = "time to run Python workers"

// python returns the time in which Python workers ran; 0 if the log does not have it.
func (w *wireTask) python() (sum dag.Millis) {
	var all []struct {
		Name   text
		Update number
	}
	if !bytes.Contains(w.Accumulables, []byte(pythonTime)) || json.Unmarshal(w.Accumulables, &all) != nil {
		return 0
	}
	for i := range all {
		if all[i].Name == pythonTime {
			sum += lasted(all[i].Update)
		}
	}
	return sum
}

// intern returns the same memory for equal strings: a log repeats them in most of its events.
func intern(s string) string { return unique.Make(s).Value() }

// An eventKind is a kind of events that are read.
type eventKind struct {
	name  string                  // the event's name without package and prefix
	apply func(*App, *event)      // applies an event of the kind
	sound func(w *wireEvent) bool // it has the required fields, in valid ranges; nil is always
}

var eventKinds = []eventKind{
	{"LogStart", func(a *App, e *event) { a.version = string(e.more.SparkVersion) }, nil},
	{"ApplicationStart", (*App).startApplication, nil},
	{"ApplicationEnd", func(a *App, e *event) { a.hasEnd, a.ended = true, e.at }, nil},
	{"EnvironmentUpdate", func(a *App, e *event) {
		for k, v := range e.more.SparkProperties {
			a.conf[k] = string(v)
		}
	}, nil},
	{"ExecutorAdded", (*App).applyExecutor, func(w *wireEvent) bool {
		return w.ExecutorID != "" && w.ExecutorInfo.TotalCores > 0 && w.ExecutorInfo.TotalCores <= mostCores
	}},
	{"ExecutorRemoved", (*App).applyExecutor, func(w *wireEvent) bool { return w.ExecutorID != "" }},
	{"ExecutorExcluded", (*App).applyExecutor, nil},
	{"ExecutorUnexcluded", (*App).applyExecutor, nil},
	{"ExecutorBlacklisted", (*App).applyExecutor, nil},
	{"ExecutorUnblacklisted", (*App).applyExecutor, nil},
	{"JobStart", (*App).startJob, (*wireEvent).startsJob},
	{"JobEnd", (*App).endJob, func(w *wireEvent) bool { return idOf(w.JobID) >= 0 && w.JobResult.Result != "" }},
	{"StageSubmitted", (*App).applyStage, (*wireEvent).hasStage},
	{"StageCompleted", (*App).applyStage, (*wireEvent).hasStage},
	{"TaskStart", (*App).applyTask, (*wireEvent).hasTask},
	{"TaskEnd", (*App).applyTask, func(w *wireEvent) bool { return w.hasTask() && w.TaskEndReason.Reason != "" }},
	{"SQLExecutionStart", (*App).applyExecution, (*wireEvent).hasExecution},
	{"SQLExecutionEnd", (*App).applyExecution, (*wireEvent).hasExecution},
	{"SQLAdaptiveExecutionUpdate", (*App).applyExecution, (*wireEvent).hasExecution},
}

// startsJob reports whether the event has a job. It removes stages that are not sound. A job without partitions has no
// stage.
func (w *wireEvent) startsJob() bool {
	all := len(w.StageInfos)
	w.StageInfos = slices.DeleteFunc(w.StageInfos, func(s stageRow) bool { return !s.sound() })
	return idOf(w.JobID) >= 0 && (w.StageInfos != nil || len(w.StageIDs) > 0) && (len(w.StageInfos) > 0 || all == 0)
}

func (w *wireEvent) hasStage() bool { return w.StageInfo.sound() }

func (w *stageRow) sound() bool {
	n := w.Tasks
	return idOf(w.ID) >= 0 && w.Try.ID() >= 0 && w.Try.ID() < mostAttempts && n != nil && *n >= 0 && *n <= mostTasks
}

func (w *wireEvent) hasTask() bool {
	t := &w.TaskInfo
	return idOf(w.StageID) >= 0 && w.AttemptID.ID() >= 0 && w.AttemptID.ID() < mostAttempts && idOf(t.TaskID) >= 0 &&
		t.LaunchTime > 0 && t.Index.ID() >= 0 && t.ExecutorID != ""
}

func (w *wireEvent) hasExecution() bool { return idOf(w.ExecutionID) >= 0 }

// mostCores bounds the cores of an executor.
const mostCores = 1 << 20

func idOf(n *number) int {
	if n == nil {
		return -1
	}
	return n.ID()
}

// idIn returns the id in a text, or -1.
func idIn(s string) int {
	id, err := strconv.ParseUint(strings.TrimSpace(s), 10, 31)
	if err != nil {
		return -1
	}
	return int(id)
}

// application returns the id of the application that an event starts. YARN restarts a driver that has failed. The id
// of the second attempt then ends in _2, as the name of its log does.
func (w *wireEvent) application() string {
	id := dag.Clean(string(w.AppID))
	if n := dag.Clean(string(w.AppAttemptID)); n != "" && n != "1" {
		id += "_" + n
	}
	return id
}

// parseEvent parses a line, whose keys it changes. ok is false if the line is not an event; kind is nil for events that
// are not read.
func parseEvent(line []byte) (kind *eventKind, w *wireEvent, ok bool) {
	name := eventName(line)
	name = strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "SparkListener")
	i := slices.IndexFunc(eventKinds, func(k eventKind) bool { return k.name == name })
	if i < 0 {
		return nil, nil, name != "" && json.Valid(line)
	}
	kind, w = &eventKinds[i], &wireEvent{}
	likeREST(line)
	if jsonv2.Unmarshal(line, w, lenient) != nil || kind.sound != nil && !kind.sound(w) {
		return nil, nil, false
	}
	return kind, w, true
}

// lenient are the texts of logs: of duplicate keys the last one counts, and the case of keys and underscores in them do
// not matter.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	jsonv2.MatchCaseInsensitiveNames(true))

// restKeys has the keys of a log that differ from those of REST responses by more than spaces. They are as long.
var restKeys = map[string]string{
	"Stage Attempt ID": "attemptId_______", "Stage Name": "name______", "Number of Tasks": "numTasks_______",
	"Total Records Read": "recordsRead_______", "Shuffle Write Time": "writeTime_________",
	"Shuffle Bytes Written": "bytesWritten_________", "Shuffle Records Written": "recordsWritten_________",
}

// likeREST changes the keys of an event to those of REST responses, such as Executor_Run_Time for "Executor Run Time".
func likeREST(line []byte) {
	for {
		_, line, _ = bytes.Cut(line, []byte(`"`))
		end := 0
		for end < len(line) && line[end] != '"' {
			end += 1 + one(line[end] == '\\')
		}
		if end >= len(line) {
			return
		}
		key := line[:end]
		if line = line[end+1:]; !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(":")) {
			continue
		}
		copy(key, restKeys[string(key)])
		for i := range key {
			if key[i] == ' ' {
				key[i] = '_'
			}
		}
	}
}

// noFields stands for the fields of events that have none of their own.
var noFields wireEvent

// event returns the event of a line.
func (w *wireEvent) event(kind *eventKind, line int) event {
	e := event{kind: kind, line: line, stage: -1, more: &noFields}
	// An event has only some of these times. Both times of a stage or a task are in the event of its end.
	e.stamp = cmp.Or(w.Timestamp, w.SubmissionTime, w.CompletionTime, w.Time, w.StageInfo.Completed,
		w.StageInfo.Submitted, w.TaskInfo.FinishTime, w.TaskInfo.LaunchTime).At()
	switch kind.name {
	case "TaskStart", "TaskEnd":
		e.stage, e.task = idOf(w.StageID), w.taskEvent()
		return e
	case "StageSubmitted", "StageCompleted":
		e.stage = idOf(w.StageInfo.ID)
	case "SQLExecutionStart", "SQLAdaptiveExecutionUpdate":
		w.plan, w.PlanText = parsePlan(string(w.PlanText)), ""
	}
	e.more = w
	return e
}

// taskEvent returns the parsed task of an event.
func (w *wireEvent) taskEvent() *taskEvent {
	info := &w.TaskInfo
	k := &taskEvent{
		//nolint:gosec // G115: see Number.ID
		id: int32(idOf(info.TaskID)), part: int32(info.part()), try: int32(w.AttemptID.ID()),
		executor: intern(string(info.ExecutorID)), launch: info.LaunchTime.At(), finish: info.FinishTime.At(), took: -1,
		in: math.NaN(), read: math.NaN(), out: math.NaN(),
	}
	if m := w.TaskMetrics; m != nil {
		k.writes, k.out = m.Write.Records > 0, m.written()
		k.in, k.read = float64(m.Input.Records), float64(m.Read.Records)
		fetched := number(0)
		if info.GettingResult > 0 {
			fetched = number(info.FinishTime) - info.GettingResult
		}
		k.metrics = m.of(lasted(fetched), info.python())
		if m.Run > 0 {
			ms := positive(m.Run) + positive(m.Deserialize) + positive(m.Serialize)
			k.took = time.Duration(min(ms, 1<<40)) * time.Millisecond
		}
	}
	switch r := &w.TaskEndReason; {
	case r.Reason == "Success" && !info.Failed && !info.Killed:
		k.state = dag.AttemptSucceeded
	case info.Killed || r.Reason == "TaskKilled":
		k.state, k.why = dag.AttemptKilled, intern(firstLine(string(r.KillReason)))
	case r.Reason == commitDenied:
		k.state, k.why = dag.AttemptKilled, commitDenied
	default:
		if k.state = dag.AttemptFailed; r.Reason == "ExecutorLostFailure" {
			k.loss = intern(firstLine(string(cmp.Or(r.LossReason, r.Reason))))
		}
		k.why = intern(firstLine(strings.Join(strings.Fields(string(r.Reason)+" "+cause(string(r.Description))+
			string(r.Message)+string(r.LossReason)), " ")))
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
