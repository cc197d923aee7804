// Package report makes the pages of a run and of a fleet: which blocks they have. It computes positions in drawings,
// but no numbers of a run.
package runreport

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Of returns the page of a run, with instants in a zone. up is the address of the page of all queries, "" for none.
func Of(s *Report, up string, zone *time.Location) *page.Document {
	over := s.Workflow.State.Ended()
	d := &page.Document{
		Kind: "a run so far", Title: cmp.Or(s.Workflow.Label(), s.From),
		State: badges[s.Workflow.State], Up: up, Over: over, Facts: factsOf(s, zone),
	}
	if over {
		d.Kind = "report of a run"
	}
	if f := s.Glance.Failure; f != nil {
		d.Add(page.Fault{Title: f.Title, Reason: f.Reason}, heroOf(s, zone))
	} else if d.Add(heroOf(s, zone)); s.Glance.Diagnosis != "" {
		d.Add(page.Say(s.Glance.Diagnosis))
	}
	if left := leftIf(view.Cases(s.Estimates, s.Headline)); !over && s.Headline.RemainingSeconds != nil && left != "" {
		d.Add(page.Say("Left: " + left + "."))
	}
	if !over && s.WaitingOn != nil {
		d.Add(page.Say("Waits for " + units.InZone(*s.WaitingOn, s.At.Time(), zone) + "."))
	}
	if g := &s.Chart; len(g.Panels) > 0 && g.ToSeconds > g.FromSeconds {
		d.Section("gantt", g.Name, false, page.Chart{
			ID: "gantt", Title: "Gantt chart", Caption: g.Summary, Figure: g.Inline(),
		})
	}
	jobs, helps := "Jobs", "What would help"
	if s.Workflow.IsWhole(len(s.Jobs)) {
		jobs = page.Capital(s.Workflow.Whole.Parts)
	}
	if over {
		helps = "What would have helped"
	}
	d.Section("jobs", jobs, false, jobsTable(s))
	d.Section("sure", "Deadlines", false, alertsTable(s, zone))
	d.Section("account", "Where the time went", false, causesTable(s))
	d.Section("stages", "Where the tasks' time went", false, stageTimesTable(s))
	d.Section("limits", helps, false, limitsTable(s), page.Note(s.Limits.Summary))
	for i := range s.Skew {
		if j := &s.Skew[i]; j.Skewed > 0 {
			d.Section(fmt.Sprintf("skew-%d", i), "Skew of "+cmp.Or(j.Stage, j.Job), true, skewTables(j, true)...)
		}
	}
	if over && s.PredictionHistory.HeldRatio != nil {
		d.Section("course", "Could we have known", true, courseOf(s), page.Say(s.PredictionHistory.Summary))
	}
	d.Section("events", "What happened, and what moved the prediction", true, eventsTable(s))
	d.Section("warnings", "Warnings", true, warningsTable(s, zone))
	d.Section("made", "How this was made", true, page.Note(fmt.Sprintf("From %s of %s. Times count from the submission of "+
		"the first job; instants are by the cluster's clock. Tasks that start together on free slots are a round, "+
		"consecutive rounds of one width a path fragment, and the fragments that the end waited for the critical path "+
		"(Morton, Balazinska, Grossman, SIGMOD 2010). An 80%% range should contain the end in four of five cases. "+
		"`paratimer report --output json` writes all figures.", units.Count(s.Observations, "observation"), s.From)))
	return d
}

// factsOf returns the time, the user and the size.
func factsOf(s *Report, zone *time.Location) (facts []string) {
	if s.StartAt != nil {
		when := s.StartAt.Time().Round(time.Second).In(zone).Format("January 2, 2006, 15:04:05 MST")
		if s.EndAt != nil {
			when += " to " + clock(s.EndAt, s.StartAt, time.Second, zone)
		}
		facts = append(facts, when)
	}
	if !s.Workflow.State.Ended() && s.ElapsedSeconds != nil {
		facts = append(facts, "running for "+units.Seconds(*s.ElapsedSeconds))
	}
	facts = append(facts, s.Size)
	add := func(what string, of *string) {
		if of != nil && *of != frame.ValueOf(s.Workflow.Name) {
			facts = append(facts, what+*of)
		}
	}
	add("user ", s.User)
	add("queue ", s.Queue)
	add("", s.Workflow.ID)
	return facts
}

// heroOf returns when the run ends or how long it took, and how that is against its deadline or first prediction.
func heroOf(s *Report, zone *time.Location) page.Hero {
	over := s.Workflow.State.Ended()
	h := page.Hero{Answer: "Took " + units.Known(s.ElapsedSeconds, units.Seconds)}
	left := view.Remaining(s.Headline)
	switch {
	case over && s.Workflow.State != dag.Succeeded:
		h.Answer = page.Capital(s.Workflow.State.String()) + " after " + units.Known(s.ElapsedSeconds, units.Seconds)
	case over:
	case s.Headline.EndAt != nil:
		h.Answer = "Ends " + clock(s.Headline.EndAt, s.At, view.Unit(s.Headline), zone) + ", in " + left
	case left == units.Unknown:
		h.Answer = "Too early to say when it ends"
	default:
		h.Answer = page.Capital(left) + " left"
	}
	a := s.Glance.Against
	switch {
	case a == nil:
	case a.Bound != nil:
		h.Note = "deadline " + clock(a.DeadlineAt, s.At, time.Second, zone)
		if d := a.LaterSeconds; d != nil {
			margin, class := distance(*d, over)
			h.Note, h.Class = margin+" for the "+h.Note, class
		}
	default:
		h.Note = "first predicted " + view.Remaining(frame.Headline{
			RemainingSeconds: a.ExpectedSeconds, LowSeconds: a.LowSeconds, HighSeconds: a.HighSeconds,
		})
	}
	h.Note = page.Capital(h.Note)
	return h
}

// distance returns how far from its deadline a run ended or will end, as text and as a class.
func distance(later frame.Seconds, over bool) (words, class string) {
	about := "about "
	if over {
		about = ""
	}
	if later > 0 {
		return about + units.Seconds(later) + " late", page.Bad
	}
	return about + units.Seconds(-later) + " early", page.Good
}

// badges show states.
var badges = map[dag.State]page.Badge{
	dag.Blocked: {Text: "not submitted", Class: page.Open}, dag.Submitted: {Text: "submitted", Class: page.Open},
	dag.Running: {Text: "running", Class: page.Open}, dag.Succeeded: {Text: "succeeded", Class: page.Good},
	dag.Failed: {Text: "failed", Class: page.Bad}, dag.Killed: {Text: "killed", Class: page.Bad},
	dag.EndedUnconfirmed: {Text: "ended, unconfirmed", Class: page.Open},
}

// clock formats a time of day and its zone, with the date if that is not the observation's; "" if it is unknown.
func clock(t, at *frame.Time, unit time.Duration, zone *time.Location) string {
	if t == nil {
		return ""
	}
	in := t.Time().In(zone)
	return strings.TrimSpace(units.Clock(in, at.Time(), max(unit, time.Second)) + in.Format(" MST"))
}
