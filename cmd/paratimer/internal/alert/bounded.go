package alert

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Range is the range of the predicted end: from the end under skew_low to the end under one_failure.
type Range struct {
	Low  dag.Instant `json:"low"`
	High dag.Instant `json:"high"`
	// From is when the range was first seen, Ticks the number of ticks since then in which its ends stayed.
	From  dag.Instant `json:"from"`
	Ticks int         `json:"ticks"`
	// Stable is true once the range is fixed as the bound.
	Stable bool `json:"stable,omitempty"`
}

// A range is stable if its ends have stayed within 5% of the predicted length, for ten ticks in a row and for 5%
// of the predicted length.
const (
	stayWithin = 0.05
	stayTicks  = 10
	stayFor    = 0.05
)

// drifts is how much later the end must be at least, as a fraction of the predicted length. In 156 watched runs,
// alarms at smaller drifts were never early enough to be a warning, and two were false.
const drifts = 0.2

// learn computes when the bound is broken. The frame must be an observed one.
func (b *Bound) learn(st *Standing, s *State, f *frame.Frame) {
	at := f.At.Instant
	switch b.Kind {
	case Deadline:
		if b.Daily == nil {
			st.DeadlineAt = new(b.At)
		} else if st.DeadlineAt == nil || !b.Daily.shown(*st.DeadlineAt) {
			// first frame, or the stored deadline is for another time of day, set by an earlier configuration
			st.DeadlineAt = new(b.Daily.Next(origin(f, at)))
		}
	case Within:
		st.DeadlineAt = submitted(f, at, b.For)
	case LongerThanUsual:
		if b.Usual > 0 {
			st.DeadlineAt = submitted(f, at, time.Duration(b.Times*float64(b.Usual)))
		}
	case NoProgress:
		st.DeadlineAt = new(at.Add(b.For - s.Still))
	case OutsideBounds:
		st.Range = b.follow(st.Range, f, at)
		if st.Range != nil && st.Range.Stable {
			st.DeadlineAt = new(st.Range.High)
		}
	}
}

// origin returns the first submission, or now if nothing was submitted. For an ended query it counts back from the
// end, so it does not depend on when the frame was taken.
func origin(f *frame.Frame, at dag.Instant) dag.Instant {
	if f.ElapsedSeconds == nil {
		return at
	}
	if f.Workflow.State.Ended() && f.Headline.EndAt != nil {
		at = f.Headline.EndAt.Instant
	}
	return at.Add(-f.ElapsedSeconds.Duration())
}

// submitted returns the instant that is after later than the first submission; nil before it.
func submitted(f *frame.Frame, at dag.Instant, after time.Duration) *dag.Instant {
	if f.ElapsedSeconds == nil {
		return nil
	}
	return new(origin(f, at).Add(after))
}

// follow finds the first stable range.
func (b *Bound) follow(r *Range, f *frame.Frame, at dag.Instant) *Range {
	if r != nil && r.Stable {
		return r
	}
	low, ok := scenario(f, "skew_low")
	high, ok2 := scenario(f, "one_failure")
	if f.Headline.RemainingSeconds == nil || f.ElapsedSeconds == nil || !ok || !ok2 {
		return nil
	}
	now := Range{Low: at.Add(min(low, high)), High: at.Add(max(low, high)), From: at}
	length := now.High.Sub(origin(f, at))
	within := time.Duration(stayWithin * float64(length))
	if r == nil || now.Low.Sub(r.Low).Abs() > within || now.High.Sub(r.High).Abs() > within {
		return &now
	}
	next := *r
	next.Ticks++
	if next.Stable = next.Ticks >= stayTicks && float64(at.Sub(r.From)) >= stayFor*float64(length); next.Stable {
		began := origin(f, at)
		predicted := at.Add(f.Headline.RemainingSeconds.Duration()).Sub(began)
		next.High = max(next.High, began.Add(time.Duration((1+drifts)*float64(predicted))))
	}
	return &next
}

// scenario returns the remaining time under a scenario.
func scenario(f *frame.Frame, name string) (time.Duration, bool) {
	for _, e := range f.Estimates {
		if e.Scenario == name && e.RemainingSeconds != nil {
			return e.RemainingSeconds.Duration(), true
		}
	}
	return 0, false
}
