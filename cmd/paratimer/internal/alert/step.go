package alert

import (
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// Step returns what follows from a frame: the new state, and an alert for each bound, in the order of bounds. The state
// that is given is not changed. What is remembered of bounds that are not given stays.
//
//   - The deadline passes: late at once. It passes while nothing is seen: blind, and late or ended when sight returns.
//   - Nothing to judge by (no number at all): blind as well; the deadline still makes it late.
//   - A floor alone ("at least 4m") is certain beyond the deadline, and says nothing before it.
//   - A rough range, which few earlier runs back, tells no probability in the first tenth of the bound's time.
//   - The clock jumps, back or by more than five minutes and four times the wait before: nothing changes at that tick.
//   - The query ends: met if it succeeded within the bound; missed if it ended beyond it, or failed before it has done
//     what a deadline asks for. One that was killed, or whose end is not known, has no outcome before the deadline.
//   - It never starts: a deadline passes all the same.
func Step(bounds []Bound, s State, f frame.Frame) (State, []frame.Alert) {
	next := s.clone()
	sees := next.look(&f)
	out := make([]frame.Alert, len(bounds))
	for i := range bounds {
		b := &bounds[i]
		st, before := next.Bounds[b.Name]
		if !before {
			st = begin(&f)
		}
		v := b.step(&st, &next, &f, sees)
		next.Bounds[b.Name] = st
		out[i] = b.alert(&st, &next, &f, v)
	}
	return next, out
}

// begin is how a bound stands that nobody has looked at.
func begin(f *frame.Frame) Standing {
	st := Standing{State: frame.OnTrack, Since: dag.NoInstant}
	if f.At != nil {
		st.Since = f.At.Instant
	}
	return st
}

func (b *Bound) step(st *Standing, s *State, f *frame.Frame, sees visibility) verdict {
	unknown := verdict{p: math.NaN(), expected: dag.NoInstant}
	if f.Workflow.State.Ended() {
		return b.end(st, f)
	}
	if st.State == frame.Ended && sees == fresh { // jobs came after all
		*st = Standing{State: frame.OnTrack, Since: f.At.Instant, DeadlineAt: st.DeadlineAt, Range: st.Range}
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

// darken makes it blind since an instant, unless it is or has ended.
func (st *Standing) darken(since dag.Instant) {
	if st.State == frame.Blind || st.State == frame.Ended {
		return
	}
	st.Before, st.BeforeSince = st.State, st.Since
	st.State, st.Since = frame.Blind, max(since, st.Since)
}

// move goes on from what is seen.
func (b *Bound) move(st *Standing, at dag.Instant, v verdict) {
	var other bool          // the tick speaks for another state
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
		if st.Held++; st.Held >= b.hold() || b.Kind == NoProgress {
			st.become(to, at)
		}
	}
}

func (st *Standing) become(to frame.AlertState, since dag.Instant) {
	st.State, st.Since, st.Held = to, since, 0
}

// end says how a query that is over stood to the bound.
func (b *Bound) end(st *Standing, f *frame.Frame) verdict {
	v := verdict{p: math.NaN(), expected: dag.NoInstant}
	switch {
	case f.Headline.EndAt != nil:
		v.expected = f.Headline.EndAt.Instant
	case f.At != nil:
		v.expected = f.At.Instant
	}
	if st.DeadlineAt == nil && f.At != nil && b.Kind != NoProgress && b.Kind != OutsideBounds {
		b.learn(st, nil, f) // it was over before anybody looked
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

// outcome is nil where it cannot be told.
func (b *Bound) outcome(st *Standing, f *frame.Frame, end dag.Instant, late bool) *frame.Outcome {
	met, missed := frame.Met, frame.Missed
	broken := late
	if b.Kind != NoProgress {
		if st.DeadlineAt == nil || !end.Known() {
			return nil
		}
		broken = end > *st.DeadlineAt
	}
	switch {
	case broken, f.Workflow.State == dag.Failed && (b.Kind == Deadline || b.Kind == Within):
		return &missed
	case f.Workflow.State == dag.Succeeded:
		return &met
	}
	return nil
}
