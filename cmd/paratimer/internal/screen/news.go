package screen

import (
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// mostNews is the greatest number of changes in the list.
const mostNews = 8

// heading is the width of the words before a list.
const heading = 10

// headed puts words before the first line of a list, and indents the others as far.
func headed(words string, list []line) []line {
	for i, l := range list {
		before := text(plain, "")
		if i == 0 {
			before = text(strong, " "+words)
		}
		list[i] = before.pad(heading).and(l)
	}
	return list
}

// changes returns the newest moves of the predicted end with their causes, newest first, without those below a
// second.
func (p *pen) changes() []line {
	if p.s.History == nil {
		return nil
	}
	var out []line
	all := p.s.History.changes
	for i := len(all) - 1; i >= 0 && len(out) < mostNews; i-- {
		c := &all[i]
		if c.at > p.elapsed() || c.DeltaSeconds > -1 && c.DeltaSeconds < 1 {
			continue
		}
		r := good
		if c.DeltaSeconds > 0 {
			r = warn
		}
		out = append(out, right(text(r, units.Moved(c.DeltaSeconds.Duration())), 6).and(text(plain, " "),
			right(text(dim, units.Ago((p.elapsed()-c.at).Duration())), 10),
			text(plain, "  "+p.foreign(shortened(c.Why())))))
	}
	if rest := p.f.Replans.Text(); rest != "" && len(out) < mostNews {
		out = append(out, text(dim, "        "+p.own(rest)))
	}
	for i, l := range headed("changed", out) {
		out[i] = l.cut(p.s.Width, p.tail)
	}
	return out
}

// scenarios lists the time left under each scenario. The chosen one is marked, and equal ones share a row. If the
// headline has no number they are lower bounds, and not listed.
func (p *pen) scenarios() []line {
	if p.f.Workflow.State.Ended() || p.f.Headline.RemainingSeconds == nil {
		return nil
	}
	var cases []view.Case
	var of []*frame.Estimate
	for i := range p.f.Estimates {
		e := &p.f.Estimates[i]
		left, chosen := units.Unknown, e.Scenario == p.s.Choice.Scenario
		if e.Moot && !chosen {
			continue
		}
		if e.RemainingSeconds != nil {
			left = view.Left(*e.RemainingSeconds, p.f.Headline)
		}
		if chosen {
			left += " " // it has a row of its own
		}
		cases, of = append(cases, view.Case{Scenario: e.Scenario, Left: left}), append(of, e)
	}
	var out []line
	var none []string
	for _, r := range view.MergeCases(cases) {
		e, mark, look := of[r.Case], " ", plain
		if e.Scenario == p.s.Choice.Scenario {
			mark, look = string(p.g.picked), pick
		}
		same := make([]string, len(r.Same))
		for i, s := range r.Same {
			same[i] = strings.ReplaceAll(cases[s].Scenario, "_", " ")
		}
		also := ""
		if r.Case == 0 {
			none = same
		} else if len(same) > 0 {
			also = "; the same: " + p.foreign(strings.Join(same, ", "))
		}
		left := strings.TrimSpace(cases[r.Case].Left)
		out = append(out, text(strong, mark).and(right(text(strong, left), 7), text(plain, "  "),
			text(look, p.foreign(e.Meaning)), text(dim, likely(e)+also)))
	}
	if len(none) > 0 {
		out = append(out, text(strong, " ").and(right(text(dim, "same"), 7),
			text(dim, "  "+"no difference: "+p.foreign(strings.Join(none, ", ")))))
	}
	for i, l := range headed("left if", out) {
		out[i] = l.cut(p.s.Width, p.tail)
	}
	return out
}

// likely returns the probability of the failures that a scenario assumes.
func likely(e *frame.Estimate) string {
	if e.Probability == nil {
		return ""
	}
	return " (" + units.Chance(*e.Probability) + ")"
}
