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
	seen, sure := next.look(&f)
	out := make([]frame.Alert, len(bounds))
	for i := range bounds {
		st, before := next.Bounds[bounds[i].Name]
		if !before {
			st = Standing{State: frame.OnTrack, Since: frame.InstantOf(f.At)}
		}
		j := judgment{Bound: &bounds[i], Standing: &st, s: &next, f: &f, p: math.NaN(), expected: dag.NoInstant}
		j.step(seen, sure)
		next.Bounds[j.Name] = st
		out[i] = j.alert()
	}
	return next, out
}

func (j *judgment) step(seen, sure bool) {
	if j.f.Workflow.State.Ended() {
		j.end()
		return
	}
	j.Opened = true
	if j.State == frame.Ended && sure { // jobs came after the end
		*j.Standing = Standing{
			State: frame.OnTrack, Since: j.f.At.Instant, DeadlineAt: j.DeadlineAt, Range: j.Range, Opened: true,
		}
	}
	switch {
	case !seen:
		j.darken(j.s.Sure)
		return
	case !sure:
		return
	}
	j.learn()
	j.judge()
	if j.dark {
		j.darken(j.f.At.Instant)
		return
	}
	if j.State == frame.Blind {
		j.State, j.Since = j.Before, j.BeforeSince
		j.Before, j.BeforeSince = "", 0
	}
	j.move()
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
func (j *judgment) move() {
	var other bool          // this tick is evidence for another state
	var to frame.AlertState // which one
	switch j.State {
	case frame.OnTrack:
		other, to = j.p >= j.threshold(), frame.AtRisk
	case frame.AtRisk:
		other, to = j.p < j.threshold()*clear, frame.OnTrack
	case frame.Late:
		other, to = !j.passed, frame.OnTrack
	}
	at := j.f.At.Instant
	switch {
	case j.passed && j.State != frame.Late:
		since := at
		if j.Kind != NoProgress {
			since = *j.DeadlineAt
		}
		j.become(frame.Late, since)
	case math.IsNaN(j.p) && j.State != frame.Late:
	case !other:
		j.Held = 0
	default:
		if j.Held++; j.Held >= cmp.Or(j.Hold, DefaultHold) || j.Kind == NoProgress {
			j.become(to, at)
		}
	}
}

func (st *Standing) become(to frame.AlertState, since dag.Instant) {
	st.State, st.Since, st.Held = to, since, 0
}

// end computes the results for an ended query.
func (j *judgment) end() {
	j.expected = dag.FirstKnown(frame.InstantOf(j.f.Headline.EndAt), frame.InstantOf(j.f.At))
	if j.DeadlineAt == nil && j.f.At != nil && j.Kind != NoProgress && j.Kind != OutsideBounds {
		j.learn() // it ended before its first observation
	}
	if j.State != frame.Ended {
		j.Outcome = j.outcome(j.State == frame.Late || j.State == frame.Blind && j.Before == frame.Late)
		j.become(frame.Ended, j.expected)
		j.Before, j.BeforeSince = "", 0
	}
	if j.Outcome != nil {
		j.p = 0
		if *j.Outcome == frame.Missed {
			j.p = 1
		}
	}
}

// outcome returns whether the bound was met; nil if unknown.
func (j *judgment) outcome(broken bool) *frame.Outcome {
	if j.Kind != NoProgress {
		if j.DeadlineAt == nil || !j.expected.Known() {
			return nil
		}
		broken = j.expected > *j.DeadlineAt
	}
	switch state := j.f.Workflow.State; {
	case broken, state == dag.Failed && (j.Kind == Deadline || j.Kind == Within):
		return new(frame.Missed)
	case state == dag.Succeeded:
		return new(frame.Met)
	}
	return nil
}
