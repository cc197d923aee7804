package alert

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Range is what the predicted end lies in: the ends under skew_low and one_failure.
type Range struct {
	Low  dag.Instant `json:"low"`
	High dag.Instant `json:"high"`
	// From is when the range was first seen, Ticks for how many ticks its ends have stayed.
	From  dag.Instant `json:"from"`
	Ticks int         `json:"ticks"`
	// Stable is a range that is held from now on.
	Stable bool `json:"stable,omitempty"`
}

// A range is stable once its ends have stayed within a twentieth of the predicted length, for ten ticks in a row and a
// twentieth of the predicted length.
const (
	stayWithin = 0.05
	stayTicks  = 10
	stayFor    = 0.05
)

// drifts is by what share of the predicted length the end must be later at least. Of 156 runs watched, alarms at
// drifts of less were never early enough to be a warning, and two were false.
const drifts = 0.2

// learn finds out when the bound is broken. The frame was observed.
func (b *Bound) learn(st *Standing, s *State, f *frame.Frame) {
	at := f.At.Instant
	switch b.Kind {
	case Deadline:
		if b.Daily == nil {
			by := b.At
			st.DeadlineAt = &by
		} else if st.DeadlineAt == nil || !b.Daily.shown(*st.DeadlineAt) {
			// or it is of another time, which was asked for before
			next := b.Daily.Next(origin(f, at))
			st.DeadlineAt = &next
		}
	case Within:
		st.DeadlineAt = submitted(f, at, b.For)
	case LongerThanUsual:
		if b.Usual > 0 {
			st.DeadlineAt = submitted(f, at, time.Duration(b.Times*float64(b.Usual)))
		}
	case NoProgress:
		by := at.Add(b.For - s.Still)
		st.DeadlineAt = &by
	case OutsideBounds:
		st.Range = b.follow(st.Range, f, at)
		if st.Range != nil && st.Range.Stable {
			high := st.Range.High
			st.DeadlineAt = &high
		}
	}
}

// origin is the first submission, or now where nothing was submitted. The time of a query that is over ends with it,
// however much later somebody looks.
func origin(f *frame.Frame, at dag.Instant) dag.Instant {
	if f.ElapsedSeconds == nil {
		return at
	}
	if f.Workflow.State.Ended() && f.Headline.EndAt != nil {
		at = f.Headline.EndAt.Instant
	}
	return at.Add(-f.ElapsedSeconds.Duration())
}

// submitted is so long after the first submission; nil before it.
func submitted(f *frame.Frame, at dag.Instant, after time.Duration) *dag.Instant {
	if f.ElapsedSeconds == nil {
		return nil
	}
	by := origin(f, at).Add(after)
	return &by
}

// follow looks for the first stable range.
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
