package alert

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// Step computes the new state from a frame, and an alert for each bound, in the order of bounds. It does not change
// s. The state of bounds that are not in the list is kept.
//
//   - The deadline passes: late at once. If it passes while blind, late or ended after the next observation.
//   - No prediction at all: blind as well; the deadline still makes it late.
//   - A lower bound alone ("at least 4m") is certain beyond the deadline, and gives no probability before it.
//   - A rough range (few earlier runs) gives no probability in the first tenth of the bound's time.
//   - The clock jumps, back or by more than five minutes and four times the wait before: nothing changes at that
//     tick.
//   - The query ends: met if it succeeded within the bound; missed if it ended beyond it, or if it failed under a
//     Deadline or Within bound. A query that was killed or has an unknown end has no outcome before the deadline.
//   - It never starts: a deadline passes all the same.
func Step(bounds []Bound, s State, f frame.Frame) (State, []frame.Alert) {
	next := s // a step changes copies
	if next.Bounds = maps.Clone(s.Bounds); next.Bounds == nil {
		next.Bounds = map[string]Standing{}
	}
	next.Changes = slices.Clone(s.Changes)
	sees := next.look(&f)
	out := make([]frame.Alert, len(bounds))
	for i := range bounds {
		b := &bounds[i]
		st, before := next.Bounds[b.Name]
		if !before {
			st = Standing{State: frame.OnTrack, Since: frame.InstantOf(f.At)}
		}
		v := b.step(&st, &next, &f, sees)
		next.Bounds[b.Name] = st
		out[i] = b.alert(&st, &next, &f, v)
	}
	return next, out
}

func (b *Bound) step(st *Standing, s *State, f *frame.Frame, sees visibility) verdict {
	unknown := verdict{p: math.NaN(), expected: dag.NoInstant}
	if f.Workflow.State.Ended() {
		return b.end(st, f)
	}
	st.Opened = true
	if st.State == frame.Ended && sees == fresh { // jobs came after the end
		*st = Standing{
			State: frame.OnTrack, Since: f.At.Instant, DeadlineAt: st.DeadlineAt, Range: st.Range, Opened: true,
		}
	}
	switch sees {
	case unobservable:
		st.darken(s.Sure)
		return unknown
	case uncertain:
		return unknown
	}
	b.learn(st, s, f)
	v := b.judge(st, s, f)
	if v.dark {
		st.darken(f.At.Instant)
		return v
	}
	if st.State == frame.Blind {
		st.State, st.Since = st.Before, st.BeforeSince
		st.Before, st.BeforeSince = "", 0
	}
	b.move(st, f.At.Instant, v)
	return v
}

// darken sets the state to blind since an instant, unless it is blind already or has ended.
func (st *Standing) darken(since dag.Instant) {
	if st.State == frame.Blind || st.State == frame.Ended {
		return
	}
	st.Before, st.BeforeSince = st.State, st.Since
	st.State, st.Since = frame.Blind, max(since, st.Since)
}

// move changes the state after an observed frame.
func (b *Bound) move(st *Standing, at dag.Instant, v verdict) {
	var other bool          // this tick is evidence for another state
	var to frame.AlertState // which one
	switch st.State {
	case frame.OnTrack:
		other, to = v.p >= b.threshold(), frame.AtRisk
	case frame.AtRisk:
		other, to = v.p < b.threshold()*clear, frame.OnTrack
	case frame.Late:
		other, to = !v.passed, frame.OnTrack
	}
	switch {
	case v.passed && st.State != frame.Late:
		since := at
		if b.Kind != NoProgress {
			since = *st.DeadlineAt
		}
		st.become(frame.Late, since)
	case math.IsNaN(v.p) && st.State != frame.Late:
	case !other:
		st.Held = 0
	default:
		if st.Held++; st.Held >= cmp.Or(b.Hold, DefaultHold) || b.Kind == NoProgress {
			st.become(to, at)
		}
	}
}

func (st *Standing) become(to frame.AlertState, since dag.Instant) {
	st.State, st.Since, st.Held = to, since, 0
}

// end computes the final verdict of an ended query.
func (b *Bound) end(st *Standing, f *frame.Frame) verdict {
	v := verdict{
		p: math.NaN(), expected: dag.FirstKnown(frame.InstantOf(f.Headline.EndAt), frame.InstantOf(f.At)),
	}
	if st.DeadlineAt == nil && f.At != nil && b.Kind != NoProgress && b.Kind != OutsideBounds {
		b.learn(st, nil, f) // it ended before its first observation
	}
	if st.State != frame.Ended {
		late := st.State == frame.Late || st.State == frame.Blind && st.Before == frame.Late
		st.Outcome = b.outcome(st, f, v.expected, late)
		st.become(frame.Ended, v.expected)
		st.Before, st.BeforeSince = "", 0
	}
	if o := st.Outcome; o != nil {
		v.p = 0
		if *o == frame.Missed {
			v.p = 1
		}
	}
	return v
}

// outcome returns whether the bound was met; nil if unknown.
func (b *Bound) outcome(st *Standing, f *frame.Frame, end dag.Instant, late bool) *frame.Outcome {
	broken := late
	if b.Kind != NoProgress {
		if st.DeadlineAt == nil || !end.Known() {
			return nil
		}
		broken = end > *st.DeadlineAt
	}
	switch {
	case broken, f.Workflow.State == dag.Failed && (b.Kind == Deadline || b.Kind == Within):
		return new(frame.Missed)
	case f.Workflow.State == dag.Succeeded:
		return new(frame.Met)
	}
	return nil
}
