package schedule_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// TestFIFOGolden compares the schedules of the independent reference program, attempt by attempt: the plan at
// t = 0 and the re-plan at each instant.
func TestFIFOGolden(t *testing.T) {
	fields := 0
	check := func(t *testing.T, plan *dag.Plan, s *dag.Snapshot, left schedule.Left, want []golden.Span, future bool) {
		t.Helper()
		for _, single := range []bool{false, true} {
			cost := left
			if single {
				cost = func(t schedule.Task) schedule.Cost { c := left(t); c.Same = 1; return c }
			}
			sch, err := schedule.Replay(s, cost, schedule.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := expand(plan, sch)
			if future {
				got = slices.DeleteFunc(got, func(g golden.Span) bool { return g.EndMS <= int64(s.At) })
			}
			if !slices.Equal(got, want) {
				t.Errorf("at %d, single %v:\ngot  %v\nwant %v", s.At, single, got, want)
			}
			fields += 6 * len(want)
		}
	}
	cases := golden.Load(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			start := golden.Start(c.Plan)
			check(t, c.Plan, start, c.Left(start, [4]float64{1, 1, 1, 1}), c.Initial.Schedule, false)
			for _, in := range c.Instants {
				if in.Replan.Schedule != nil {
					check(t, c.Plan, in.Snapshot, c.Left(in.Snapshot, c.Slowdown), in.Replan.Schedule, false)
				} else {
					check(t, c.Plan, in.Snapshot, c.Left(in.Snapshot, c.Slowdown), in.Future, true)
				}
			}
		})
	}
	t.Logf("%d cases, %d fields", len(cases), fields)
	if fields == 0 {
		t.Error("nothing was compared")
	}
}

// expand lists single attempts as the golden files do.
func expand(plan *dag.Plan, s *schedule.Schedule) []golden.Span {
	var out []golden.Span
	for _, sp := range s.Spans {
		outcome := "ok"
		if sp.Outcome == schedule.Fails {
			outcome = "fails"
		}
		for i := range sp.Count {
			out = append(out, golden.Span{
				Task:    schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First+i), 0),
				Attempt: sp.Attempt, Slot: sp.Slots[i], StartMS: int64(sp.Start), EndMS: int64(sp.End),
				Outcome: outcome,
			})
		}
	}
	tasks := golden.Tasks(plan)
	kind := func(s golden.Span) dag.StageIndex { return tasks[s.Task].Stage }
	slices.SortStableFunc(out, func(a, b golden.Span) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(kind(a), kind(b)), cmp.Compare(a.Slot, b.Slot),
			cmp.Compare(a.Attempt, b.Attempt))
	})
	return out
}

// TestFIFOGoldenRuns replays the whole runs of the reference program, failures included: the engine is the ground truth
// as well. What was seen of them at each instant is equal, counters included. Cases whose truth differs from their plan
// (noise, another hand-out order) are left out: their total does not come from the plan.
func TestFIFOGoldenRuns(t *testing.T) {
	runs := 0
	for _, c := range golden.Load(t) {
		if c.ActualTotalMS == nil || strings.HasPrefix(c.Name, "g08") || strings.HasPrefix(c.Name, "g10") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			start := golden.Start(c.Plan)
			run, err := schedule.Replay(start, c.Left(start, [4]float64{1, 1, 1, 1}),
				schedule.Options{Fault: failuresOf(c)})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(run.End); got != *c.ActualTotalMS {
				t.Errorf("total %v, want %v", got, *c.ActualTotalMS)
			}
			for _, in := range c.Instants {
				if got, want := seen(golden.Cut(c.Plan, run, in.At)), seen(in.Snapshot); !slices.Equal(got, want) {
					t.Errorf("at %d:\ngot  %v\nwant %v", in.At, got, want)
				}
			}
		})
		runs++
	}
	if runs == 0 {
		t.Fatal("no golden case here is a run that its plan foretells")
	}
}

// failuresOf returns the failures that the last instant lists.
func failuresOf(c *golden.Case) schedule.Fault {
	last := c.Instants[len(c.Instants)-1].Snapshot
	return func(x schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		for _, a := range last.Jobs[x.Job].Stages[x.Stage].Attempts {
			if a.State == dag.AttemptFailed && int(a.Task) == x.Index && int(a.Number) == x.Attempt {
				return a.End, true
			}
		}
		return 0, false
	}
}

type seenAttempt struct {
	job                int
	kind               dag.StageIndex
	task, number, slot int32
	node               int32
	state              dag.AttemptState
	start, end         dag.Instant
	done               [dag.Pipelines]float64
	submitted          dag.Instant // of the job
}

func seen(s *dag.Snapshot) []seenAttempt {
	var out []seenAttempt
	for j := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				out = append(out, seenAttempt{
					j, k, a.Task, a.Number, a.Slot, a.Node, a.State, a.Start, a.End, a.Done,
					s.Jobs[j].Submitted,
				})
			}
		}
	}
	return out
}
