package pathfrag_test

import (
	"cmp"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// TestGolden compares schedule, rounds, fragments and critical path with those of the independent reference program:
// the plan at t = 0 and the re-plan at each instant. Every field, integers exactly. Uniform phases are replayed in
// whole rounds and, once more, task by task.
func TestGolden(t *testing.T) {
	cases, fields := golden.Load(t), 0
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			start := golden.Start(c.Plan)
			g := goldenCheck{t: t, c: c, fields: &fields}
			none := [4]float64{1, 1, 1, 1}
			worst := g.forecast(start, c.Left(start, none), c.Initial)
			if c.Initial.WorstSingleTaskMS != nil {
				g.equal("worst_single_task_ms", worst, *c.Initial.WorstSingleTaskMS)
			}
			for _, in := range c.Instants {
				want := in.Replan
				if want.Schedule == nil {
					g.future = in.Future
				}
				g.forecast(in.Snapshot, c.Left(in.Snapshot, c.Slowdown), want)
				g.future = nil
			}
		})
	}
	t.Logf("%d cases, %d fields", len(cases), fields)
	if fields == 0 {
		t.Error("nothing was compared")
	}
}

type goldenCheck struct {
	t      *testing.T
	c      *golden.Case
	fields *int
	future []golden.Span
}

// forecast compares and returns the longest task of the plan.
func (g *goldenCheck) forecast(s *dag.Snapshot, left schedule.Left, want golden.Forecast) float64 {
	g.t.Helper()
	for _, single := range []bool{true, false} {
		cost := left
		if single {
			cost = func(t schedule.Task) schedule.Cost { x := left(t); x.Same = 1; return x }
		}
		sch, err := schedule.Replay(s, cost, schedule.Options{})
		if err != nil {
			g.t.Fatal(err)
		}
		p, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{Delta1: g.c.Delta1, Delta2: g.c.Delta2})
		if err != nil {
			g.t.Fatal(err)
		}
		spans := attempts(s.Plan, p.Schedule)
		if g.future != nil {
			spans = slices.DeleteFunc(spans, func(a golden.Span) bool { return a.EndMS <= int64(s.At) })
			g.equal("replan_schedule_future", spans, g.future)
		} else {
			g.equal("schedule", spans, want.Schedule)
		}
		g.equal("rounds", rounds(s.Plan, p), want.Rounds)
		g.equal("fragments", fragments(s.Plan, p), want.Fragments)
		g.equal("critical_path", segments(p), want.CriticalPath)
		g.equal("critical_path_ms", p.Length().Milliseconds(), *want.CriticalPathMS)
		if single { // count each field once
			*g.fields += 6*(len(want.Schedule)+len(g.future)+len(want.Rounds)) + 8*len(want.Fragments) +
				4*len(want.CriticalPath) + 1
		}
	}
	return g.longest(s)
}

// longest is max full(k) of facts/paratimer.md A10.
func (g *goldenCheck) longest(s *dag.Snapshot) float64 {
	longest := 0.0
	for j := range s.Plan.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range s.Plan.Jobs[j].Stages[k].Count() {
				full := float64(s.Plan.Cluster.Setup / time.Millisecond)
				for _, pipe := range s.Plan.Jobs[j].Stages[k].Pipelines {
					full += pipe.Alpha.At(i) * pipe.Tuples.At(i)
				}
				longest = max(longest, full)
			}
		}
	}
	return longest
}

func (g *goldenCheck) equal(what string, got, want any) {
	g.t.Helper()
	if g, w := reflect.ValueOf(got), reflect.ValueOf(want); g.Kind() == reflect.Slice && g.Len() == 0 && w.Len() == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		g.t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// attempts lists every attempt of a schedule as the golden files do.
func attempts(plan *dag.Plan, s *schedule.Schedule) []golden.Span {
	type keyed struct {
		golden.Span
		kind dag.StageIndex
	}
	var all []keyed
	for _, sp := range s.Spans {
		outcome := "ok"
		if sp.Outcome == schedule.Fails {
			outcome = "fails"
		}
		for i := range sp.Count {
			all = append(all, keyed{golden.Span{
				Task: schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First+i), 0), Attempt: sp.Attempt,
				Slot: sp.Slots[i], StartMS: int64(sp.Start), EndMS: int64(sp.End), Outcome: outcome,
			}, sp.Stage})
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.kind, b.kind), cmp.Compare(a.Slot, b.Slot),
			cmp.Compare(a.Attempt, b.Attempt))
	})
	out := make([]golden.Span, len(all))
	for i := range all {
		out[i] = all[i].Span
	}
	return out
}

func rounds(plan *dag.Plan, p *pathfrag.Path) []golden.Round {
	var out []golden.Round
	for _, r := range p.Rounds {
		out = append(out, golden.Round{
			ID: r.ID, Type: p.Schedule.Spans[r.Spans[0]].What(plan), StartMS: int64(r.Start), EndMS: int64(r.End),
			Width: r.Width, Tasks: tasksOf(p, plan, r.ID),
		})
	}
	return out
}

func fragments(plan *dag.Plan, p *pathfrag.Path) []golden.Fragment {
	var out []golden.Fragment
	for _, f := range p.Fragments {
		out = append(out, golden.Fragment{Round: golden.Round{
			ID: f.ID, Type: schedule.What(plan, max(0, p.JobOf(&f)), f.Stage, f.Pause), Width: f.Width,
			StartMS: int64(f.Start), EndMS: int64(f.End), Tasks: tasksOf(p, plan, f.Rounds...),
		}, Rounds: f.Rounds, SumOfRoundDurationsMS: int64(p.RoundTime(f.ID) / time.Millisecond)})
	}
	return out
}

func segments(p *pathfrag.Path) []golden.Segment {
	var out []golden.Segment
	for _, s := range p.Critical {
		kind := "full"
		if s.Extra {
			kind = "extra"
		}
		out = append(out, golden.Segment{
			Fragment: s.Fragment, Kind: kind, StartMS: int64(s.Start),
			EndMS: int64(s.End),
		})
	}
	return out
}
