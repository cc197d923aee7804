package screen

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// head returns the query's name and progress, and, the only bold text among them, the predicted end: the clock first,
// then the time left, on a line of its own if it does not fit.
func (p *pen) head() []string {
	w, progress := p.Width, p.progress()
	title := cut(" "+p.foreign(cmp.Or(p.f.Workflow.Label(), "query")), max(w-cells(progress)-3, w/3))
	if gap := w - cells(title) - cells(progress) - 1; gap >= 2 {
		title += strings.Repeat(" ", gap) + progress
	}
	if p.ended() {
		return []string{title, " " + p.over()}
	}
	when, left := p.when(p.f.Headline), p.left(p.f.Headline)
	switch {
	case when == "":
		return []string{title, " " + text(strong, "Ends ") + left}
	case cells(when)+cells(left)+3 > w:
		return []string{title, " " + when, " " + left}
	}
	return []string{title, " " + when + "  " + left}
}

// progress returns the elapsed time and the progress, as a number and, if there is room, as a bar.
func (p *pen) progress() string {
	s := ""
	if p.Choice.Paused {
		s = text(pick, " paused ") + " "
	}
	ratio, runs := p.f.ProgressRatio, "runs for "+units.Elapsed(p.elapsed().Duration())
	switch {
	case p.f.StaleSeconds > 0:
		s += text(warn, "last data "+units.Ago(p.f.StaleSeconds.Duration()))
	case p.ended() || p.f.ElapsedSeconds == nil:
	case ratio == nil:
		s += runs
	default:
		s += runs + ", " + units.Percent(*ratio)
	}
	if ratio == nil || p.ended() || p.Width < 60 {
		return s
	}
	return s + "  " + bar(float64(*ratio), 20)
}

// bar draws a ratio.
func bar(ratio float64, width int) string {
	full := int(min(max(ratio, 0), 1) * float64(width))
	return text(lane, strings.Repeat(signFull, full)) + text(dim, strings.Repeat(signEmpty, width-full))
}

// when returns the time of day of the end, or that it is unknown; empty if only the time left is known.
func (p *pen) when(h frame.Headline) string {
	unit := view.Unit(h)
	switch {
	case h.RemainingSeconds != nil && h.EndAt != nil:
		return text(strong, "Ends ~"+p.zoned(h.EndAt.Time(), unit))
	case h.RemainingSeconds != nil, h.HighSeconds != nil:
		return ""
	case h.LowSeconds != nil && *h.LowSeconds >= 1:
		if t, ok := p.at(p.elapsed() + *h.LowSeconds); ok {
			return text(strong, "Ends after "+p.zoned(t.Truncate(unit), unit))
		}
		return ""
	case p.f.TooLarge():
		return text(strong, "Too large to estimate")
	}
	return text(strong, "Too early to say when it ends")
}

// left returns the time left.
func (p *pen) left(h frame.Headline) string {
	words := view.Remaining(h)
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
		when = " at " + p.zoned(end.Time(), time.Second)
	}
	if p.f.ElapsedSeconds != nil {
		when += ", after " + units.Elapsed(p.elapsed().Duration())
	}
	state := p.f.Workflow.State
	if state == dag.EndedUnconfirmed {
		why = ": " + view.Unconfirmed(*p.f)
	}
	words := strings.ReplaceAll(state.String(), "_", ", ")
	words = signStates[state] + " " + strings.ToUpper(words[:1]) + words[1:]
	return text(cmp.Or(jobLooks[state], warn), words) + text(strong, when) + why
}

// waiting returns what the critical path waits for now, wrapped.
func (p *pen) waiting() []string {
	waits := p.f.WaitsFor()
	if waits == "" || p.ended() {
		return nil
	}
	words := ansi.Wrap("Waits for "+p.foreign(waits), max(1, p.Width-3), "")
	return strings.Split(" "+strings.ReplaceAll(words, "\n", "\n   "), "\n")
}

// bounds returns the state of each bound, the worst first.
func (p *pen) bounds() []string {
	var worst, others []string
	for _, a := range p.f.Alerts {
		if a.State.Firing() || a.Outcome != nil && *a.Outcome == frame.Missed {
			worst = append(worst, " "+p.bound(&a))
		} else {
			others = append(others, " "+p.bound(&a))
		}
	}
	return append(worst, others...)
}

// bound describes a bound: its instant, its state, the probability that it is broken, and by how much. A bound that is
// likely to be broken is not shown as on track, even without an alert.
func (p *pen) bound(a *frame.Alert) string {
	s := p.foreign(a.Bound)
	if a.DeadlineAt != nil {
		s += " " + p.clock(a.DeadlineAt.Time(), time.Second)
	}
	standing := view.StandingOf(a)
	look, words, likely := looks[standing], standing.String(), ""
	if a.Probability != nil && (standing == view.IsAtRisk || standing == view.IsOnTrack) {
		likely = ", " + units.Chance(*a.Probability) + " likely to miss it"
	}
	switch {
	case a.Outcome != nil && *a.Outcome == frame.Met:
		look, words = good, "met"
	case a.Outcome != nil:
		words = "missed"
	case a.State.Firing():
		words = strings.ToUpper(words)
	case standing == view.IsUnseen && p.f.StaleSeconds == 0:
		words = "too early to say"
	case a.Probability != nil && *a.Probability >= 0.5:
		look, words = warn, "no alert yet"
	}
	s += ": " + text(look, words) + likely
	switch d := a.BySeconds; {
	case d == nil:
	case *d < 0:
		s += ", " + units.About(-d.Duration()) + " to spare"
	case a.Outcome == nil && p.f.Headline.RemainingSeconds == nil:
		s += ", by " + units.About(d.Duration()) + " or more"
	default:
		s += ", by " + units.About(d.Duration())
	}
	return s
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
		out = append(out, " "+text(bad, signFailed+" ")+words)
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
	if f.AtSeconds != nil && !p.ended() {
		s = ", the newest " + units.Ago((p.elapsed() - *f.AtSeconds).Duration())
	}
	return s + ": " + f.Text(func(text string) string { return p.foreign(shortened(text)) })
}

// question matches the beginning of an error of an HTTP request: its first group is the host. After it comes the last
// error.
var question = regexp.MustCompile(`^[A-Z]+ \w+://([^/ ]+)\S*: (?:[^(]*: )?`)

// cause reduces such an error to the host and the last error.
func cause(s string) string { return question.ReplaceAllString(s[:min(len(s), longest)], "$1: ") }

// titled is a table of lines without headings, with its last column wrapped. The title is in the first column of the
// first line.
func titled(title string, width int, rows [][]string) (out []string) {
	if len(rows) > 0 {
		rows[0][0] = text(strong, " "+title)
	}
	heads := table(width, []column{{"", 10, false, false}, {"", 10, true, false}, {"", 10, true, false}}, rows)[1:]
	for i, head := range heads {
		at := cells(head) + 2
		words := strings.Split(ansi.Wrap(rows[i][3], max(width-at, narrowest), ""), "\n")
		for k := range words {
			out, head = append(out, pad(head, at)+words[k]), ""
		}
	}
	return out
}

// changes returns the newest moves of the predicted end with their causes, newest first, without those below a
// second.
func (p *pen) changes(width int) []string {
	var out [][]string
	for f := range p.past() {
		for _, m := range f.Moves {
			look := good
			if m.DeltaSeconds > 0 {
				look = warn
			}
			if m.DeltaSeconds <= -1 || m.DeltaSeconds >= 1 {
				moved, ago := units.Moved(m.DeltaSeconds.Duration()), (p.elapsed() - *f.ElapsedSeconds).Duration()
				why := p.foreign(shortened(m.Why()))
				out = append(out, []string{"", text(look, moved), text(dim, units.Ago(ago)), why})
			}
		}
	}
	out = out[max(0, len(out)-MostMoves):]
	slices.Reverse(out)
	if rest := p.f.Replans.Text(); rest != "" && len(out) < MostMoves {
		out = append(out, []string{"", "", "", rest})
	}
	return titled("changed", width, out)
}

// scenarios lists the time left under each scenario; equal ones share a row. If the headline has no number they are
// lower bounds, and not listed.
func (p *pen) scenarios(width int) []string {
	if p.ended() || p.f.Headline.RemainingSeconds == nil {
		return nil
	}
	cases := view.Cases(p.f.Estimates, p.f.Headline)
	var out [][]string
	for _, r := range view.MergeCases(cases) {
		e, also := &p.f.Estimates[cases[r[0]].Estimate], ""
		if e.Probability != nil {
			also = " (" + units.Chance(*e.Probability) + ")"
		}
		same := units.Each(r[1:], func(s int) string { return strings.ReplaceAll(cases[s].Scenario, "_", " ") })
		if len(same) > 0 {
			also += "; the same: " + strings.Join(same, ", ")
		}
		out = append(out, []string{"", text(strong, cases[r[0]].Left), "", p.foreign(e.Meaning + also)})
	}
	return titled("left if", width, out)
}
