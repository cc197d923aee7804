package report

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A head is what the page shows above the figures: which run, how and when it ended, and how good the predictions
// were.
type head struct {
	Name, ID, From string
	State, Class   string // the state as text and as a class
	Over           bool
	Start, End     moment
	User, Queue    string
	Glance         glance
	Quality        []fact // how good the predictions were
	WaitingOn      string
	When           *when
	Alerts         []alertRow
	Warnings       []dag.Warning
	Observations   string
	Schema         int
	Zone           string // the time zone of all instants
}

// A moment is an instant for people and for programs.
type moment struct{ Text, ISO string }

// A fact is a number with its title and a note.
type fact struct{ Title, Value, Note string }

type alertRow struct{ Bound, State, Class, Deadline, Chance, Text string }

func headOf(s *runreport.Report, zone *time.Location) head {
	h := head{
		Name: textOf(s.Workflow.Name), ID: textOf(s.Workflow.ID), From: text(s.From), User: textOf(s.User),
		Queue: textOf(s.Queue),
		Over:  s.Workflow.State.Ended(), Start: momentOf(s.StartAt, zone), End: momentOf(s.EndAt, zone),
		Observations: units.Count(s.Observations, "observation"), Schema: s.SchemaVersion, Zone: zone.String(),
	}
	h.State, h.Class = stateOf(s.Workflow.State)
	if h.Name == "" {
		h.Name = h.ID
	}
	if h.Name == "" {
		h.Name = h.From
	}
	h.Glance, h.Quality = glanceOf(s, zone), qualityOf(s)
	if !h.Over {
		h.WaitingOn = prose(units.InZone(deref(s.WaitingOn), besides(s.At), zone))
		h.When = whenOf(s)
	}
	for i := range s.Alerts {
		if s.Alerts[i].Quiet && !s.Alerts[i].State.Firing() {
			continue // a default bound that no user set
		}
		h.Alerts = append(h.Alerts, alertOf(&s.Alerts[i], s.At, zone))
	}
	for _, w := range s.Warnings {
		words := prose(units.InZone(w.Text, besides(s.At), zone))
		h.Warnings = append(h.Warnings, dag.Warning{Code: text(w.Code), Text: words})
	}
	return h
}

func momentOf(t *frame.Time, zone *time.Location) moment {
	if t == nil {
		return moment{}
	}
	at := t.Time().Round(time.Second)
	return moment{at.In(zone).Format("2 January 2006, 15:04:05 MST"), at.UTC().Format(time.RFC3339)}
}

// stateOf returns a state as text and as a class of the style sheet.
func stateOf(s dag.State) (words, class string) {
	switch s {
	case dag.Succeeded:
		return "succeeded", "good"
	case dag.Failed:
		return "failed", "bad"
	case dag.Killed:
		return "killed", "bad"
	case dag.Blocked:
		return "not submitted", "open"
	case dag.Submitted:
		return "submitted", "open"
	case dag.Running:
		return "running", "open"
	}
	return "ended, unconfirmed", "open"
}

func alertOf(a *frame.Alert, at *frame.Time, zone *time.Location) alertRow {
	r := alertRow{Bound: text(a.Bound), State: text(string(a.State)), Class: "open", Text: prose(a.Text)}
	switch {
	case a.State.Firing():
		r.Class = "bad"
	case a.Outcome != nil:
		r.State = text(string(*a.Outcome))
		if r.Class = "good"; *a.Outcome == frame.Missed {
			r.Class = "bad"
		}
	case a.State == frame.OnTrack:
		r.State, r.Class = "on track", "good"
	}
	if a.State == frame.AtRisk {
		r.State = "at risk"
	}
	if a.DeadlineAt != nil {
		r.Deadline = clock(a.DeadlineAt, at, zone)
	}
	if a.Probability != nil {
		r.Chance = units.Chance(*a.Probability)
	}
	return r
}
