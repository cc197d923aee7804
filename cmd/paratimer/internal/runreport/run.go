// Package runreport makes the report of a run, ended or so far: what happened, where the time went, what was
// predicted when, and what would have helped. It is computed from frames and snapshots. Package report draws it and
// package compare compares it; neither computes more about the run.
package runreport

import (
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// SchemaVersion is the version of the JSON. Fields may be added within a version, never renamed or removed.
const SchemaVersion = 2

// A Report is about one run. Its JSON follows the frames': unknown is null, seconds count from the first job's
// submission.
type Report struct {
	SchemaVersion     int               `json:"schema_version"`
	From              string            `json:"from"` // the file or query that the user named
	Workflow          frame.Workflow    `json:"workflow"`
	User              *string           `json:"user"`
	Queue             *string           `json:"queue"`
	StartAt           *frame.Time       `json:"start_at"`
	At                *frame.Time       `json:"at"`     // of the newest frame
	EndAt             *frame.Time       `json:"end_at"` // null while it runs
	ElapsedSeconds    *frame.Seconds    `json:"elapsed_seconds"`
	Observations      int               `json:"observations"`
	Size              string            `json:"size"`     // jobs and tasks, as text
	Headline          frame.Headline    `json:"headline"` // of the newest frame
	Estimates         []frame.Estimate  `json:"estimates"`
	WaitingOn         *string           `json:"waiting_on"`
	Summary           []string          `json:"summary"` // the most important results, in a few sentences
	Glance            Glance            `json:"glance"`
	Chart             chart.Gantt       `json:"chart"`
	PredictionHistory PredictionHistory `json:"course"`
	TimeAttribution   TimeAttribution   `json:"account"`
	Jobs              []Job             `json:"jobs"` // in plan order
	Skew              Skew              `json:"skew"`
	Limits            Limits            `json:"limits"`
	Alerts            []frame.Alert     `json:"alerts"` // in their last state
	Warnings          []dag.Warning     `json:"warnings"`
}

// JSON writes the report. Unknown is null.
func (s *Report) JSON(w io.Writer) error { return view.JSON(w, s, "") }
