package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/skewness"
	"github.com/paratimer/paratimer/pathfrag/attribution"
	"github.com/paratimer/paratimer/units"
)

// summarize fills in the summary: the state of the run, why it took as long, and what helps.
func (s *Report) summarize(recorded bool) {
	s.Size = s.size()
	s.Glance.Diagnosis = s.diagnosis()
	s.Summary = []string{s.outcome(recorded)}
	if s.Glance.Diagnosis != "" {
		s.Summary = append(s.Summary, s.Glance.Diagnosis)
	}
	if len(s.Limits.Rows) > 0 {
		s.Summary = append(s.Summary, s.Limits.Summary)
	}
}

// outcome returns the state of the run in a sentence.
func (s *Report) outcome(recorded bool) string {
	title := "The query"
	if name := cmp.Or(s.Workflow.Name, s.Workflow.ID); name != nil {
		title = view.Escape(*name)
	}
	title += " (" + s.Size + ")"
	if s.StartAt == nil || s.ElapsedSeconds == nil {
		return title + " has not begun: no job was submitted."
	}
	length := units.Seconds(*s.ElapsedSeconds)
	switch state := s.Workflow.State; {
	case state == dag.EndedUnconfirmed:
		return fmt.Sprintf("%s ended after %s, result not confirmed.", title, length)
	case state.Ended():
		return fmt.Sprintf("%s %s after %s.", title, state, length)
	case recorded:
		title += " was running when the recording ends, after " + length
	default:
		title += " has been running for " + length
	}
	return title + "; left: " + view.Remaining(s.Headline) + "."
}

// size counts jobs and tasks.
func (s *Report) size() string {
	tasks, known := 0, true
	for i := range s.Jobs {
		sum, all := s.Jobs[i].Known()
		tasks, known = tasks+*sum.Total, known && all
	}
	what := units.Count(len(s.Jobs), "job")
	if s.Workflow.IsWhole(len(s.Jobs)) {
		what = s.Workflow.What()
	}
	text := what + ", " + units.Count(tasks, "task")
	if !known {
		text += " that are known"
	}
	return text
}

// leastNamed is the least share of a run that a cause takes to be the diagnosis.
const leastNamed = 0.1

// diagnosis returns in a sentence what most lengthened the run: failures and their cost, else skew, else the largest
// cause. It is "" if nothing is known.
func (s *Report) diagnosis() string {
	if failed := s.whatFailed(); failed != "" {
		if s.Glance.FailureCost != nil {
			failed += " " + s.Glance.FailureCost.Summary
		}
		return failed
	}
	if len(s.Skew.Jobs) > 0 && s.Skew.Jobs[0].Uneven {
		return s.Skew.Summary
	}
	work := attribution.Work.String()
	var most *Cause // the largest cause; work only if no other takes leastNamed
	for i := range s.TimeAttribution.Causes {
		c := &s.TimeAttribution.Causes[i]
		if c.Ratio != nil && (c.Cause == work || *c.Ratio >= leastNamed) &&
			(most == nil || most.Cause == work || c.Cause != work && c.Seconds > most.Seconds) {
			most = c
		}
	}
	if most == nil {
		return ""
	}
	return fmt.Sprintf("%s of the critical path, %s, was %s.", units.Seconds(most.Seconds), units.Percent(*most.Ratio),
		most.Title)
}

// whatFailed counts failures and lost nodes and quotes the last event.
func (s *Report) whatFailed() string {
	failed, nodes, last := 0, 0, ""
	for i := range s.Jobs {
		failed += s.Jobs[i].FailedAttempts
	}
	for _, m := range s.PredictionHistory.Marks {
		switch m.Kind {
		case MarkNode:
			nodes++
		case MarkFailure:
			if last == "" || !strings.HasPrefix(m.Text, "job ") { // the attempt that made a job fail has the reason
				last = strings.TrimSuffix(m.Text, ".")
			}
		}
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, units.Count(failed, "attempt")+" failed")
	}
	if nodes > 0 {
		parts = append(parts, "lost "+units.Count(nodes, "node"))
	}
	if last != "" {
		parts = append(parts, "last event: "+last)
	}
	if len(parts) == 0 {
		return ""
	}
	return capital(strings.Join(parts, "; ")) + "."
}

// mostNamed bounds the stages that the chart's sentence names.
const mostNamed = 6

// chartSummary names the stages that the critical path goes through, without the pauses between them.
func chartSummary(c *chart.Gantt) string {
	var through []string
	for _, seg := range c.Critical {
		title := view.Escape(seg.Title)
		if f := seg.Fragment; f < 0 || c.Fragments[f].Width == 0 || slices.Contains(through, title) {
			continue
		}
		through = append(through, title)
	}
	if len(through) == 0 {
		return ""
	}
	if len(through) > mostNamed {
		through = append(through[:mostNamed-1:mostNamed-1], units.Count(len(through)-mostNamed+1, "other"))
	}
	path := "Critical path: "
	if c.NowSeconds != nil {
		path = "Critical path, as predicted now: "
	}
	return path + strings.Join(through, ", then ") + "."
}

// summary returns how good the predictions of a finished run were.
func (c *PredictionHistory) summary(state dag.State) string {
	switch {
	case !c.watched():
		return "It was not watched while it ran, so nothing was predicted."
	case !state.Ended():
		return "The run goes on: its predictions are not scored yet."
	case state != dag.Succeeded:
		return "The query did not succeed: the predictions are of a run that does."
	}
	text := "No time could be predicted before the end."
	if first := c.firstNumber(); c.MeanErrorPoints != nil && first != nil {
		text = fmt.Sprintf("The predicted time was %s of progress off on average, given from %s on.",
			fmt.Sprintf("%.1f points", *c.MeanErrorPoints), units.Seconds(first.AtSeconds))
	}
	if c.HeldRatio != nil {
		text += fmt.Sprintf(" Its 80 %% range contained the end at %s of the observations with a range",
			units.Percent(*c.HeldRatio))
		if c.SettledSeconds != nil {
			text += fmt.Sprintf(", to a hundredth of the run always from %s on", units.Seconds(*c.SettledSeconds))
		}
		text += "."
	}
	return text
}

// watched reports whether the run was observed before its end.
func (c *PredictionHistory) watched() bool {
	return len(c.Points) > 0 && (c.TotalSeconds == nil || c.Points[0].AtSeconds < *c.TotalSeconds)
}

// firstNumber returns the first point with a predicted time; nil if there is none.
func (c *PredictionHistory) firstNumber() *Point {
	for i := range c.Points {
		if c.Points[i].TotalSeconds != nil {
			return &c.Points[i]
		}
	}
	return nil
}

// summary returns the sentence for the most uneven tasks that read other stages.
func (s *Skew) summary() string {
	if len(s.Jobs) == 0 {
		return "No stage that reads others has two finished tasks to compare."
	}
	worst := &s.Jobs[0]
	top, of := &worst.Reduces[worst.worst], view.Escape(cmp.Or(worst.Stage, worst.Job))
	text := fmt.Sprintf("%s %d of %s worked %s (median %s)", capital(worst.TaskWord()), top.Task, of,
		units.Seconds(top.WorkSeconds), units.Seconds(worst.Median))
	if top.ShareRatio != nil {
		text += fmt.Sprintf(" on %s of the input of all %d", units.Percent(*top.ShareRatio), worst.All)
	}
	switch {
	case worst.Uneven:
		return text + "."
	case skewness.WorksLong(top.WorkSeconds.Duration(), worst.Median.Duration()):
		return text + ": slow, but its input does not explain it."
	}
	return text + ": no skew."
}

// summary names the change that helps most.
func (l *Limits) summary(ended bool, base time.Duration) string {
	take := "would take"
	if ended {
		take = "would have taken"
	}
	best := l.best(base)
	if best == nil {
		return fmt.Sprintf("No feasible change %s %s or more off.", take, units.Percent(worth))
	}
	return fmt.Sprintf("With %s it %s %s instead of %s: %s less.", best.Question, take,
		units.Seconds(*best.TotalSeconds), units.Exact(base), units.Percent(float64(*best.GainSeconds)/base.Seconds()))
}

// capital makes the first letter of a sentence upper case.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sum adds two lengths of time; nil if one is unknown.
func sum(a, b *frame.Seconds) *frame.Seconds {
	if a == nil || b == nil {
		return nil
	}
	s := frame.SecondsOf(a.Duration() + b.Duration())
	return &s
}
