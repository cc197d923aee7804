package alert

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Verdict rates a bound's alert on a run with a known end.
type Verdict string

// The verdicts.
const (
	True   Verdict = "true"   // it fired before the deadline, and the run was late
	False  Verdict = "false"  // it fired, and the run was not late
	Missed Verdict = "missed" // the run was late, and no alert fired before the deadline
	Silent Verdict = "silent" // the run was not late, and no alert fired
	// Unknown means that the run's end is not known.
	Unknown Verdict = "unknown"
)

// A Result compares a bound's alert with the actual end. Seconds count from the run's first submission.
type Result struct {
	Bound      string      `json:"bound"`
	DeadlineAt *frame.Time `json:"deadline_at"`
	// DeadlineSeconds is DeadlineAt in seconds of the run.
	DeadlineSeconds *frame.Seconds `json:"deadline_seconds"`
	// FiredSeconds is when it first fired, at risk or late; null: never. WarningSeconds is the time from then to
	// the deadline: 0 or less is no warning.
	FiredSeconds   *frame.Seconds `json:"fired_seconds"`
	WarningSeconds *frame.Seconds `json:"warning_seconds"`
	// Firings counts how often it fired, including again after a return to on track.
	Firings int     `json:"firings"`
	Late    bool    `json:"late"` // the actual outcome: the run ended after the deadline
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"` // of the first alert
}

// A Trial is a sink that records when each bound fired. Its zero value is ready.
type Trial struct {
	// Held are the query's bounds. NoProgress is not a forecast: if it fires, the alert counts as true.
	Held   []Bound
	bounds []tried
	last   frame.Frame
}

type tried struct {
	Result
	firing bool
	fired  *frame.Time // when it first fired; DeadlineAt is that of this time, or the newest known
}

// Show records the frame's alerts.
func (t *Trial) Show(tick frame.Tick) error {
	f := tick.Frame
	t.last = f
	for i, a := range f.Alerts {
		if i == len(t.bounds) {
			t.bounds = append(t.bounds, tried{Result: Result{Bound: a.Bound}})
		}
		b := &t.bounds[i]
		if b.fired == nil && a.DeadlineAt != nil {
			b.DeadlineAt = a.DeadlineAt
		}
		if a.State == frame.Blind {
			continue
		}
		if a.State.Firing() && !b.firing {
			b.Firings++
			if b.fired == nil {
				b.fired, b.Text = f.At, a.Text
			}
		}
		b.firing = a.State.Firing()
	}
	return nil
}

// Results compares the bounds' alerts with the run's end, in the order of the bounds.
func (t *Trial) Results() []Result {
	out := make([]Result, len(t.bounds))
	began, end := dag.NoInstant, dag.NoInstant
	if t.last.At != nil && t.last.ElapsedSeconds != nil {
		began = origin(&t.last, t.last.At.Instant)
	}
	if t.last.Workflow.State.Ended() {
		end = frame.InstantOf(t.last.Headline.EndAt)
	}
	for i, b := range t.bounds {
		r := b.Result
		fired, deadline := frame.InstantOf(b.fired), frame.InstantOf(r.DeadlineAt)
		r.FiredSeconds, r.DeadlineSeconds = frame.Since(fired, began), frame.Since(deadline, began)
		r.WarningSeconds = frame.Since(deadline, fired)
		warned := r.WarningSeconds != nil && fired < deadline
		r.Late = r.DeadlineAt != nil && end.Known() && end > deadline
		if i < len(t.Held) && t.Held[i].Kind == NoProgress {
			r.Late, warned, r.WarningSeconds = b.fired != nil, b.fired != nil, nil
		}
		switch {
		case !end.Known():
			r.Verdict = Unknown
		case r.Late && warned:
			r.Verdict = True
		case r.Late:
			r.Verdict = Missed
		case b.fired != nil:
			r.Verdict = False
		default:
			r.Verdict = Silent
		}
		out[i] = r
	}
	return out
}
