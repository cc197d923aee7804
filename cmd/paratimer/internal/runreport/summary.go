package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// summarize fills in the summary: what happened, what went wrong, where the time went, since when the end was known,
// and what would have helped.
func (s *Report) summarize(recorded bool) {
	s.Summary = []string{}
	for _, summary := range []string{
		s.outcome(recorded), s.whatFailed(), s.whereItWent(), s.whatWasKnown(),
		s.whatIsUneven(), s.whatHelps(),
	} {
		if summary != "" {
			s.Summary = append(s.Summary, summary)
		}
	}
}

// outcome returns the state of the run in a sentence.
func (s *Report) outcome(recorded bool) string {
	title := "The query"
	if s.Workflow.Name != nil {
		title = name(*s.Workflow.Name)
	} else if s.Workflow.ID != nil {
		title = name(*s.Workflow.ID)
	}
	title += " (" + s.size() + ")"
	if s.StartAt == nil || s.ElapsedSeconds == nil {
		return title + " has not begun: no job was submitted."
	}
	length, began := units.Seconds(*s.ElapsedSeconds),
		s.StartAt.Time().Round(time.Second).Format("15:04:05 UTC on 2 January 2006")
	switch {
	case s.EndAt != nil:
		return fmt.Sprintf("%s %s after %s: from %s to %s.", title, ended(s.Workflow.State), length, began,
			units.Clock(s.EndAt.Time(), s.StartAt.Time(), time.Second)+" UTC")
	case s.Workflow.State.Ended():
		return fmt.Sprintf("%s %s after %s; it began at %s.", title, ended(s.Workflow.State), length, began)
	}
	summary := fmt.Sprintf("%s has been running for %s, since %s", title, length, began)
	if recorded {
		summary = fmt.Sprintf("%s was running when the recording ends, %s after it began at %s", title, length, began)
	}
	left := view.Remaining(s.Headline)
	switch {
	case s.Headline.EndAt != nil:
		return summary + fmt.Sprintf("; it is expected to end at %s, in %s.",
			units.Clock(s.Headline.EndAt.Time(), s.StartAt.Time(), time.Second)+" UTC", left)
	case left == "?":
		return summary + "; when it ends is not known."
	}
	return summary + "; when it ends is not known: " + left + "."
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

func ended(s dag.State) string {
	switch s {
	case dag.Killed:
		return "was killed"
	case dag.EndedUnconfirmed:
		return "ended, as far as is known,"
	default:
		return s.String()
	}
}

// whatFailed counts failures and lost nodes and quotes the last event.
func (s *Report) whatFailed() string {
	failed, nodes := 0, 0
	for i := range s.Jobs {
		failed += s.Jobs[i].FailedAttempts
	}
	last := ""
	for _, m := range s.PredictionHistory.Marks {
		switch m.Kind {
		case MarkNode:
			nodes++
		case MarkFailure:
			if last == "" || !strings.HasPrefix(m.Text, "job ") { // the attempt that made a job fail has the reason
				last = m.Text
			}
		}
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, units.Count(failed, "attempt")+" failed")
	}
	if nodes > 0 {
		was := " were lost"
		if nodes == 1 {
			was = " was lost"
		}
		parts = append(parts, units.Count(nodes, "node")+was)
	}
	switch {
	case len(parts) == 0 && last == "":
		return ""
	case len(parts) == 0:
		return "What went wrong: " + last + "."
	case last == "":
		return "What went wrong: " + list(parts) + "."
	}
	return "What went wrong: " + list(parts) + "; the last of it: " + strings.TrimSuffix(last, ".") + "."
}

// leastNamed is the least share of a run for a cause to be in the summary.
const leastNamed = 0.01

// whereItWent names the three largest causes.
func (s *Report) whereItWent() string {
	causes := slices.Clone(s.TimeAttribution.Causes)
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
	var parts []string
	for _, c := range causes {
		if c.Ratio != nil && len(parts) < 3 && (*c.Ratio >= leastNamed || len(parts) == 0 && *c.Ratio > 0) {
			parts = append(parts, fmt.Sprintf("%s (%s, %s)", c.Title, units.Seconds(c.Seconds),
				units.Percent(float64(*c.Ratio))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Along the critical path the time went to " + list(parts) + "."
}

// whatWasKnown says since when the predictions were right, and when the first alert fired.
func (s *Report) whatWasKnown() string {
	c := &s.PredictionHistory
	if !s.Workflow.State.Ended() || s.ElapsedSeconds == nil || *s.ElapsedSeconds <= 0 {
		if c.AlertSeconds != nil {
			return fmt.Sprintf("The first alert came after %s.", units.Seconds(*c.AlertSeconds))
		}
		return ""
	}
	total, summary := *s.ElapsedSeconds, ""
	switch {
	case s.Workflow.State != dag.Succeeded:
	case c.HeldRatio != nil:
		summary = c.sinceWhen(total)
	case c.MeanErrorPoints != nil:
		summary = "Its end could not be predicted with a range."
	case !c.watched():
		summary = "It was looked at after its end, so nothing was predicted."
	default:
		summary = "No time could be given before the end."
	}
	if s.Workflow.State == dag.Succeeded && c.MeanErrorPoints != nil {
		summary += fmt.Sprintf(" On average the predicted time was %s of progress off.", points(*c.MeanErrorPoints))
	}
	if c.AlertSeconds != nil {
		summary = strings.TrimSpace(summary + fmt.Sprintf(" The first alert came after %s, %s before the end.",
			units.Seconds(*c.AlertSeconds), units.Seconds(max(total-*c.AlertSeconds, 0))))
	}
	return summary
}

// sinceWhen says how often the range contained the end, of all observations with a range, and from when on. total is
// the run's length.
func (c *PredictionHistory) sinceWhen(total frame.Seconds) string {
	first, settled := c.FirstHeldSeconds, c.SettledSeconds
	if first == nil && settled == nil {
		return "Its 80 % range never held its end."
	}
	from := settled
	if from == nil || first != nil && *c.HeldSinceRatio == 1 {
		from = first
	}
	share := units.Percent(float64(*c.HeldRatio))
	toGo := units.Percent(float64(max(1-*from/total, 0)))
	if first == nil {
		return fmt.Sprintf("From %s on, with %s of the run to go, its end was within a hundredth of the run of its 80 %% range.",
			units.Seconds(*from), toGo)
	}
	summary := fmt.Sprintf("Its 80 %% range held its end at %s of the observations that had one", share)
	switch {
	case *c.HeldRatio == 1:
		return summary + fmt.Sprintf(", from %s on, with %s of the run to go.", units.Seconds(*from), toGo)
	case settled == nil:
		return summary + fmt.Sprintf(", first after %s, but not at the last one.", units.Seconds(*first))
	case *c.HeldSinceRatio == 1:
		return summary + fmt.Sprintf(", and always from %s on, with %s of the run to go.", units.Seconds(*first), toGo)
	}
	return summary + fmt.Sprintf(", and to a hundredth of the run always from %s on, with %s to go.",
		units.Seconds(*settled), toGo)
}

// whatIsUneven returns the sentence about skew, "" if there is none.
func (s *Report) whatIsUneven() string {
	if len(s.Skew.Jobs) > 0 && s.Skew.Jobs[0].Uneven {
		return s.Skew.Summary
	}
	return ""
}

// whatHelps returns the summary of the limits.
func (s *Report) whatHelps() string {
	if len(s.Limits.Rows) == 0 {
		return ""
	}
	return s.Limits.Summary
}
