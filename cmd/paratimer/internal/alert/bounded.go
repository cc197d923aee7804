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
func (j *judgment) learn() {
	f, at := j.f, j.f.At.Instant
	switch j.Kind {
	case Deadline:
		if j.Daily == nil {
			j.DeadlineAt = new(j.At)
		} else if j.DeadlineAt == nil || !j.Daily.shown(*j.DeadlineAt) {
			// first frame, or the stored deadline is for another time of day, set by an earlier configuration
			j.DeadlineAt = new(j.Daily.Next(origin(f, at)))
		}
	case Within:
		j.DeadlineAt = submitted(f, at, j.For)
	case LongerThanUsual:
		if j.Usual > 0 {
			j.DeadlineAt = submitted(f, at, time.Duration(j.Times*float64(j.Usual)))
		}
	case NoProgress:
		j.DeadlineAt = new(at.Add(j.For - j.s.Still))
	case OutsideBounds:
		j.follow()
		if j.Range != nil && j.Range.Stable {
			j.DeadlineAt = new(j.Range.High)
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
func (j *judgment) follow() {
	r, f, at := j.Range, j.f, j.f.At.Instant
	if r != nil && r.Stable {
		return
	}
	low, ok := scenario(f, "skew_low")
	high, ok2 := scenario(f, "one_failure")
	if f.Headline.RemainingSeconds == nil || f.ElapsedSeconds == nil || !ok || !ok2 {
		j.Range = nil
		return
	}
	began := origin(f, at)
	next := Range{Low: at.Add(min(low, high)), High: at.Add(max(low, high)), From: at}
	length := float64(next.High.Sub(began))
	within := time.Duration(stayWithin * length)
	if r != nil && next.Low.Sub(r.Low).Abs() <= within && next.High.Sub(r.High).Abs() <= within {
		next = *r
		next.Ticks++
		next.Stable = next.Ticks >= stayTicks && float64(at.Sub(r.From)) >= stayFor*length
		if next.Stable {
			predicted := at.Add(f.Headline.RemainingSeconds.Duration()).Sub(began)
			next.High = max(next.High, began.Add(time.Duration((1+drifts)*float64(predicted))))
		}
	}
	j.Range = &next
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
