package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// summarise says what a reader must know: what happened, what went wrong, where the time went, could it have been known, and what
// would have helped.
func (s *Story) summarise(recorded bool) {
	s.Summary = []string{}
	for _, says := range []string{s.whatHappened(recorded), s.whatFailed(), s.whereItWent(), s.whatWasKnown(), s.whatIsUneven(), s.whatHelps()} {
		if says != "" {
			s.Summary = append(s.Summary, says)
		}
	}
}

// whatHappened is the run in a sentence.
func (s *Story) whatHappened(recorded bool) string {
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
	length, began := took(*s.ElapsedSeconds), s.StartAt.Time().Format("15:04:05 UTC on 2 January 2006")
	switch {
	case s.EndAt != nil:
		return fmt.Sprintf("%s %s after %s: from %s to %s.", title, ended(s.Workflow.State), length, began, clockAfter(s.EndAt, s.StartAt))
	case s.Workflow.State.Ended():
		return fmt.Sprintf("%s %s after %s; it began at %s.", title, ended(s.Workflow.State), length, began)
	}
	says := fmt.Sprintf("%s has been running for %s, since %s", title, length, began)
	if recorded {
		says = fmt.Sprintf("%s was running when the recording ends, %s after it began at %s", title, length, began)
	}
	left := view.Remaining(s.Headline)
	switch {
	case s.Headline.EndAt != nil:
		return says + fmt.Sprintf("; it is expected to end at %s, in %s.", clockAfter(s.Headline.EndAt, s.StartAt), left)
	case left == "?":
		return says + "; when it ends is not known."
	}
	return says + "; when it ends is not known: " + left + "."
}

// size counts jobs and tasks.
func (s *Story) size() string {
	tasks, known := 0, true
	for i := range s.Jobs {
		for _, t := range []*int{s.Jobs[i].Maps.Total, s.Jobs[i].Reduces.Total} {
			if t == nil {
				known = false
				continue
			}
			tasks += *t
		}
	}
	text := view.Many(len(s.Jobs), "job") + ", " + view.Many(tasks, "task")
	if !known {
		text += " that are known"
	}
	return text
}

// clockAfter is a time of day, with its date where that is another one.
func clockAfter(t, start *frame.Time) string {
	if a, b := t.Time(), start.Time(); a.YearDay() == b.YearDay() && a.Year() == b.Year() {
		return a.Format("15:04:05 UTC")
	}
	return t.Time().Format("15:04:05 UTC on 2 January 2006")
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

// whatFailed counts what went wrong.
func (s *Story) whatFailed() string {
	failed, nodes := 0, 0
	for i := range s.Jobs {
		failed += s.Jobs[i].FailedAttempts
	}
	last := ""
	for _, m := range s.Course.Marks {
		switch m.Kind {
		case MarkNode:
			nodes++
		case MarkFailure:
			if last == "" || !strings.HasPrefix(m.Text, "job ") { // a job fails by an attempt, which says why
				last = m.Text
			}
		}
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, view.Many(failed, "attempt")+" failed")
	}
	if nodes > 0 {
		was := " were lost"
		if nodes == 1 {
			was = " was lost"
		}
		parts = append(parts, view.Many(nodes, "node")+was)
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

// leastNamed is the share of a run from which on a summary names a cause.
const leastNamed = 0.01

// whereItWent names the causes that took most.
func (s *Story) whereItWent() string {
	causes := slices.Clone(s.Account.Causes)
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
	var parts []string
	for _, c := range causes {
		if c.Ratio != nil && len(parts) < 3 && (*c.Ratio >= leastNamed || len(parts) == 0 && *c.Ratio > 0) {
			parts = append(parts, fmt.Sprintf("%s (%s, %s)", c.Title, took(c.Seconds), percent(float64(*c.Ratio))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Along the critical path the time went to " + list(parts) + "."
}

// whatWasKnown says since when the end was known, and when somebody was told.
func (s *Story) whatWasKnown() string {
	c := &s.Course
	if !s.Workflow.State.Ended() || s.ElapsedSeconds == nil || *s.ElapsedSeconds <= 0 {
		if c.AlertSeconds != nil {
			return fmt.Sprintf("The first alert came after %s.", took(*c.AlertSeconds))
		}
		return ""
	}
	total, says := *s.ElapsedSeconds, ""
	switch {
	case s.Workflow.State != dag.Succeeded:
	case c.HeldRatio != nil:
		says = c.sinceWhen(total)
	case c.MeanErrorPoints != nil:
		says = "Its end could not be predicted with a range."
	case !c.watched():
		says = "It was looked at after its end, so nothing was predicted."
	default:
		says = "No time could be given before the end."
	}
	if s.Workflow.State == dag.Succeeded && c.MeanErrorPoints != nil {
		says += fmt.Sprintf(" On average the predicted time was %s of progress off.", points(*c.MeanErrorPoints))
	}
	if c.AlertSeconds != nil {
		says = strings.TrimSpace(says + fmt.Sprintf(" The first alert came after %s, %s before the end.", took(*c.AlertSeconds), took(max(total-*c.AlertSeconds, 0))))
	}
	return says
}

// sinceWhen says from when on the range held the end of a run of a length, and how reliably.
func (c *Course) sinceWhen(total frame.Seconds) string {
	from := func(at frame.Seconds) string {
		return fmt.Sprintf("From %s on, with %s of the run to go,", took(at), percent(float64(1-at/total)))
	}
	first := c.FirstHeldSeconds
	switch settled := c.SettledSeconds; {
	case first == nil && settled == nil:
		return "Its 80 % range never held its end."
	case first != nil && *c.HeldSinceRatio == 1:
		return from(*first) + " its 80 % range held its end."
	case first == nil || settled != nil && *settled <= *first:
		return from(*settled) + " its end was within its 80 % range, to a hundredth of the run."
	}
	says := from(*first) + fmt.Sprintf(" its 80 %% range held its end at %s of the ticks that had one", percent(float64(*c.HeldSinceRatio)))
	if c.SettledSeconds == nil {
		says += ", but not at the last one"
	}
	return says + "."
}

// whatIsUneven is the sentence of skew, where there is any.
func (s *Story) whatIsUneven() string {
	if len(s.Skew.Jobs) > 0 && s.Skew.Jobs[0].Uneven {
		return s.Skew.Says
	}
	return ""
}

// whatHelps is the first sentence of the limits.
func (s *Story) whatHelps() string {
	if len(s.Limits.Rows) == 0 {
		return ""
	}
	return s.Limits.Says
}
