package screen

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// tick is a frame at a time that predicts so much to remain.
func tick(at, remaining frame.Seconds) frame.Frame {
	f := frame.Frame{ElapsedSeconds: &at, Workflow: frame.Workflow{State: dag.Running}}
	low, high := remaining-1, remaining+2
	f.Headline.RemainingSeconds, f.Headline.LowSeconds, f.Headline.HighSeconds = &remaining, &low, &high
	return f
}

// TestHistoryIsBounded holds that twelve hours of a tick a second are remembered in few points, of which the first and
// the last are those of the run, and that no range is narrower than the ranges it stands for.
func TestHistoryIsBounded(t *testing.T) {
	const ticks = 12 * 3600
	var h History
	for i := range ticks {
		f := tick(frame.Seconds(i), frame.Seconds(ticks-i))
		if i == 20_000 {
			wide := frame.Seconds(90_000)
			f.Headline.HighSeconds = &wide
		}
		f.Moves = []frame.Move{{DeltaSeconds: 6, Reason: "other"}}
		h.Add(f)
	}
	if n := len(h.points); n > mostPoints || n < mostPoints/2 {
		t.Errorf("%d points", n)
	}
	if n := len(h.changes); n != mostChanges || h.changes[n-1].at != ticks-1 {
		t.Errorf("%d changes, the newest at %v", n, h.changes[n-1].at)
	}
	highest := frame.Seconds(0)
	for i, p := range h.points {
		if *p.total != ticks {
			t.Fatalf("point %d predicts %v", i, *p.total)
		}
		if i > 0 && p.at <= h.points[i-1].at {
			t.Fatalf("point %d at %v after one at %v", i, p.at, h.points[i-1].at)
		}
		highest = max(highest, *p.high)
	}
	if last := h.points[len(h.points)-1].at; last != ticks-1 {
		t.Errorf("the newest point is at %v", last)
	}
	if highest != 110_000 {
		t.Errorf("the widest range ends at %v, want that of tick 20000", highest)
	}
}

// TestHistoryTakesNewFramesOnly holds that what is stale, has no time or comes again adds nothing.
func TestHistoryTakesNewFramesOnly(t *testing.T) {
	var h History
	h.Add(tick(10, 5))
	stale := tick(20, 5)
	stale.StaleSeconds = 10
	for _, f := range []frame.Frame{stale, {}, tick(10, 7), tick(9, 7)} {
		h.Add(f)
	}
	if len(h.points) != 1 || *h.points[0].total != 15 {
		t.Errorf("%+v", h.points)
	}
}

// TestHistoryOfTheEnd holds that a query that succeeded was as long as it was, and that one that failed has no length.
func TestHistoryOfTheEnd(t *testing.T) {
	for state, want := range map[dag.State]*frame.Seconds{dag.Succeeded: secondsOf(10), dag.Failed: nil} {
		var h History
		f := tick(10, 5)
		f.Workflow.State = state
		h.Add(f)
		if got := h.points[0].total; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%v: %v", state, got)
		}
	}
}

// TestNothingIsDrawnOfLater holds that a replay that has gone back does not show what came later.
func TestNothingIsDrawnOfLater(t *testing.T) {
	then := recorded(t, "failure", 17)
	before := Draw(then)
	then.History = recorded(t, "failure", 127).History
	for i, l := range Draw(then) {
		if l != before[i] {
			t.Errorf("line %d: %q, without what came later %q", i, l, before[i])
		}
	}
}
