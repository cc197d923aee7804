package screen

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// waiting returns what the critical path waits for now.
func (p *pen) waiting() []line {
	waits := p.f.WaitsFor()
	if waits == "" || p.f.Workflow.State.Ended() {
		return nil
	}
	words := "Waits for " + p.foreign(waits)
	if cells(words) > p.s.Width-1 {
		words = "Waits for " + p.foreign(shortened(waits))
	}
	lines := wrap(plain, words, p.s.Width-3)
	for i := range lines {
		indent := " "
		if i > 0 {
			indent = "   "
		}
		lines[i] = text(plain, indent).and(lines[i]).cut(p.s.Width, p.tail)
	}
	return lines
}

// bounds returns the state of each bound, the worst first.
func (p *pen) bounds() []line {
	var out []line
	for _, worst := range []bool{true, false} {
		for i := range p.f.Alerts {
			a := &p.f.Alerts[i]
			if grave(a) == worst && (!a.Quiet || a.State.Firing()) {
				out = append(out, text(plain, " ").and(p.bound(a)).cut(p.s.Width, p.tail))
			}
		}
	}
	return out
}

// grave reports whether a bound is broken or at risk.
func grave(a *frame.Alert) bool {
	return a.State.Firing() || a.Outcome != nil && *a.Outcome == frame.Missed
}

// bound describes a bound: its instant, its state, the probability that it is broken, and by how much. A bound that is
// likely to be broken is not shown as on track, even without an alert.
func (p *pen) bound(a *frame.Alert) line {
	l := text(plain, p.nameOf(a))
	if a.DeadlineAt != nil {
		l = l.and(text(plain, " "+p.clock(a.DeadlineAt.Time(), time.Second)))
	}
	likely, unsaid := "", false
	if a.Probability != nil {
		likely = units.Chance(*a.Probability) + " likely to miss it"
		unsaid = a.State == frame.OnTrack && *a.Probability >= 0.5
	}
	look, words := good, "on track"
	switch {
	case a.Outcome != nil && *a.Outcome == frame.Met:
		words, likely = "met", ""
	case a.Outcome != nil:
		look, words, likely = bad, "missed", ""
	case a.State == frame.Ended:
		look, words, likely = dim, "ended", ""
	case a.State == frame.Late:
		look, words, likely = bad, "LATE", ""
	case a.State == frame.AtRisk:
		look, words = warn, "AT RISK"
	case a.State == frame.Blind && p.f.StaleSeconds == 0:
		look, words, likely = warn, "too early to say", ""
	case a.State == frame.Blind:
		look, words = warn, "no data"
	case unsaid:
		look, words, likely = warn, likely, ""
	}
	l = l.and(text(plain, ": "), text(look, words))
	if likely != "" {
		l = l.and(text(plain, ", "+likely))
	}
	switch d := a.BySeconds; {
	case d == nil:
	case *d < 0:
		l = l.and(text(plain, ", "+units.About(-d.Duration())+" to spare"))
	case a.Outcome == nil && p.f.Headline.RemainingSeconds == nil:
		l = l.and(text(plain, ", by "+units.About(d.Duration())+" or more"))
	default:
		l = l.and(text(plain, ", by "+units.About(d.Duration())))
	}
	if unsaid && words != "on track" {
		l = l.and(text(plain, "; no alert yet"))
	}
	return l
}

// nameOf returns a bound's name. The bound "drift" has another one on the screen.
func (p *pen) nameOf(a *frame.Alert) string {
	if a.Bound == "drift" {
		return "first range"
	}
	return p.foreign(a.Bound)
}

// notes returns the other news, a line each: why the frame is stale, failures, warnings.
func (p *pen) notes() []line {
	var out []line
	add := func(r role, sign, words string) {
		out = append(out, text(plain, " ").and(text(r, sign+" "), text(plain, words)).cut(p.s.Width, p.tail))
	}
	rest, newest := 0, ""
	for _, w := range p.f.Warnings {
		if w.Code == dag.WarnStale {
			add(warn, "!", "no data for "+units.Short(p.f.StaleSeconds.Duration())+": "+p.foreign(cause(w.Text)))
			continue
		}
		rest, newest = rest+1, w.Text
	}
	if n := p.f.FailedAttempts; n > 0 {
		words := units.Count(n, "attempt") + " failed"
		if len(p.f.Failures) > 0 {
			words += p.newest(&p.f.Failures[0])
		}
		add(bad, string(p.g.failed), words)
	}
	if rest > 0 {
		words := p.foreign(shortened(newest))
		if rest > 1 {
			words = fmt.Sprintf("%d warnings, the newest: %s", rest, words)
		}
		add(warn, "!", words)
	}
	return out
}

// newest describes a failure.
func (p *pen) newest(f *frame.Failure) string {
	s := ""
	if f.AtSeconds != nil {
		s = ", the newest " + units.Ago((p.elapsed() - *f.AtSeconds).Duration())
	}
	s += ": " + p.foreign(failedTask(f))
	if f.Node != nil {
		s += " on " + p.foreign(*f.Node)
	}
	if f.Why != nil {
		s += ": " + p.foreign(shortened(*f.Why))
	}
	return s
}
