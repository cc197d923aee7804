package screen

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// head returns the title, with the query's name and progress, and the headline.
func (p *pen) head() []line {
	name := "query"
	switch w := p.f.Workflow; {
	case w.Name != nil:
		name = *w.Name
	case w.ID != nil:
		name = *w.ID
	}
	w, right := p.s.Width, p.progress()
	title := text(plain, " ").and(text(strong, p.foreign(name))).cut(max(w-right.cells()-3, w/3), p.tail)
	return append([]line{spread(title, right.and(text(plain, " ")), w)}, p.headline()...)
}

// progress returns the elapsed time and the progress, as a number and, if there is room, as a bar.
func (p *pen) progress() line {
	var l line
	if p.s.Choice.Paused {
		l = text(pick, " paused ").and(text(plain, " "))
	}
	ended, ratio := p.f.Workflow.State.Ended(), p.f.ProgressRatio
	switch {
	case p.f.StaleSeconds > 0:
		l = l.and(text(warn, "last data "+units.Ago(p.f.StaleSeconds.Duration())))
	case ended || p.f.ElapsedSeconds == nil:
	case ratio == nil:
		l = l.and(text(plain, "runs for "+units.Elapsed(p.f.ElapsedSeconds.Duration())))
	default:
		l = l.and(text(plain, "runs for "+units.Elapsed(p.f.ElapsedSeconds.Duration())+", "+units.Percent(*ratio)))
	}
	if ratio == nil || ended || p.s.Width < 60 {
		return l
	}
	const bar = 20
	full := int(float64(*ratio) * bar)
	return l.and(text(plain, "  "), text(lane, strings.Repeat(string(p.g.full), full)),
		text(dim, strings.Repeat(string(p.g.empty), bar-full)))
}

// headline returns the predicted end: the clock first, then the time left, then the condition of a chosen scenario.
func (p *pen) headline() []line {
	if p.f.Workflow.State.Ended() {
		return p.fold(p.over())
	}
	h := p.f.Headline
	left, condition := p.left(h), line(nil)
	if e := p.scenario(); e != nil {
		left = text(plain, "in ").and(text(strong, view.Left(*e.RemainingSeconds, h)))
		condition = text(warn, "if ").and(text(plain, p.foreign(e.Meaning)))
		h.RemainingSeconds, h.EndAt = e.RemainingSeconds, e.EndAt
	}
	when := p.when(h)
	if len(when) == 0 {
		when, left = text(strong, "Ends ").and(left), nil
	}
	return p.fold(when, left, condition)
}

// fold puts parts on one line as far as they fit, and the next ones on further lines.
func (p *pen) fold(parts ...line) []line {
	var out []line
	for _, l := range parts {
		n := len(out)
		switch {
		case len(l) == 0:
		case n > 0 && out[n-1].cells()+2+l.cells() <= p.s.Width:
			out[n-1] = out[n-1].and(text(plain, "  "), l)
		default:
			out = append(out, text(plain, " ").and(l).cut(p.s.Width, p.tail))
		}
	}
	return out
}

// when returns the time of day of the end, or that it is unknown; empty if only the time left is known.
func (p *pen) when(h frame.Headline) line {
	switch {
	case h.RemainingSeconds != nil && h.EndAt != nil:
		return text(strong, "Ends ~"+p.clock(h.EndAt.Time(), view.Unit(h))+" "+p.zone(h.EndAt.Time()))
	case h.RemainingSeconds != nil, h.HighSeconds != nil:
		return nil
	case h.LowSeconds != nil && *h.LowSeconds >= 1:
		if t, ok := p.at(p.elapsed() + *h.LowSeconds); ok {
			unit := view.Unit(h)
			return text(strong, "Ends after "+p.clock(t.Truncate(unit), unit)+" "+p.zone(t))
		}
		return nil
	}
	if p.f.TooLarge() {
		return text(strong, "Too large to estimate")
	}
	return text(strong, "Too early to say when it ends")
}

// left returns the time left.
func (p *pen) left(h frame.Headline) line {
	switch words := view.Remaining(h); {
	case words == "?":
		return nil
	case h.RemainingSeconds == nil && h.HighSeconds != nil:
		return text(plain, "in ").and(text(strong, words)).and(text(plain, ": too much is assumed to name one time"))
	case h.RemainingSeconds == nil:
		return text(plain, "in "+words+", the rest is not known yet")
	default:
		point, span, _ := strings.Cut(p.own(words), " (")
		l := text(plain, "in ").and(text(strong, point))
		if span != "" {
			l = l.and(text(plain, " ("+span))
		}
		return l
	}
}

// scenario returns the estimate that the user has chosen. It is nil without a choice, and if the headline has no
// number: then scenarios are lower bounds.
func (p *pen) scenario() *frame.Estimate {
	if p.f.Headline.RemainingSeconds == nil {
		return nil
	}
	for i := range p.f.Estimates {
		if e := &p.f.Estimates[i]; e.Scenario == p.s.Choice.Scenario && e.RemainingSeconds != nil {
			return e
		}
	}
	return nil
}

// over returns how and when the query ended.
func (p *pen) over() line {
	when := ""
	if p.f.Headline.EndAt != nil {
		when = " at " + p.clock(p.f.Headline.EndAt.Time(), time.Second) + " " + p.zone(p.f.Headline.EndAt.Time())
	}
	if p.f.ElapsedSeconds != nil {
		when += ", after " + units.Elapsed(p.f.ElapsedSeconds.Duration())
	}
	switch st := p.f.Workflow.State; st {
	case dag.Succeeded:
		return text(good, p.g.state(st)+" Succeeded").and(text(strong, when))
	case dag.EndedUnconfirmed:
		return text(warn, p.g.state(st)+" Ended, unconfirmed").and(text(strong, when),
			text(plain, ": "+view.Unconfirmed(*p.f)))
	case dag.Killed:
		return text(bad, p.g.state(st)+" Killed").and(text(strong, when))
	default:
		return text(bad, p.g.state(st)+" Failed").and(text(strong, when))
	}
}
