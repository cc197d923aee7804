package screen

import (
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// mostNews is how many changes are listed.
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

// changes are the newest moves of the predicted end with their causes, newest first. Less than a second is no news.
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

// scenarios lists how long it takes if; the chosen one is marked, and those that make no difference to the first are
// one row. If nothing is known they are floors, and not listed.
func (p *pen) scenarios() []line {
	if p.f.Workflow.State.Ended() || p.f.Headline.RemainingSeconds == nil {
		return nil
	}
	var out []line
	var same []string
	first := ""
	for i := range p.f.Estimates {
		e := &p.f.Estimates[i]
		mark, r := " ", plain
		if e.Scenario == p.s.Choice.Scenario {
			mark, r = string(p.g.picked), pick
		} else if e.Moot {
			continue
		}
		left := units.Unknown
		if e.RemainingSeconds != nil {
			left = view.Left(*e.RemainingSeconds, p.f.Headline)
		}
		if i == 0 {
			first = left
		} else if left == first && left != units.Unknown && e.Scenario != p.s.Choice.Scenario {
			same = append(same, strings.ReplaceAll(e.Scenario, "_", " "))
			continue
		}
		out = append(out, text(strong, mark).and(right(text(strong, left), 7), text(plain, "  "),
			text(r, p.foreign(e.Meaning)), text(dim, likely(e))))
	}
	if len(same) > 0 {
		out = append(out, text(strong, " ").and(right(text(dim, "same"), 7),
			text(dim, "  "+"no difference: "+p.foreign(strings.Join(same, ", ")))))
	}
	for i, l := range headed("left if", out) {
		out[i] = l.cut(p.s.Width, p.tail)
	}
	return out
}

// likely says how likely the failures are that a scenario supposes.
func likely(e *frame.Estimate) string {
	if e.Probability == nil {
		return ""
	}
	return " (" + units.Chance(*e.Probability) + ")"
}

// right puts a text at the right end of a width.
func right(l line, width int) line {
	return text(plain, "").pad(width - l.cells()).and(l)
}
