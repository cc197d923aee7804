package pathfrag_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// lastSnapshot plays a run to its end.
func lastSnapshot(t testing.TB, plan *dag.Plan, opt simulate.Options) *dag.Snapshot {
	t.Helper()
	src, err := simulate.New(plan, opt)
	if err != nil {
		t.Fatal(err)
	}
	var last *dag.Snapshot
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return last
		}
		if err != nil {
			t.Fatal(err)
		}
		last = s
	}
}

// TestGoldenHappened checks that what has happened reads as what was planned: of a run without noise and failures,
// schedule, rounds, fragments and critical path are those that the independent reference program planned at t = 0.
func TestGoldenHappened(t *testing.T) {
	fields, cases := 0, 0
	for _, c := range golden.Load(t) {
		t.Run(c.Name, func(t *testing.T) {
			s := lastSnapshot(t, c.Plan, simulate.Options{})
			sch, err := schedule.History(s)
			if err != nil {
				t.Fatal(err)
			}
			g := goldenCheck{t: t, c: c, fields: &fields}
			g.path(s.Plan, sch, c.Initial)
			cases++
		})
	}
	t.Logf("%d cases, %d fields", cases, fields)
	if fields == 0 {
		t.Error("nothing was compared")
	}
}

// path compares a schedule and the path through it with a forecast.
func (g *goldenCheck) path(plan *dag.Plan, sch *schedule.Schedule, want golden.Forecast) {
	g.t.Helper()
	p, err := pathfrag.Find(plan, sch, pathfrag.Params{Delta1: g.c.Delta1, Delta2: g.c.Delta2})
	if err != nil {
		g.t.Fatal(err)
	}
	g.equal("schedule", attempts(plan, p.Schedule), want.Schedule)
	g.equal("rounds", rounds(plan, p), want.Rounds)
	g.equal("fragments", fragments(plan, p), want.Fragments)
	g.equal("critical_path", segments(p), want.CriticalPath)
	g.equal("critical_path_ms", p.Length().Milliseconds(), *want.CriticalPathMS)
	*g.fields += 6*(len(want.Schedule)+len(want.Rounds)) + 8*len(want.Fragments) + 4*len(want.CriticalPath) + 1
}

// TestGoldenJoined checks that what has happened and what a replay expects are one schedule: at each of the reference
// program's instants, failures among them, its attempts without the failed ones are those of the re-plan, and so are
// its rounds.
func TestGoldenJoined(t *testing.T) {
	fields := 0
	for _, c := range golden.Load(t) {
		t.Run(c.Name, func(t *testing.T) {
			g := goldenCheck{t: t, c: c, fields: &fields}
			for _, in := range c.Instants {
				future, err := schedule.Replay(in.Snapshot, c.Left(in.Snapshot, c.Slowdown), schedule.Options{})
				if err != nil {
					t.Fatal(err)
				}
				sch, err := schedule.HistoryAndPlan(in.Snapshot, future)
				if err != nil {
					t.Fatal(err)
				}
				p, err := pathfrag.Find(c.Plan, sch, pathfrag.Params{Delta1: c.Delta1, Delta2: c.Delta2})
				if err != nil {
					t.Fatal(err)
				}
				good := slices.DeleteFunc(attempts(c.Plan, sch), func(a golden.Span) bool {
					return a.Outcome == "fails"
				})
				if in.Replan.Schedule != nil {
					g.equal("schedule", good, in.Replan.Schedule)
				} else {
					g.equal("future",
						slices.DeleteFunc(good, func(a golden.Span) bool { return a.EndMS <= int64(in.At) }), in.Future)
				}
				// Where nothing else ran, the path goes over a failed attempt, which has a round of no width.
				whole := slices.DeleteFunc(rounds(c.Plan, p), func(r golden.Round) bool { return r.Width == 0 })
				g.equal("rounds", whole, in.Replan.Rounds)
				g.equal("end", int64(sch.End), int64(future.End))
				fields += 6*(len(in.Replan.Schedule)+len(in.Future)+len(in.Replan.Rounds)) + 1
			}
		})
	}
	t.Logf("%d fields", fields)
	if fields == 0 {
		t.Error("nothing was compared")
	}
}

// A slot beyond what is kept by slot counts as unknown, also where it ends a span whose other slots are known.
func TestSlotsBeyondAll(t *testing.T) {
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}
	sch := &schedule.Schedule{
		End: 10, Spans: []schedule.Span{{Count: 2, End: 10, Slots: []int32{3, 1<<31 - 2}}},
		Submitted: []dag.Instant{0}, Finished: []dag.Instant{10},
	}
	p, err := pathfrag.Find(plan, sch, pathfrag.Params{})
	if err != nil || len(p.Rounds) != 1 || p.Rounds[0].Width != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}
