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
func (j *judgment) alert() frame.Alert {
	a := frame.Alert{
		Bound: j.Name, State: j.State, Outcome: j.Outcome, Probability: frame.RatioOf(j.p), Opened: j.Opened,
	}
	if j.DeadlineAt != nil {
		a.DeadlineAt = frame.TimeOf(*j.DeadlineAt)
	}
	if since := j.Since; since.Known() {
		if j.f.At != nil {
			since = min(since, j.f.At.Instant) // the clock may have gone back
		}
		a.Since = frame.TimeOf(since)
	}
	if by, ok := j.by(); ok {
		a.BySeconds = new(frame.SecondsOf(by))
	}
	parts := []string{j.standing()}
	if j.State != frame.Ended && j.State != frame.Blind {
		if waits := j.f.WaitsFor(); waits != "" {
			parts = append(parts, "waits for "+waits)
		}
		if j.State.Firing() {
			parts = append(parts, j.changes()...)
		}
	}
	a.Text = strings.Join(parts, "; ")
	return a
}

// by returns how much later than the deadline the end is expected, or was.
func (j *judgment) by() (time.Duration, bool) {
	due := j.DeadlineAt
	if due == nil || !j.expected.Known() || j.Kind == NoProgress || j.floor && j.expected <= *due {
		return 0, false
	}
	return j.expected.Sub(*due), true
}

func (j *judgment) standing() string {
	switch j.State {
	case frame.Blind:
		return "blind" + strings.TrimPrefix(j.since(), ";") + ", " + name(j.Before) + " before: " + j.why()
	case frame.Ended:
		return j.ended()
	case frame.Late:
		if j.Kind == NoProgress {
			return "late: nothing has moved for " + units.Short(j.s.Still) + j.since()
		}
		return "late: past " + j.what() + j.expectation()
	}
	if j.Kind == NoProgress {
		return "on track: it moves, the last time " + units.Short(j.s.Still) + " ago"
	}
	if j.DeadlineAt == nil {
		return name(j.State) + ": " + j.unbound()
	}
	soFar := ""
	switch {
	case j.State != frame.OnTrack || !(j.p >= 0.5):
	case j.p < j.threshold(): // without the threshold this would read as a contradiction
		soFar = " so far (at risk from " + units.Percent(j.threshold()) + " on)"
	default:
		soFar = " so far"
	}
	return name(j.State) + soFar + ": " + j.likely() + j.expectation() + j.since()
}

// name formats a state.
func name(s frame.AlertState) string { return strings.ReplaceAll(string(s), "_", " ") }

// why returns the reason for blindness.
func (j *judgment) why() string {
	if j.dark && j.f.TooLarge() {
		return "it is too large to estimate"
	}
	if j.dark {
		return "it is too early to say when it ends"
	}
	return "it cannot be observed"
}

// unbound returns the reason why there is no deadline.
func (j *judgment) unbound() string {
	switch j.Kind {
	case LongerThanUsual:
		if j.Usual == 0 {
			return "its usual length is unknown"
		}
	case OutsideBounds:
		return "its predicted end has not been steady yet"
	}
	return "nothing of it was submitted yet"
}

// what describes the bound.
func (j *judgment) what() string {
	at := j.clock(*j.DeadlineAt)
	switch j.Kind {
	case Within:
		return "its " + units.Short(j.For) + " (" + at + ")"
	case LongerThanUsual:
		return fmt.Sprintf("%g times its usual %s (%s)", j.Times, units.Short(j.Usual), at)
	case OutsideBounds:
		return "the time that was first predicted, with its range (" + at + ")"
	}
	return at
}

// likely describes the probability that the bound is broken.
func (j *judgment) likely() string {
	p, what := j.p, j.what()
	switch {
	case j.early:
		return "too early to say whether it misses " + what
	case math.IsNaN(p):
		return "the risk of missing " + what + " is unknown"
	case j.floor:
		return "certain to miss " + what
	}
	return units.Chance(p) + " likely to miss " + what
}

// expectation describes the expected end, and how late that is.
func (j *judgment) expectation() string {
	by, ok := j.by()
	if !ok {
		return ""
	}
	least := ""
	if j.floor {
		least = "not before "
	}
	return "; expected " + least + j.clock(j.expected) + ", " + relative(by, " late", " early", "just in time")
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
func (j *judgment) since() string {
	if !j.Since.Known() || j.State == frame.OnTrack {
		return ""
	}
	return "; since " + j.clock(j.Since)
}

func (j *judgment) ended() string {
	state := strings.ReplaceAll(j.f.Workflow.State.String(), "_", ", ")
	text := state
	if j.expected.Known() {
		text += " at " + j.clock(j.expected)
	}
	if j.Outcome != nil {
		text = string(*j.Outcome) + ": " + text
	}
	if j.Kind == NoProgress && j.Outcome != nil && *j.Outcome == frame.Met {
		text += ", and something moved within any " + units.Short(j.For)
	}
	if by, ok := j.by(); ok {
		text += ", " + relative(by, " after ", " before ", "at ") + j.what()
	}
	return text
}

// mostReported bounds the number of changes in an alert.
const mostReported = 2

// changes describes the causes that made the end later in sum, the worst first. Changes of one cause that cancel
// out are left out.
func (j *judgment) changes() []string {
	type cause struct {
		why   string
		delta time.Duration
		at    dag.Instant // the newest
	}
	var causes []cause
	for _, c := range j.s.Changes {
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
			out = append(out, units.Moved(c.delta)+" at "+j.clock(c.at)+": "+c.why)
		}
	}
	return out
}

// clock formats a time of day in the bound's zone: with seconds if it is not a whole minute, with the date if it is
// another day.
func (j *judgment) clock(t dag.Instant) string {
	at, unit := t.Time().In(cmp.Or(j.Zone, time.UTC)), time.Second
	if at.Second() == 0 && at.Nanosecond() == 0 {
		unit = time.Minute
	}
	return units.Clock(at, j.f.At.Time(), unit) + at.Format(" MST")
}
