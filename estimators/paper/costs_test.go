package paper

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// facts/paratimer.md A10: full and rem in floats, a later task's pipelines rounded each by itself, half up; set-up
// is left while K = 0.
func TestPaperCosts(t *testing.T) {
	plan := slowPlan()
	plan.Jobs[1].SetStage(dag.Reduce, golden.PhaseOf(2, 3, 0.5, 1, 0.5, 1, 0.2))
	s := running(plan, 400, 0)
	s.Jobs[0].Stages[dag.Map].Attempts[1].Done[0] = 250
	s.Jobs[0].Stages[dag.Map].Attempts[2].State, s.Jobs[0].Stages[dag.Map].Attempts[2].End = dag.AttemptSucceeded, 399
	c := newPaperCosts(s, FixedSlowdown([4]float64{2, 1, 1, 1})(dag.Run{}))
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"full of a map", c.Full(0, dag.Map, 7), 21_000},
		{"full of a reduce", c.Full(1, dag.Reduce, 1), 1002.2},
		{"rem while set up", c.Rem(0, dag.Map, 0), 20_600},
		{"rem", c.Rem(0, dag.Map, 1), 15_000},
		{"rem when done", c.Rem(0, dag.Map, 2), 0},
		{"rem when pending", c.Rem(0, dag.Map, 9), 21_000},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", x.name, x.got, x.want)
		}
	}
	// 1.5 + 0.5 + 0.2 ms: 2 + 1 + 0.
	got := c.Left(schedule.Task{Job: 1, Stage: dag.Reduce, Index: 0})
	want := schedule.Cost{Setup: time.Second, Work: 3 * time.Millisecond, Same: 2, Origin: schedule.Profiled}
	if got != want {
		t.Errorf("a reduce to come costs %+v, want %+v", got, want)
	}
	a := &s.Jobs[0].Stages[dag.Map].Attempts[0]
	got = c.Left(schedule.Task{Job: 0, Stage: dag.Map, Index: 0, Running: a})
	want = schedule.Cost{Setup: 600 * time.Millisecond, Work: 20 * time.Second, Same: 1, Origin: schedule.Profiled}
	if got != want {
		t.Errorf("a running map costs %+v, want %+v", got, want)
	}
}

// A plan without costs gives lower bounds, which are marked. The total of an attempt replaces an unknown size.
func TestPaperCostsUnknown(t *testing.T) {
	plan := slowPlan()
	plan.Jobs[0].Stages[dag.Map].Pipelines[0].Tuples = dag.Series{}
	plan.Jobs[1].Stages[dag.Map].Pipelines = nil
	s := running(plan, 5000, 400)
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		s.Jobs[0].Stages[dag.Map].Attempts[i].Total[0] = 1000
	}
	c := newPaperCosts(s, Slowdown{})
	if got := c.Rem(0, dag.Map, 0); got != 6000 {
		t.Errorf("rem = %v, want 6000", got)
	}
	if got := c.Left(schedule.Task{Job: 0, Stage: dag.Map, Index: 7}); got.Origin != schedule.Unknown ||
		got.Setup != time.Second || got.Work != 0 {
		t.Errorf("a map of unknown size costs %+v", got)
	}
	if got := c.Left(schedule.Task{Job: 1, Stage: dag.Map, Index: 0}); got.Origin != schedule.Unknown ||
		got.Same != 10 {
		t.Errorf("a map of unknown cost costs %+v", got)
	}
}

// A plan with more tasks than listed sizes gives them together.
func TestPaperCostsBeyondTheList(t *testing.T) {
	plan := slowPlan()
	plan.Jobs[0].Stages[dag.Map].Tasks = 1 << 30
	plan.Jobs[0].Stages[dag.Map].Pipelines[0].Tuples = dag.Each([]float64{100, 200, 300})
	s := running(plan, 0, 0)
	s.Jobs[0].Stages[dag.Map].Attempts = nil
	w := estimators.NewReplayContext(runOf(s), plannedCosts, estimators.Options{})
	if got := w.Costs.Left(schedule.Task{Job: 0, Stage: dag.Map, Index: 3}); got.Same != 1<<30-3 ||
		got.Origin != schedule.Unknown {
		t.Errorf("task 3 of a list of three costs %+v", got)
	}
	if got := w.Costs.Left(schedule.Task{Job: 0, Stage: dag.Map, Index: 2}); got.Same != 1 ||
		got.Work != 3*time.Second {
		t.Errorf("task 2 costs %+v", got)
	}
	groups := 0
	for range w.Stage(0, dag.Map).All() {
		groups++
	}
	if p := w.Stage(0, dag.Map); p.Pending != 1<<30 || groups != 4 {
		t.Errorf("%d tasks in %d groups", p.Pending, groups)
	}
}

// TestGoldenAmounts compares the tuples that are done and those in all with the reference program's
// (facts/paratimer.md A10).
func TestGoldenAmounts(t *testing.T) {
	compared, skipped := 0, 0
	for _, c := range golden.Load(t) {
		for i := range c.Instants {
			in := &c.Instants[i]
			got := map[string]float64{
				"luo_units_done":  total(amounts(in.Snapshot), 1).done,
				"luo_units_total": total(amounts(in.Snapshot), 1).total,
			}
			if !noisy(c) {
				got["luo_units_done_10s_ago"] = total(amounts(rewind(in.Snapshot, luoWindowMS)), 1).done
			}
			for _, field := range []string{"luo_units_done", "luo_units_total", "luo_units_done_10s_ago"} {
				want, listed := in.Expect[field].(float64)
				if !listed {
					continue
				}
				is, known := got[field]
				if !known {
					skipped++
					continue
				}
				compared++
				if math.Abs(is-want) > min(1e-6*math.Abs(want), 1e-3) {
					t.Errorf("%s t=%d %s = %v, want %v", c.Name, in.At, field, is, want)
				}
			}
		}
	}
	t.Logf("%d figures compared, %d could not be", compared, skipped)
	if compared == 0 {
		t.Fatal("nothing was compared")
	}
}

// facts/paratimer.md P16: own value, else that of the pipeline's type, else that of all, else 1.
func TestObservedSlowdown(t *testing.T) {
	plan := slowPlan()
	for _, c := range []struct {
		name string
		run  dag.Run
		want float64
		own  bool
	}{
		{"one look", runOf(running(plan, 5000, 300)), 1, false},
		{"as planned", runOf(running(plan, 5000, 300), running(plan, 7000, 500)), 1, true},
		{"half the speed", runOf(running(plan, 5000, 300), running(plan, 9000, 500)), 2, true},
		{"a tuple more or less is no slowdown", runOf(running(plan, 5000, 300), running(plan,
			7009, 500)), 1, true},
		{"the time before the first tuple does not count", runOf(running(plan, 1000, 0),
			running(plan, 5000, 300),
			running(plan, 9000, 500)), 2, true},
		{"nor does that after the last", runOf(running(plan, 5000, 300), running(plan, 9000, 500),
			running(plan, 30_000, 1000)), 2, true},
		{
			"too little work to say", runOf(running(plan, 5000, 300), running(plan, 6000, 305)), 1,
			false,
		},
		{"clipped above", runOf(running(plan, 5000, 300), running(plan, 65_000, 370)), 10, true},
		{"clipped below", runOf(running(plan, 5000, 100), running(plan, 5100, 900)), 0.1, true},
		{"a minute is kept", runOf(running(plan, 5000, 100), running(plan, 10_000, 200),
			running(plan, 70_000, 900)), 60. / 7, true},
	} {
		s := ObservedSlowdown(c.run)
		if got, own := s.At(0, dag.Map, 0); got != c.want || own != c.own {
			t.Errorf("%s: %v (own %v), want %v", c.name, got, own, c.want)
		}
		if got, own := s.At(1, dag.Map, 0); got != c.want || own {
			t.Errorf("%s: job 2 has %v (own %v), want job 1's %v", c.name, got, own, c.want)
		}
		if got, own := s.At(1, dag.Reduce, dag.Work); got != c.want || own {
			t.Errorf("%s: reduces have %v (own %v), want that of all, %v", c.name, got, own, c.want)
		}
	}
}

// plannedCosts are costs by the plan alone.
var plannedCosts = Model(FixedSlowdown([4]float64{1, 1, 1, 1}))

func everyScenario() []estimators.Scenario { return append(estimators.Scenarios(), Others()...) }

// slowPlan has two map-only jobs of ten tasks, 1000 tuples of 10 ms each.
func slowPlan() *dag.Plan {
	return &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 5, ReduceSlots: 1, Setup: time.Second},
		Jobs: []dag.Job{
			{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(10, 1000, 10), golden.PhaseOf(0))},
			{Node: "j2", After: []int{0}, Stages: dag.MapReduce(golden.PhaseOf(10, 1000, 10),
				golden.PhaseOf(2, 100, 1, 100, 1, 100, 1))},
		},
	}
}

// running is a snapshot in which five maps of job 1 have each done k tuples.
func running(plan *dag.Plan, at dag.Instant, k float64) *dag.Snapshot {
	s := &dag.Snapshot{Plan: plan, At: at, State: dag.Running, Jobs: plan.BlockedJobs()}
	s.Jobs[0].Submitted, s.Jobs[0].Started, s.Jobs[0].Finished = 0, 0, 0
	for i := range 5 {
		a := dag.Attempt{Task: int32(i), State: dag.AttemptRunning, Slot: int32(i), End: dag.NoInstant}
		a.Done[0] = k
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
	}
	return s
}

// runOf is the run of some snapshots.
func runOf(snapshots ...*dag.Snapshot) (run dag.Run) {
	for _, s := range snapshots {
		run = run.Append(s)
	}
	return run
}
