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

// docs/facts/paratimer.md A10: full and rem in floats, a later task's pipelines rounded each by itself, half up; set-up
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

// A plan that knows no cost gives floors and says so; an attempt's own total stands in for an unknown size.
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

// A plan that says more tasks than it lists sizes for says them in one breath.
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
