package alert

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// alert formats the standing for the frame. Its text is the state, the probability, the delay, since when, what the
// query waits for, what changed.
func (b *Bound) alert(st *Standing, s *State, f *frame.Frame, v verdict) frame.Alert {
	w := words{b: b, st: st, s: s, f: f, v: v}
	a := frame.Alert{
		Bound: b.Name, State: st.State, Outcome: st.Outcome, Probability: frame.RatioOf(v.p),
		Opened: st.Opened,
	}
	if st.DeadlineAt != nil {
		a.DeadlineAt = frame.TimeOf(*st.DeadlineAt)
	}
	if st.Since.Known() {
		since := st.Since
		if f.At != nil {
			since = min(since, f.At.Instant) // the clock may have gone back
		}
		a.Since = frame.TimeOf(since)
	}
	if by, ok := w.by(); ok {
		a.BySeconds = new(frame.SecondsOf(by))
	}
	parts := []string{w.standing()}
	if st.State != frame.Ended && st.State != frame.Blind {
		if waits := f.WaitsFor(); waits != "" {
			parts = append(parts, "waits for "+waits)
		}
		if st.State.Firing() {
			parts = append(parts, w.changes()...)
		}
	}
	a.Text = strings.Join(parts, "; ")
	return a
}

// by returns how much later than the deadline the end is expected, or was.
func (w words) by() (time.Duration, bool) {
	due := w.st.DeadlineAt
	if due == nil || !w.v.expected.Known() || w.b.Kind == NoProgress || w.v.floor && w.v.expected <= *due {
		return 0, false
	}
	return w.v.expected.Sub(*due), true
}

// words is the input of a text.
type words struct {
	b  *Bound
	st *Standing
	s  *State
	f  *frame.Frame
	v  verdict
}

func (w words) standing() string {
	switch w.st.State {
	case frame.Blind:
		return "blind" + strings.TrimPrefix(w.since(), ";") + ", " + name(w.st.Before) + " before: " + w.why()
	case frame.Ended:
		return w.ended()
	case frame.Late:
		if w.b.Kind == NoProgress {
			return "late: nothing has moved for " + units.Short(w.s.Still) + w.since()
		}
		return "late: past " + w.what() + w.end()
	}
	if w.b.Kind == NoProgress {
		return "on track: it moves, the last time " + units.Short(w.s.Still) + " ago"
	}
	if w.st.DeadlineAt == nil {
		return name(w.st.State) + ": " + w.unbound()
	}
	soFar := ""
	switch {
	case w.st.State != frame.OnTrack || !(w.v.p >= 0.5):
	case w.v.p < w.b.threshold(): // without the threshold this would read as a contradiction
		soFar = " so far (at risk from " + units.Percent(w.b.threshold()) + " on)"
	default:
		soFar = " so far"
	}
	return name(w.st.State) + soFar + ": " + w.likely() + w.end() + w.since()
}

// name formats a state.
func name(s frame.AlertState) string { return strings.ReplaceAll(string(s), "_", " ") }

// why returns the reason for blindness.
func (w words) why() string {
	if w.v.dark && w.f.TooLarge() {
		return "it is too large to estimate"
	}
	if w.v.dark {
		return "it is too early to say when it ends"
	}
	return "it cannot be observed"
}

// unbound returns the reason why there is no deadline.
func (w words) unbound() string {
	switch w.b.Kind {
	case LongerThanUsual:
		if w.b.Usual == 0 {
			return "its usual length is unknown"
		}
	case OutsideBounds:
		return "its predicted end has not been steady yet"
	}
	return "nothing of it was submitted yet"
}

// what describes the bound.
func (w words) what() string {
	at := w.clock(*w.st.DeadlineAt)
	switch w.b.Kind {
	case Within:
		return "its " + units.Short(w.b.For) + " (" + at + ")"
	case LongerThanUsual:
		return fmt.Sprintf("%g times its usual %s (%s)", w.b.Times, units.Short(w.b.Usual), at)
	case OutsideBounds:
		return "the time that was first predicted, with its range (" + at + ")"
	}
	return at
}

// likely describes the probability that the bound is broken.
func (w words) likely() string {
	p, what := w.v.p, w.what()
	switch {
	case w.v.early:
		return "too early to say whether it misses " + what
	case math.IsNaN(p):
		return "the risk of missing " + what + " is unknown"
	case w.v.floor:
		return "certain to miss " + what
	}
	return units.Chance(p) + " likely to miss " + what
}

// end describes the expected end, and how late that is.
func (w words) end() string {
	by, ok := w.by()
	if !ok {
		return ""
	}
	least := ""
	if w.v.floor {
		least = "not before "
	}
	return "; expected " + least + w.clock(w.v.expected) + ", " + relative(by, " late", " early", "just in time")
}

// relative formats how much later than a bound the query ends: "24s late", "40s early", "just in time".
func relative(by time.Duration, after, before, at string) string {
	switch by = by.Round(time.Second); {
	case by > 0:
		return units.Short(by) + after
	case by < 0:
		return units.Short(-by) + before
	}
	return at
}

// since describes when the state began; "" if on track.
func (w words) since() string {
	if !w.st.Since.Known() || w.st.State == frame.OnTrack {
		return ""
	}
	return "; since " + w.clock(w.st.Since)
}

func (w words) ended() string {
	state := strings.ReplaceAll(w.f.Workflow.State.String(), "_", ", ")
	text := state
	if w.v.expected.Known() {
		text += " at " + w.clock(w.v.expected)
	}
	if w.st.Outcome != nil {
		text = string(*w.st.Outcome) + ": " + text
	}
	if w.b.Kind == NoProgress && w.st.Outcome != nil && *w.st.Outcome == frame.Met {
		text += ", and something moved within any " + units.Short(w.b.For)
	}
	if by, ok := w.by(); ok {
		text += ", " + relative(by, " after ", " before ", "at ") + w.what()
	}
	return text
}

// mostReported bounds the number of changes in an alert.
const mostReported = 2

// changes describes the causes that made the end later in sum, the worst first. Changes of one cause that cancel
// out are left out.
func (w words) changes() []string {
	type cause struct {
		why   string
		delta time.Duration
		at    dag.Instant // the newest
	}
	var causes []cause
	for _, c := range w.s.Changes {
		i := slices.IndexFunc(causes, func(x cause) bool { return x.why == c.Why() })
		if i < 0 {
			i = len(causes)
			causes = append(causes, cause{why: c.Why()})
		}
		causes[i].delta += c.DeltaSeconds.Duration()
		causes[i].at = c.At
	}
	slices.SortStableFunc(causes, func(a, b cause) int { return cmp.Compare(b.delta, a.delta) })
	var out []string
	for _, c := range causes[:min(mostReported, len(causes))] {
		if c.delta >= time.Second {
			out = append(out, units.Moved(c.delta)+" at "+w.clock(c.at)+": "+c.why)
		}
	}
	return out
}

// clock formats a time of day in the bound's zone: with seconds if it is not a whole minute, with the date if it is
// another day.
func (w words) clock(t dag.Instant) string {
	at, unit := t.Time().In(cmp.Or(w.b.Zone, time.UTC)), time.Second
	if at.Second() == 0 && at.Nanosecond() == 0 {
		unit = time.Minute
	}
	return units.Clock(at, w.f.At.Time(), unit) + at.Format(" MST")
}
