package spark

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// sound reports whether an event has what is needed of its kind, in sizes that Spark can have.
func (e *event) sound() bool {
	switch e.kind() {
	case "JobStart":
		whole := slices.DeleteFunc(slices.Clone(e.Stages), func(s stageInfo) bool { return !s.sound() })
		broken := e.Stages == nil && len(e.StageIDs) == 0 || len(whole) == 0 && len(e.Stages) > 0
		e.Stages = whole // a job without any partition has no stage
		return !broken && idOf(e.JobID) >= 0
	case "JobEnd":
		return idOf(e.JobID) >= 0 && e.Result.Result != ""
	case "StageSubmitted", "StageCompleted":
		return e.Stage.sound()
	case "TaskStart", "TaskEnd":
		return idOf(e.StageID) >= 0 && e.Try.ID() < mostAttempts && e.Task != nil && e.Task.sound() &&
			(e.kind() == "TaskStart" || e.EndReason.Reason != "")
	case "ExecutorAdded":
		return e.Executor != "" && e.ExecutorInfo.Cores > 0 && e.ExecutorInfo.Cores <= mostCores
	case "ExecutorRemoved":
		return e.Executor != ""
	case "SQLExecutionStart", "SQLExecutionEnd", "SQLAdaptiveExecutionUpdate":
		return idOf(e.Execution) >= 0
	}
	return true
}

// mostCores bounds the cores of an executor.
const mostCores = 1 << 20

func (w *stageInfo) sound() bool {
	n := w.Tasks
	return idOf(w.ID) >= 0 && w.Try.ID() >= 0 && w.Try.ID() < mostAttempts && n != nil && *n >= 0 && *n <= mostTasks
}

func (w *taskInfo) sound() bool {
	return idOf(w.ID) >= 0 && w.Launch.Instant().Known() && w.Index.ID() >= 0 && w.Executor != ""
}

// An identity is the same for an event that is in the log twice.
type identity struct {
	kind, name, reason string
	id, try            int
	at                 dag.Instant
}

// identity returns which event it is; once is false for one that may come again.
func (e *event) identity() (of identity, once bool) {
	of = identity{kind: e.kind(), id: -1}
	switch of.kind {
	case "JobStart", "JobEnd":
		of.id = idOf(e.JobID)
	case "StageSubmitted", "StageCompleted":
		of.id, of.try = idOf(e.Stage.ID), e.Stage.Try.ID()
	case "TaskStart", "TaskEnd":
		of.id, of.reason = idOf(e.Task.ID), string(e.EndReason.Reason)
	case "ExecutorAdded", "ExecutorRemoved":
		of.name, of.at = string(e.Executor), e.time()
	case "SQLExecutionStart", "SQLExecutionEnd":
		of.id = idOf(e.Execution)
	default:
		return of, false
	}
	return of, true
}
