package sinks

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// The URLs that each OpenLineage event contains: its producer, and the schemas of the event and its facet.
const (
	lineageProducer = "https://github.com/paratimer/paratimer"
	lineageSchema   = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
	progressSchema  = "https://raw.githubusercontent.com/paratimer/paratimer/main/docs/progress-facet.schema.json"
)

// A RunEvent is an event of OpenLineage 2-0-2: a run has started, is running, or has ended.
type RunEvent struct {
	EventType string     `json:"eventType"`
	EventTime time.Time  `json:"eventTime"`
	Run       LineageRun `json:"run"`
	Job       LineageJob `json:"job"`
	Producer  string     `json:"producer"`
	SchemaURL string     `json:"schemaURL"`
}

// A LineageRun is one run of a query. Its id is the same in every event, and in every process that watches the query.
type LineageRun struct {
	RunID  string `json:"runId"`
	Facets struct {
		Progress ProgressFacet `json:"paratimer_progress"`
	} `json:"facets"`
}

// A LineageJob is the query, in the namespace that the user has chosen for the cluster.
type LineageJob struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// A ProgressFacet is what ParaTimer adds to a run: its progress and its predicted end, as in a frame.
type ProgressFacet struct {
	Producer         string         `json:"_producer"`
	SchemaURL        string         `json:"_schemaURL"`
	WorkflowID       *string        `json:"workflowId"`
	State            dag.State      `json:"state"`
	ProgressRatio    *frame.Ratio   `json:"progressRatio"`
	ElapsedSeconds   *frame.Seconds `json:"elapsedSeconds"`
	RemainingSeconds *frame.Seconds `json:"remainingSeconds"`
	LowSeconds       *frame.Seconds `json:"lowSeconds"`
	HighSeconds      *frame.Seconds `json:"highSeconds"`
	PredictedEndAt   *frame.Time    `json:"predictedEndAt"`
	WaitingOn        *string        `json:"waitingOn"`
}

// The types of events before the end. endTypes has those of the end.
const (
	lineageStart   = "START"
	lineageRunning = "RUNNING"
)

// endTypes are the types of events at the end. It is OTHER if the end is not confirmed.
var endTypes = map[dag.State]string{dag.Succeeded: "COMPLETE", dag.Failed: "FAIL", dag.Killed: "ABORT"}

// eventOf returns the event of a frame. Its time is the frame's, for a start the first job's submission.
func eventOf(kind, namespace, id string, f *frame.Frame, now time.Time) RunEvent {
	e := RunEvent{
		EventType: kind, EventTime: now.UTC().Truncate(time.Millisecond),
		Job:      LineageJob{Namespace: namespace, Name: id},
		Producer: lineageProducer, SchemaURL: lineageSchema,
	}
	if f.At != nil {
		e.EventTime = f.At.Time()
	}
	if kind == lineageStart && f.ElapsedSeconds != nil {
		e.EventTime = e.EventTime.Add(-f.ElapsedSeconds.Duration())
	}
	if f.Workflow.Name != nil && *f.Workflow.Name != "" {
		e.Job.Name = *f.Workflow.Name
	}
	e.Run.RunID = runID(namespace, id)
	e.Run.Facets.Progress = ProgressFacet{
		Producer: lineageProducer, SchemaURL: progressSchema,
		WorkflowID: f.Workflow.ID, State: f.Workflow.State, ProgressRatio: f.ProgressRatio,
		ElapsedSeconds: f.ElapsedSeconds, RemainingSeconds: f.Headline.RemainingSeconds,
		LowSeconds: f.Headline.LowSeconds, HighSeconds: f.Headline.HighSeconds,
		PredictedEndAt: f.Headline.EndAt, WaitingOn: f.WaitingOn,
	}
	return e
}

// runID returns a UUID of version 8 (RFC 9562) that depends on the namespace and the workflow alone: a restarted or
// second watch sends events of the same run.
func runID(namespace, id string) string {
	b := sha256.Sum256([]byte(namespace + "\n" + id))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
