package whatif

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

func planned(p *dag.Plan) *Replay {
	return NewReplay(dag.Run{}.Append(golden.Start(p)), cost.Costs)
}

func endIn(t rapid.TB, r *Replay, c Change) time.Duration {
	t.Helper()
	d, err := r.End(c)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return d
}

// drawnRun is a random plan, or how it stands at a random instant.
func drawnRun(t *rapid.T) *dag.Snapshot {
	c := golden.Draw(t)
	start := golden.Start(c.Plan)
	if rapid.Bool().Draw(t, "not begun") {
		return start
	}
	run, err := schedule.Replay(start, c.Left(start, c.Slowdown), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return golden.Cut(c.Plan, run, dag.Instant(rapid.Int64Range(0, int64(run.End)).Draw(t, "at")))
}

// What changes nothing is the base, in every bit of the schedule.
func TestNoChangeIsTheBase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnRun(t)
		costs := paper.Model(paper.ObservedSlowdown)(dag.Run{}.Append(s))
		want, err := schedule.Replay(s, costs.Left, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []Change{
			{},
			{Scale: 1},
			{Pace: []Pace{{Factor: 1}}},
			{Slots: []Slots{{Op: Times, N: 1}, {Op: Add}}},
		} {
			w, err := worldOf(s, costs.Left, c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := schedule.Replay(w.s, w.left(), schedule.Options{Fault: w.fault})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := text(t, got), text(t, want); a != b {
				t.Fatalf("%+v: got\n%s\nwant\n%s", c, a, b)
			}
		}
	})
}

func text(t rapid.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// No question changes its arguments.
func TestSnapshotsAreNotChanged(t *testing.T) {
	ratio := 0.5
	rapid.Check(t, func(t *rapid.T) {
		s := drawnRun(t)
		before := everything(s)
		r := NewReplay(dag.Run{}.Append(s), cost.Costs)
		for _, c := range []Change{
			{Scale: 3},
			{Scale: 0.3},
			{Even: true},
			{SlowStart: &ratio},
			{Ideal: true},
			{Pace: []Pace{{Factor: 2}}},
			{Slots: []Slots{{N: math.Inf(1)}}},
			{Slots: []Slots{{Which: Maps, N: 1}}},
			{Failures: []Failure{{What: FailTask}}},
			{Failures: []Failure{{What: FailJob, Job: s.Plan.Jobs[0].Node}}},
		} {
			if _, err := r.Predict(c); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
		}
		// The one node of a cluster cannot be done without.
		if _, err := r.Predict(Change{Failures: []Failure{{What: FailNode}}}); err != nil {
			if !errors.As(err, new(*UnsupportedError)) {
				t.Fatal(err)
			}
		}
		if after := everything(s); after != before {
			t.Fatalf("was %s\nis %s", before, after)
		}
	})
}

// everything is a snapshot in words: NaN has none in JSON.
func everything(s *dag.Snapshot) string {
	return fmt.Sprintf("%d %v %+v %+v %+v", s.At, s.State, s.Jobs, s.Nodes, *s.Plan)
}

// Where tasks are equal and none depends on another, a slot more never makes it longer. (Of others it may: R. Graham,
// "Bounds on multiprocessing timing anomalies", 1969.)
func TestMoreSlotsNeverHurtEqualTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := equal(rapid.IntRange(1, 60).Draw(t, "maps"), rapid.IntRange(0, 20).Draw(t, "reduces"),
			rapid.IntRange(1, 20).Draw(t, "slots"))
		r := planned(p)
		last := time.Duration(math.MaxInt64)
		for n := 1; n < 70; n += 1 + n/8 {
			d := endIn(t, r, Change{Slots: []Slots{{N: float64(n)}}})
			if d > last {
				t.Fatalf("%d slots take %v, fewer took %v", n, d, last)
			}
			last = d
		}
		if limit := endIn(t, r, Change{Slots: []Slots{{N: math.Inf(1)}}}); limit != last {
			t.Fatalf("a slot each takes %v, infinite slots %v", last, limit)
		}
	})
}

// equal is a plan of one job with equal tasks of 20 and 30 ms.
func equal(maps, reduces, slots int) *dag.Plan {
	pipe := func(n float64) dag.Pipeline { return dag.Pipeline{Tuples: dag.Uniform(n), Alpha: dag.Uniform(1)} }
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: slots, ReduceSlots: slots}, Jobs: []dag.Job{{
		Node: "j", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: maps, Pipelines: []dag.Pipeline{pipe(20)}},
			dag.Stage{Known: true, Tasks: reduces, Pipelines: []dag.Pipeline{pipe(0), pipe(0), pipe(30)}}),
	}}}
}

// With a slot for each task nothing waits but for what it depends on: the longest path of jobs, each its longest map
// and its longest reduce.
func TestInfiniteSlotsAreTheLongestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := golden.Draw(t)
		s := golden.Start(c.Plan)
		left := c.Left(s, c.Slowdown)
		graph, err := dag.NewGraph(c.Plan)
		if err != nil {
			t.Fatal(err)
		}
		ends := make([]time.Duration, len(c.Plan.Jobs))
		longest := time.Duration(0)
		for _, j := range graph.Order() {
			for _, a := range c.Plan.Jobs[j].After {
				ends[j] = max(ends[j], ends[a])
			}
			for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
				most := time.Duration(0)
				for i := range c.Plan.Jobs[j].Stages[k].Count() {
					cost := left(schedule.Task{Job: j, Stage: k, Index: i, Slot: -1, Node: -1, Start: dag.NoInstant})
					most = max(most, cost.Setup+cost.Work)
				}
				ends[j] += most
			}
			longest = max(longest, ends[j])
		}
		w, err := worldOf(s, left, Change{Slots: []Slots{{N: math.Inf(1)}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.end(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Remaining() != longest {
			t.Fatalf("infinite slots take %v, the longest path %v", got.Remaining(), longest)
		}
	})
}

// A replay that is cut at any instant and goes on from there ends when it would have.
func TestGoingOnFromAMomentChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := golden.Draw(t)
		s := golden.Start(c.Plan)
		w, err := worldOf(s, c.Left(s, c.Slowdown), Change{})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "failures") {
			w.fault = golden.DrawFault(t)
		}
		whole, err := w.course()
		if err != nil {
			t.Fatal(err)
		}
		at := dag.Instant(rapid.Int64Range(0, int64(whole.End)).Draw(t, "at"))
		on, err := whole.from(at, func(*dag.Snapshot) {}).end(nil)
		if err != nil {
			t.Fatal(err)
		}
		if on.End != whole.End {
			t.Fatalf("cut at %d it ends at %d, whole at %d", at, on.End, whole.End)
		}
	})
}

// Where tasks are not alike, the new ones are like the old ones in order, so that all of them together are as much
// more.
func TestScaleOfUnlikeTasks(t *testing.T) {
	p := equal(3, 3, 1)
	p.Jobs[0].Stages[dag.Map].Pipelines[0].Tuples = dag.Each([]float64{50, 20, 10})
	p.Jobs[0].Stages[dag.Reduce].Pipelines[dag.Work].Tuples = dag.Each([]float64{70, 10, 10})
	for _, x := range []struct {
		c    Change
		want int // milliseconds
	}{
		{Change{}, 80 + 90},
		{Change{Scale: 2}, 160 + 180},
		{Change{Scale: 3, Slots: []Slots{{N: 100}}}, 50 + 210},
		{Change{Pace: []Pace{{Factor: 2}}}, 160 + 180},
		{Change{Pace: []Pace{{Job: "j", Factor: 0.5}, {Factor: 3}}}, 120 + 135},
		{Change{Even: true}, 80 + 90},
		{Change{Even: true, Slots: []Slots{{N: 3}}}, 50 + 30},
		{Change{Even: true, Scale: 2, Slots: []Slots{{Which: Reduces, N: 3}}}, 160 + 60},
		{Change{Slots: []Slots{{Which: Maps, N: 3}}}, 50 + 90},
		{Change{Slots: []Slots{{Which: Reduces, Op: Add, N: 2}}}, 80 + 70},
	} {
		if d := endIn(t, planned(p), x.c); d != time.Duration(x.want)*time.Millisecond {
			t.Errorf("%s: %v, want %d ms", x.c, d, x.want)
		}
	}
	p.Cluster.Setup = 5 * time.Millisecond
	if d := endIn(t, planned(p), Change{Ideal: true}); d != 120*time.Millisecond {
		t.Errorf("ideal takes %v", d)
	}
	if d := endIn(t, planned(p), Change{Slots: []Slots{{N: math.Inf(1)}}}); d != 130*time.Millisecond {
		t.Errorf("infinite slots take %v", d)
	}
}

// Twice the input on twice the slots takes as long where tasks are equal and reduces do nothing; on the same slots
// twice as long.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maps := rapid.IntRange(1, 40).Draw(t, "rounds") * 4
		p := equal(maps, 0, 4)
		r, by := planned(p), float64(rapid.IntRange(2, 5).Draw(t, "scale"))
		base := endIn(t, r, Change{})
		if d := endIn(t, r, Change{Scale: by}); d != time.Duration(by)*base {
			t.Fatalf("%v times the input takes %v, the input %v", by, d, base)
		}
		if d := endIn(t, r, Change{Scale: by, Slots: []Slots{{Op: Times, N: by}}}); d != base {
			t.Fatalf("%v times the input on as many times the slots takes %v, the input %v", by, d, base)
		}
	})
	// Reduces get all of it: 30 ms become 90, after 2 rounds of maps become 6.
	if d := endIn(t, planned(equal(8, 4, 4)), Change{Scale: 3}); d != 6*20*time.Millisecond+90*time.Millisecond {
		t.Errorf("three times the input takes %v", d)
	}
	// Half a map is a smaller one.
	if d := endIn(t, planned(equal(1, 0, 4)), Change{Scale: 0.5}); d != 10*time.Millisecond {
		t.Errorf("half the input takes %v", d)
	}
	// A job that reads what reduces wrote has as many maps, each longer.
	p := equal(4, 4, 4)
	p.Jobs = append(p.Jobs, p.Jobs[0])
	p.Jobs[1].Node, p.Jobs[1].After = "k", []int{0}
	if d := endIn(t, planned(p), Change{Scale: 2}); d != (2*20+60+40+60)*time.Millisecond {
		t.Errorf("twice the input of two jobs takes %v", d)
	}
}

// TestUnannouncedWork checks that the expected time of work that the engine has not announced is part of every answer.
func TestUnannouncedWork(t *testing.T) {
	t.Parallel()
	known := planned(equal(4, 2, 1))
	plan := equal(4, 2, 1)
	plan.Open = true
	open := NewReplay(dag.Run{}.Append(golden.Start(plan)), func(run dag.Run) estimators.Costs {
		costs := cost.Costs(run)
		costs.Later = func(known time.Duration) (time.Duration, float64) { return 2 * known, 0.5 }
		return costs
	})
	for _, c := range []Change{{}, {Slots: []Slots{{Op: Times, N: 2}}}, {Failures: []Failure{{What: FailTask}}}} {
		want, err := known.Predict(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := open.Predict(c)
		if err != nil || got.Remaining == nil || *got.Remaining != 3**want.Remaining {
			t.Errorf("%s: %+v, %v, want three times %v", c, got, err, *want.Remaining)
		}
	}
	if got, want := endIn(t, open, Change{}), 3*endIn(t, known, Change{}); got != want {
		t.Errorf("the curve's end is %v, want %v", got, want)
	}
}
