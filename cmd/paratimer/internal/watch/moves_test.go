package watch

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/units"
)

// An observed end is a step of a script: when it is observed, and the end that is predicted then, in seconds.
type observedEnd struct{ at, end int }

// movesOf plays a script of ends, with the range [95, 130], and with raw changes where the end moves by more than 5 s.
// events are the seconds at which the cause is a failure.
func movesOf(t *testing.T, ends []observedEnd, events map[int]bool) (all []frame.Move, last frame.Replans, shown int) {
	t.Helper()
	model := paper.Model(paper.FixedSlowdown([4]float64{1, 1, 1, 1}))
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "j", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}
	states := []dag.JobState{{Stages: make([]dag.StageState, dag.MapReduceStages)}}
	var m moves
	var run dag.Run
	for i, e := range ends {
		before := run
		run = run.Append(&dag.Snapshot{Plan: plan, At: second(e.at), State: dag.Running, Jobs: states})
		left, elapsed := frame.Seconds(e.end-e.at), frame.Seconds(e.at)
		low, high := frame.Seconds(95-e.at), frame.Seconds(130-e.at)
		f := frame.Frame{
			At: frame.TimeOf(second(e.at)), ElapsedSeconds: &elapsed,
			Workflow: frame.Workflow{State: dag.Running},
		}
		f.Headline = frame.Headline{
			RemainingSeconds: &left, LowSeconds: &low, HighSeconds: &high,
			EndAt: frame.TimeOf(second(e.end)),
		}
		var raw []explain.Change
		if i > 0 && explain.Moved(second(e.end).Sub(second(ends[i-1].end)), 100*time.Second) {
			c := explain.Change{Delta: second(e.end).Sub(second(ends[i-1].end)), Reason: explain.ReasonSpeed}
			if events[e.at] {
				c.Reason, c.Event, c.Subject = explain.ReasonFailure, true, "map 1 failed"
			}
			raw = append(raw, c)
		}
		f.Changes = units.Each(raw, changeOf)
		m.step(model, before, run, raw, &f)
		for _, c := range f.Changes {
			if c.Shown {
				shown++
			}
		}
		all, last = append(all, f.Moves...), f.Replans
	}
	return all, last, shown
}

func second(s int) dag.Instant { return dag.Instant(s) * 1000 }

// TestMoves checks which moves of the predicted end are reported, and when.
func TestMoves(t *testing.T) {
	t.Parallel()
	steady := func(from, to, end int) (out []observedEnd) {
		for at := from; at < to; at += 2 {
			out = append(out, observedEnd{at, end})
		}
		return out
	}
	join := func(parts ...[]observedEnd) (out []observedEnd) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	for _, c := range []struct {
		name    string
		ends    []observedEnd
		events  map[int]bool
		want    []frame.Move
		replans int
	}{
		{"nothing moves", steady(0, 60, 100), nil, nil, 0},
		{
			"there and back within ten seconds", join(steady(0, 20, 100), steady(20, 28, 120), steady(28, 60, 100)), nil,
			nil, 2,
		},
		{
			"it lasts", join(steady(0, 20, 100), steady(20, 60, 120)), nil,
			[]frame.Move{{Cause: frame.Cause{DeltaSeconds: 20, Reason: "other"}, SinceSeconds: 20}},
			1,
		},
		{
			"it leaves the range", join(steady(0, 20, 100), steady(20, 34, 150), steady(34, 60, 100)), nil,
			[]frame.Move{
				{Cause: frame.Cause{DeltaSeconds: 50, Reason: "other"}, SinceSeconds: 20},
				{Cause: frame.Cause{DeltaSeconds: -50, Reason: "other"}, SinceSeconds: 34},
			},
			2,
		},
		{
			"two small steps", join(steady(0, 20, 100), steady(20, 30, 104), steady(30, 60, 108)), nil,
			[]frame.Move{{Cause: frame.Cause{DeltaSeconds: 8, Reason: "other"}, SinceSeconds: 30}},
			0,
		},
		{
			"a failure, at once", join(steady(0, 20, 100), steady(20, 26, 115)),
			map[int]bool{20: true},
			[]frame.Move{{
				Cause:        frame.Cause{DeltaSeconds: 15, Reason: "failure", Subject: frame.Text("map 1 failed")},
				SinceSeconds: 20,
			}},
			0,
		},
		{
			"few observations",
			[]observedEnd{{0, 100}, {20, 150}, {50, 150}, {80, 150}},
			nil,
			[]frame.Move{{Cause: frame.Cause{DeltaSeconds: 50, Reason: "other"}, SinceSeconds: 20}},
			1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, replans, shown := movesOf(t, c.ends, c.events)
			if len(got) != len(c.want) || replans.Count != c.replans || shown != len(c.events) {
				t.Fatalf("moves %+v, re-planned %d times, %d raw parts shown; want %+v, %d, %d", got, replans.Count,
					shown, c.want, c.replans, len(c.events))
			}
			for i := range got {
				if got[i].DeltaSeconds != c.want[i].DeltaSeconds || got[i].Reason != c.want[i].Reason ||
					got[i].SinceSeconds != c.want[i].SinceSeconds || got[i].Why() != c.want[i].Why() {
					t.Errorf("move %+v, want %+v", got[i], c.want[i])
				}
			}
		})
	}
}
