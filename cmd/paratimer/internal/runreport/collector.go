package runreport

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// A Collector is a sink that makes the report of a watch, at any time during it.
type Collector struct {
	from  string
	model estimators.Model
	run   dag.Run
	last  frame.Frame
	seen  int
	kept  memory
	marks marks
	waits attribution.Marks
}

// NewCollector returns a Collector without observations. from is the file or query that the user named.
func NewCollector(from string, model estimators.Model) *Collector {
	return &Collector{from: from, model: model}
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
	g.kept.take(&g.last)
	g.marks.addAlerts(&g.last)
	return nil
}

// Seen returns the number of frames that were shown.
func (g *Collector) Seen() int { return g.seen }

// Report returns the report so far. It fails if nothing was observed. A figure that cannot be made is a
// warning; the others are still made.
func (g *Collector) Report() (*Report, error) {
	if len(g.run.Window) == 0 || g.seen == 0 {
		return nil, fmt.Errorf("%s: nothing was observed", g.from)
	}
	snap, f := g.run.Now(), &g.last
	s := &Report{
		SchemaVersion: SchemaVersion, From: g.from, Workflow: f.Workflow, User: frame.Text(snap.User),
		Queue:   frame.Text(snap.Queue),
		StartAt: frame.TimeOf(snap.Origin()), At: f.At, ElapsedSeconds: f.ElapsedSeconds, Observations: g.seen,
		Headline: f.Headline, Estimates: f.Estimates, WaitingOn: f.WaitingOn, Alerts: f.Alerts, Warnings: f.Warnings,
		PredictionHistory: g.predictionHistory(), Skew: skewOf(snap),
	}
	if f.Workflow.State.Ended() {
		s.EndAt = f.Headline.EndAt
	}
	var towards *attribution.Attempt
	var err error
	if s.Chart, towards, err = chartAndNext(g.run, g.model); err != nil {
		s.Chart = chart.Gantt{Panels: []chart.Panel{}, Fragments: []chart.Fragment{}, Critical: []chart.Segment{}}
		s.Warnings = append(slices.Clip(s.Warnings), dag.Warning{Code: "chart", Text: err.Error()})
	}
	if s.TimeAttribution, err = attributionOf(snap, &g.waits, towards); err != nil {
		s.TimeAttribution = TimeAttribution{Parts: []Part{}, Causes: []Cause{}}
		s.Warnings = append(slices.Clip(s.Warnings), dag.Warning{Code: "account", Text: err.Error()})
	}
	s.Jobs = jobsOf(snap, f, &s.TimeAttribution)
	lost := slices.ContainsFunc(s.Jobs, func(j Job) bool { return j.FailedAttempts+j.KilledAttempts > 0 })
	s.Limits = limitsOf(g.run, g.model, lost)
	s.glance(snap)
	return s, nil
}

// predictionHistory returns the predictions so far.
func (g *Collector) predictionHistory() PredictionHistory {
	c := PredictionHistory{
		Points: append([]Point{}, thin(g.kept.points, MostPoints)...), Marks: g.marks.sorted(),
		AlertSeconds: g.marks.firing, Moves: append([]Move{}, g.kept.moves...), Replans: g.kept.replans,
	}
	state := g.last.Workflow.State
	if total := g.last.ElapsedSeconds; state.Ended() && total != nil {
		c.TotalSeconds = total
		if state == dag.Succeeded {
			c.score(g.kept.points, *total)
		}
	}
	c.Summary = c.summary(state)
	return c
}
