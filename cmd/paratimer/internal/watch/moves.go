package watch

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
)

// A move without an event is shown once it has lasted for lasting and for this many observations. A move that leaves
// the range that was shown needs half of the time.
const (
	lasting      = 20 * time.Second
	observations = 3
)

// moves stores the end that was last shown, and decides when to show a move. The zero moves has shown nothing.
type moves struct {
	first     dag.Instant      // the first end that lasted; 0: none yet
	base      dag.Run          // the run when an end was last shown
	end       dag.Instant      // the end that was predicted then
	owed      []explain.Change // parts of a move that came with an event and were not shown
	low, high dag.Instant      // the range of the frame before the move began
	began     dag.Instant      // when it began; NoInstant while the end is as shown
	later     bool             // its direction
	seen      int              // observations of it
	event     explain.Change   // the event that owed came with
	replans   frame.Replans
}

// step handles a new frame with the raw changes between before and run. It adds the frame's moves.
func (m *moves) step(model estimators.Model, before, run dag.Run, raw []explain.Change, f *frame.Frame) {
	defer func() { f.Replans = m.replans }()
	if f.Workflow.State.Ended() || f.ElapsedSeconds == nil {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(raw), func(c explain.Change) bool { return c.Event })
	events := slices.DeleteFunc(slices.Clone(raw), func(c explain.Change) bool { return !c.Event })
	for _, c := range events {
		if f.Headline.RemainingSeconds != nil || c.Reason != explain.ReasonSize {
			f.Moves = append(f.Moves, frame.Move{Cause: frame.CauseOf(c), SinceSeconds: *f.ElapsedSeconds})
		}
	}
	end := f.Headline.EndAt
	if end == nil || f.Headline.RemainingSeconds == nil || model == nil {
		*m = moves{replans: m.replans, first: m.first}
		return
	}
	if len(rest) > 0 && len(m.base.Window) > 0 {
		m.replans.Count++
		m.replans.MostSeconds = max(m.replans.MostSeconds, frame.SecondsOf(sum(rest).Abs()))
	}
	switch {
	case len(m.base.Window) == 0:
		m.stand(run, end.Instant)
	case len(events) > 0:
		if was := end.Add(-sum(raw)); was != m.end {
			m.owed = merge(m.owed, explain.WithHindsight(m.base, before, was.Sub(m.end), model))
		}
		owed := merge(m.owed, rest)
		m.stand(run, end.Instant)
		m.owed = owed
		m.event = slices.MaxFunc(events, func(a, b explain.Change) int {
			return cmp.Compare(a.Delta.Abs(), b.Delta.Abs())
		})
	default:
		m.await(model, run, end.Instant, f)
	}
	if !m.began.Known() {
		m.low, m.high = dag.NoInstant, dag.NoInstant
		if h := &f.Headline; f.At != nil && h.LowSeconds != nil && h.HighSeconds != nil {
			m.low, m.high = f.At.Add(h.LowSeconds.Duration()), f.At.Add(h.HighSeconds.Duration())
		}
	}
	if m.first == 0 && !m.began.Known() && len(m.base.Window) > 0 && run.Now().At.Sub(m.base.Now().At) >= lasting {
		m.first = m.end // the first end that has lasted
	}
	for i := range f.Moves {
		if m.first != 0 {
			f.Moves[i].DriftSeconds = new(frame.SecondsOf(end.Sub(m.first)))
		}
	}
}

// stand records the run as shown.
func (m *moves) stand(run dag.Run, end dag.Instant) {
	*m = moves{base: run, end: end, began: dag.NoInstant, replans: m.replans, first: m.first}
}

// await shows the move since an end was last shown, if it has lasted.
func (m *moves) await(model estimators.Model, run dag.Run, end dag.Instant, f *frame.Frame) {
	at, move := run.Now().At, end.Sub(m.end)+sum(m.owed)
	unit := view.Unit(f.Headline)
	if !explain.Moved(move, end.Sub(run.Now().Origin())) || move.Abs() < unit {
		m.began = dag.NoInstant
		return
	}
	if !m.began.Known() || m.later != (move > 0) {
		m.began, m.later, m.seen = at, move > 0, 0
	}
	m.seen++
	wait := lasting
	if m.low.Known() && (end < m.low || end > m.high) {
		wait /= 2
	}
	if m.seen < observations || at.Sub(m.began) < wait {
		return
	}
	c := mainCause(merge(m.owed, explain.WithHindsight(m.base, run, end.Sub(m.end), model)), move)
	if c.Reason == explain.ReasonOther && m.event.Subject != "" {
		c.Reason, c.Subject = m.event.Reason, m.event.Subject
	}
	since := max(0, *f.ElapsedSeconds-frame.SecondsOf(at.Sub(m.began)))
	f.Moves = append(f.Moves, frame.Move{Cause: frame.CauseOf(c), SinceSeconds: since})
	m.stand(run, end)
}

// leastShare is the least share of a move that a cause must explain to be named for all of it.
const leastShare = 1.0 / 3

// mainCause returns a move as one change: its largest known cause of the same direction, or "other" if that is too
// small.
func mainCause(all []explain.Change, move time.Duration) explain.Change {
	best := explain.Change{Reason: explain.ReasonOther}
	for _, c := range all {
		if c.Reason != explain.ReasonOther && (c.Delta > 0) == (move > 0) && c.Delta.Abs() > best.Delta.Abs() {
			best = c
		}
	}
	if best.Delta.Abs() < time.Duration(leastShare*float64(move.Abs())) {
		best = explain.Change{Reason: explain.ReasonOther}
	}
	best.Delta = move
	return best
}

// merge adds up the changes of one reason; the subject is that of the larger one.
func merge(a, b []explain.Change) []explain.Change {
	out := slices.Clone(a)
	for _, c := range b {
		i := slices.IndexFunc(out, func(o explain.Change) bool { return o.Reason == c.Reason })
		if i < 0 {
			out = append(out, c)
			continue
		}
		if c.Delta.Abs() > out[i].Delta.Abs() {
			out[i].Subject = c.Subject
		}
		out[i].Delta += c.Delta
	}
	return out
}

func sum(all []explain.Change) (d time.Duration) {
	for _, c := range all {
		d += c.Delta
	}
	return d
}

// changes explains why the end that standard predicts moved between two ticks; nil if it did not move enough.
func (p EstimatorSet) changes(before, after dag.Run, was, is frame.Answers) []explain.Change {
	if p.Model == nil || len(was.Scenarios) == 0 || len(is.Scenarios) == 0 {
		return nil
	}
	a, b := leastRemaining(before, was), leastRemaining(after, is)
	origin := after.Now().Origin()
	if a == nil || b == nil || !origin.Known() {
		return nil
	}
	end := after.Now().At.Add(*b)
	delta := end.Sub(before.Now().At.Add(*a))
	if !explain.Moved(delta, end.Sub(origin)) {
		return nil
	}
	return explain.Changes(before, after, delta, p.Model)
}

// leastRemaining returns standard's remaining time. For an application that may submit more work it is the lower
// bound, which moves with new work. Other lower bounds rest on assumptions, and their moves mean nothing.
func leastRemaining(run dag.Run, a frame.Answers) *time.Duration {
	standard := a.Scenarios[0]
	if standard.Remaining == nil && len(run.Window) > 0 && run.Now().Plan.Open {
		return standard.Low
	}
	return standard.Remaining
}
