package report

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A head is what stands above the figures: which run, how it ended, when and how sure that was.
type head struct {
	Name, ID, From string
	State, Class   string // how it stands, in words and as a class
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
}

// A moment is an instant for people and for programs.
type moment struct{ Text, ISO string }

// A fact is a number that a reader looks for.
type fact struct{ Title, Value, Note string }

type alertRow struct{ Bound, State, Class, Deadline, Chance, Text string }

func headOf(s *runreport.Report) head {
	h := head{
		Name: textOf(s.Workflow.Name), ID: textOf(s.Workflow.ID), From: text(s.From), User: textOf(s.User),
		Queue: textOf(s.Queue),
		Over:  s.Workflow.State.Ended(), Start: momentOf(s.StartAt), End: momentOf(s.EndAt),
		Observations: units.Count(s.Observations, "observation"), Schema: s.SchemaVersion,
	}
	h.State, h.Class = stateOf(s.Workflow.State)
	if h.Name == "" {
		h.Name = h.ID
	}
	if h.Name == "" {
		h.Name = h.From
	}
	h.Glance, h.Quality = glanceOf(s), qualityOf(s)
	if !h.Over {
		h.WaitingOn = prose(deref(s.WaitingOn))
		h.When = whenOf(s)
	}
	for i := range s.Alerts {
		if s.Alerts[i].Quiet && !s.Alerts[i].State.Firing() {
			continue // nobody asked for it
		}
		h.Alerts = append(h.Alerts, alertOf(&s.Alerts[i], s.At))
	}
	for _, w := range s.Warnings {
		h.Warnings = append(h.Warnings, dag.Warning{Code: text(w.Code), Text: prose(w.Text)})
	}
	return h
}

func momentOf(t *frame.Time) moment {
	if t == nil {
		return moment{}
	}
	return moment{stamp(t, "2 January 2006, 15:04:05") + " UTC", iso(t)}
}

// stateOf words a state and says what it is for the page's look.
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

func alertOf(a *frame.Alert, at *frame.Time) alertRow {
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
		r.Deadline = clock(a.DeadlineAt, at)
	}
	if a.Probability != nil {
		r.Chance = units.Chance(*a.Probability)
	}
	return r
}
