// Package runreport makes the report of a run, ended or so far: what happened, where the time went, what was
// predicted when, and what would have helped. It is computed from frames and snapshots; its page and its JSON compute
// nothing more about the run.
package runreport

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/pathfrag"
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
	// StageTimes is empty if the engine reports no counters of times.
	StageTimes []StageTime   `json:"stages"`
	Jobs       []Job         `json:"jobs"` // in plan order
	Skew       []frame.Skew  `json:"skew"` // the greatest delay of the end first
	Limits     Limits        `json:"limits"`
	Alerts     []frame.Alert `json:"alerts"` // in their last state
	Warnings   []dag.Warning `json:"warnings"`
}

// JSON writes the report. Unknown is null.
func (s *Report) JSON(w io.Writer) error { return view.JSON(w, s, "") }

// A Collector is a sink that makes the report of a watch, at any time during it.
type Collector struct {
	From  string // the file or query that the user named
	Model estimators.Model

	run     dag.Run
	last    frame.Frame
	seen    int
	history PredictionHistory
	marks   marks
	waits   pathfrag.Marks
}

// Show adds a tick.
func (g *Collector) Show(tick frame.Tick) error {
	if s := tick.Snapshot; s != nil {
		g.run = tick.Run
		g.marks.see(s)
		g.waits.See(s)
	}
	g.seen++
	g.last = tick.Frame
	g.history.take(&g.last)
	g.marks.addAlerts(&g.last)
	return nil
}

// Seen returns the number of frames that were shown.
func (g *Collector) Seen() int { return g.seen }

// Report returns the report so far. It fails if nothing was observed. A figure that cannot be made is a
// warning; the others are still made.
func (g *Collector) Report() (*Report, error) {
	if len(g.run.Window) == 0 || g.seen == 0 {
		return nil, fmt.Errorf("%s: nothing was observed", g.From)
	}
	snap, f := g.run.Now(), &g.last
	s := &Report{
		SchemaVersion: SchemaVersion, From: g.From, Workflow: f.Workflow, User: frame.Text(snap.User),
		Queue:   frame.Text(snap.Queue),
		StartAt: frame.TimeOf(snap.Origin()), At: f.At, ElapsedSeconds: f.ElapsedSeconds, Observations: g.seen,
		Headline: f.Headline, Estimates: f.Estimates, WaitingOn: f.WaitingOn, Alerts: f.Alerts, Warnings: f.Warnings,
		PredictionHistory: g.history.scored(f, &g.marks), Skew: view.List(f.Skew),
	}
	if f.Workflow.State.Ended() {
		s.EndAt = f.Headline.EndAt
	}
	warn := func(code string, err error) bool {
		if err != nil {
			s.Warnings = append(slices.Clip(s.Warnings), dag.Warning{Code: code, Text: err.Error()})
		}
		return err != nil
	}
	var towards *pathfrag.Attempt
	var err error
	if s.Chart, towards, err = ChartOf(g.run, g.Model); warn("chart", err) {
		s.Chart = chart.Gantt{Panels: []chart.Panel{}, Fragments: []chart.Fragment{}, Critical: []chart.Segment{}}
	}
	s.TimeAttribution, err = attributionOf(snap, &g.waits, towards)
	warn("account", err)
	if past, ok := whatif.Again(g.run); ok && snap.State == dag.Succeeded {
		s.Skew, err = SkewOf(g.run, past, g.Model)
		warn("skew", err)
	}
	s.StageTimes = stageTimesOf(snap, s.TimeAttribution.byStage)
	s.Jobs = jobsOf(snap, f, &s.TimeAttribution)
	s.Limits = limitsOf(g.run, g.Model)
	s.glance(snap)
	return s, nil
}

// SkewOf returns the stages of a run that succeeded, with what their skewed tasks held its end back by.
func SkewOf(run dag.Run, past whatif.Past, model estimators.Model) ([]frame.Skew, error) {
	now := estimators.NewReplayContext(run, model, estimators.Options{})
	again := estimators.NewReplayContext(past.Before, model, estimators.Options{})
	skew, err := explain.SkewOfFinished(now, again, past.Took)
	return view.List(frame.SkewOf(run.Now(), skew, new(time.Duration))), err
}

// A TimeAttribution is where the time went along the critical path: its parts follow each other from 0 to the end and
// add up.
type TimeAttribution struct {
	Parts  []Part  `json:"parts"`
	Causes []Cause `json:"causes"` // in a fixed order, those with a time

	byNode  map[string]time.Duration // how much is a job's
	byStage map[stageKey]time.Duration
}

// A stageKey is the index of a job, and of one of its stages.
type stageKey struct {
	job   int
	stage dag.StageIndex
}

// A Part is a piece of the critical path with one cause.
type Part struct {
	Cause        string        `json:"cause"`
	Job          *string       `json:"job"` // node; null between jobs
	Task         *string       `json:"task"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
}

// A Cause is the total of all parts of one cause.
type Cause struct {
	Cause   string        `json:"cause"`
	Title   string        `json:"title"`
	Meaning string        `json:"meaning"`
	Seconds frame.Seconds `json:"seconds"`
	Ratio   *frame.Ratio  `json:"ratio"`
}

// attributionOf returns where the time of a run went so far. marks are from all its snapshots. towards is the attempt
// that the end of a running run waits for, nil if unknown.
func attributionOf(
	s *dag.Snapshot, marks *pathfrag.Marks, towards *pathfrag.Attempt,
) (out TimeAttribution, err error) {
	out = TimeAttribution{
		Parts: []Part{}, Causes: []Cause{}, byNode: map[string]time.Duration{}, byStage: map[stageKey]time.Duration{},
	}
	var of *pathfrag.Attribution
	if towards != nil {
		of, err = pathfrag.AttributeTowards(s, marks, *towards)
	} else {
		of, err = pathfrag.Attribute(s, marks)
	}
	if err != nil {
		return out, err
	}
	sums, total := of.ByCause(), of.Total()
	for _, c := range pathfrag.Causes() {
		if sums[c] > 0 {
			title, meaning := c.On(s.Plan.Cluster.Policy)
			out.Causes = append(out.Causes, Cause{
				c.String(), title, meaning, frame.SecondsOf(sums[c]), frame.RatioOf(float64(sums[c]) / float64(total)),
			})
		}
	}
	for _, p := range of.Parts {
		part := Part{
			Cause: p.Cause.String(), StartSeconds: *frame.Since(p.Start, of.From),
			EndSeconds: *frame.Since(p.End, of.From),
		}
		if p.Job >= 0 {
			node := s.Plan.Jobs[p.Job].Node
			part.Job = frame.Text(node)
			out.byNode[node] += p.Length()
		}
		if p.Task >= 0 {
			out.byStage[stageKey{p.Job, p.Stage}] += p.Length()
			part.Task = frame.Text(attemptName(s, p.Job, p.Stage, p.Task, p.Attempt))
		}
		out.Parts = append(out.Parts, part)
	}
	return out, nil
}

// attemptName returns the engine's name of an attempt.
func attemptName(s *dag.Snapshot, job int, k dag.StageIndex, task, number int32) string {
	a := dag.Attempt{Task: task, Number: number}
	return a.Name(s.Jobs[job].ID, s.Plan.StageName(job, k))
}
