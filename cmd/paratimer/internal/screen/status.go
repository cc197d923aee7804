package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// waiting returns what the critical path waits for now, wrapped.
func (p *pen) waiting() []string {
	waits := p.f.WaitsFor()
	if waits == "" || p.f.Workflow.State.Ended() {
		return nil
	}
	words := ansi.Wrap("Waits for "+p.foreign(waits), max(1, p.s.Width-3), "")
	return strings.Split(" "+strings.ReplaceAll(words, "\n", "\n   "), "\n")
}

// bounds returns the state of each bound, the worst first.
func (p *pen) bounds() []string {
	var worst, others []string
	for i := range p.f.Alerts {
		switch a := &p.f.Alerts[i]; {
		case a.State.Firing() || a.Outcome != nil && *a.Outcome == frame.Missed:
			worst = append(worst, " "+p.bound(a))
		case !a.Quiet:
			others = append(others, " "+p.bound(a))
		}
	}
	return append(worst, others...)
}

// bound describes a bound: its instant, its state, the probability that it is broken, and by how much. A bound that is
// likely to be broken is not shown as on track, even without an alert.
func (p *pen) bound(a *frame.Alert) string {
	s := p.nameOf(a)
	if a.DeadlineAt != nil {
		s += " " + p.clock(a.DeadlineAt.Time(), time.Second)
	}
	likely, quiet := "", ""
	if a.Probability != nil {
		likely = units.Chance(*a.Probability) + " likely to miss it"
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
	case a.Probability != nil && *a.Probability >= 0.5:
		look, words, likely, quiet = warn, likely, "", "; no alert yet"
	}
	s += ": " + text(look, words)
	if likely != "" {
		s += ", " + likely
	}
	switch d := a.BySeconds; {
	case d == nil:
	case *d < 0:
		s += ", " + units.About(-d.Duration()) + " to spare"
	case a.Outcome == nil && p.f.Headline.RemainingSeconds == nil:
		s += ", by " + units.About(d.Duration()) + " or more"
	default:
		s += ", by " + units.About(d.Duration())
	}
	return s + quiet
}

// nameOf returns a bound's name. The bound "drift" has another one on the screen.
func (p *pen) nameOf(a *frame.Alert) string {
	if a.Bound == "drift" {
		return "first range"
	}
	return p.foreign(a.Bound)
}

// notes returns the other news, a line each: why the frame is stale, failures, warnings.
func (p *pen) notes() []string {
	var out []string
	warnings, newest := 0, ""
	for _, w := range p.f.Warnings {
		if w.Code == dag.WarnStale {
			out = append(out, " "+text(warn, "! ")+"no data for "+units.Short(p.f.StaleSeconds.Duration())+": "+
				p.foreign(cause(w.Text)))
			continue
		}
		warnings, newest = warnings+1, p.foreign(shortened(w.Text))
	}
	if n := p.f.FailedAttempts; n > 0 {
		words := units.Count(n, "attempt") + " failed"
		if len(p.f.Failures) > 0 {
			words += p.newest(&p.f.Failures[0])
		}
		out = append(out, " "+text(bad, string(p.g.failed)+" ")+words)
	}
	if warnings > 1 {
		newest = fmt.Sprintf("%d warnings, the newest: %s", warnings, newest)
	}
	if warnings > 0 {
		out = append(out, " "+text(warn, "! ")+newest)
	}
	return out
}

// newest describes a failure.
func (p *pen) newest(f *frame.Failure) string {
	s := ""
	if f.AtSeconds != nil && !p.f.Workflow.State.Ended() {
		s = ", the newest " + units.Ago((p.elapsed() - *f.AtSeconds).Duration())
	}
	s += ": " + p.foreign(shortened(f.What()))
	if f.Node != nil {
		s += " on " + p.foreign(*f.Node)
	}
	if f.Why != nil {
		s += ": " + p.foreign(shortened(*f.Why))
	}
	return s
}
