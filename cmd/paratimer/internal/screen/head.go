package screen

import (
	"cmp"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// head returns the title, with the query's name and progress, and the headline.
func (p *pen) head() []string {
	w, progress := p.s.Width, p.progress()
	name := p.foreign(cmp.Or(p.f.Workflow.Label(), "query"))
	title := cut(" "+text(strong, name), max(w-cells(progress)-3, w/3), p.tail)
	if gap := w - cells(title) - cells(progress) - 1; gap >= 2 {
		title += strings.Repeat(" ", gap) + progress
	}
	return append([]string{title}, p.headline()...)
}

// progress returns the elapsed time and the progress, as a number and, if there is room, as a bar.
func (p *pen) progress() string {
	s := ""
	if p.s.Choice.Paused {
		s = text(pick, " paused ") + " "
	}
	ended, ratio := p.f.Workflow.State.Ended(), p.f.ProgressRatio
	switch {
	case p.f.StaleSeconds > 0:
		s += text(warn, "last data "+units.Ago(p.f.StaleSeconds.Duration()))
	case ended || p.f.ElapsedSeconds == nil:
	case ratio == nil:
		s += "runs for " + units.Elapsed(p.elapsed().Duration())
	default:
		s += "runs for " + units.Elapsed(p.elapsed().Duration()) + ", " + units.Percent(*ratio)
	}
	if ratio == nil || ended || p.s.Width < 60 {
		return s
	}
	return s + "  " + p.bar(float64(*ratio), 20)
}

// bar draws a ratio.
func (p *pen) bar(ratio float64, width int) string {
	full := int(min(max(ratio, 0), 1) * float64(width))
	return text(lane, strings.Repeat(string(p.g.full), full)) +
		text(dim, strings.Repeat(string(p.g.empty), width-full))
}

// headline returns the predicted end: the clock first, then the time left, on a line of its own if it does not fit.
func (p *pen) headline() []string {
	if p.f.Workflow.State.Ended() {
		return []string{" " + p.over()}
	}
	when, left := p.when(p.f.Headline), p.left(p.f.Headline)
	switch {
	case when == "":
		return []string{" " + text(strong, "Ends ") + left}
	case cells(when)+cells(left)+3 > p.s.Width:
		return []string{" " + when, " " + left}
	}
	return []string{" " + when + "  " + left}
}

// when returns the time of day of the end, or that it is unknown; empty if only the time left is known.
func (p *pen) when(h frame.Headline) string {
	unit := view.Unit(h)
	switch {
	case h.RemainingSeconds != nil && h.EndAt != nil:
		return text(strong, "Ends ~"+p.clock(h.EndAt.Time(), unit)+" "+p.zone(h.EndAt.Time()))
	case h.RemainingSeconds != nil, h.HighSeconds != nil:
		return ""
	case h.LowSeconds != nil && *h.LowSeconds >= 1:
		if t, ok := p.at(p.elapsed() + *h.LowSeconds); ok {
			return text(strong, "Ends after "+p.clock(t.Truncate(unit), unit)+" "+p.zone(t))
		}
		return ""
	case p.f.TooLarge():
		return text(strong, "Too large to estimate")
	}
	return text(strong, "Too early to say when it ends")
}

// left returns the time left.
func (p *pen) left(h frame.Headline) string {
	words := p.own(view.Remaining(h))
	point, span, ranged := strings.Cut(words, " (")
	switch {
	case words == "?":
		return ""
	case h.RemainingSeconds == nil && h.HighSeconds != nil:
		return "in " + text(strong, words) + ": not enough data for a single time"
	case h.RemainingSeconds == nil:
		return "in " + words + ", the rest is not known yet"
	case ranged:
		return "in " + text(strong, point) + " (" + span
	}
	return "in " + text(strong, point)
}

// over returns how and when the query ended.
func (p *pen) over() string {
	when, why := "", ""
	if end := p.f.Headline.EndAt; end != nil {
		when = " at " + p.clock(end.Time(), time.Second) + " " + p.zone(end.Time())
	}
	if p.f.ElapsedSeconds != nil {
		when += ", after " + units.Elapsed(p.elapsed().Duration())
	}
	look, words, state := bad, "Failed", p.f.Workflow.State
	switch state {
	case dag.Succeeded:
		look, words = good, "Succeeded"
	case dag.EndedUnconfirmed:
		look, words, why = warn, "Ended, unconfirmed", ": "+view.Unconfirmed(*p.f)
	case dag.Killed:
		words = "Killed"
	}
	return text(look, p.g.state(state)+" "+words) + text(strong, when) + why
}
