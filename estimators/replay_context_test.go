package estimators_test

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// modelOf returns a cost model that gives each task of a kind the given origin.
func modelOf(origin map[dag.StageIndex]schedule.Origin) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		costs := plannedCosts(run)
		left := costs.Left
		costs.Left = func(t schedule.Task) schedule.Cost {
			c := left(t)
			c.Origin = origin[t.Stage]
			return c
		}
		return costs
	}
}

// If no remaining task has a known cost, it is too early: the time is a lower bound. If some have, there is an
// estimate, with the share of it that is assumed.
func TestTooEarlyAndAssumed(t *testing.T) {
	for _, c := range []struct {
		name    string
		origin  map[dag.StageIndex]schedule.Origin
		early   bool
		worst   schedule.Origin
		assumed float64
		warned  int
	}{
		{
			"all known",
			map[dag.StageIndex]schedule.Origin{dag.Map: schedule.Observed, dag.Reduce: schedule.Profiled},
			false, schedule.Profiled, 0, 0,
		},
		{"reduces assumed", map[dag.StageIndex]schedule.Origin{
			dag.Map:    schedule.Observed,
			dag.Reduce: schedule.Assumed,
		}, false, schedule.Assumed, 0.5, 1},
		{"reduces unknown", map[dag.StageIndex]schedule.Origin{
			dag.Map:    schedule.Observed,
			dag.Reduce: schedule.Unknown,
		}, false, schedule.Unknown, 0.5, 1},
		{
			"nothing known",
			map[dag.StageIndex]schedule.Origin{dag.Map: schedule.Unknown, dag.Reduce: schedule.Unknown},
			true, schedule.Unknown, 1, 2,
		},
	} {
		for _, name := range []string{"standard", "one_failure", "best_guess", "skew_high", "parallax"} {
			e, err := estimators.New(pick(t, everyScenario(), name)[0], modelOf(c.origin),
				estimators.Options{}).Estimate(dag.Run{}.Append(golden.Start(golden.OneJob())))
			if err != nil {
				t.Fatal(err)
			}
			if e.Origin != c.worst || name == "standard" &&
				(e.AssumedRatio != c.assumed || len(e.Warnings) != c.warned) {
				t.Errorf("%s, %s: origin %v, assumed %v, warnings %v", c.name, name, e.Origin, e.AssumedRatio,
					e.Warnings)
			}
			if early := e.Remaining == nil; early != c.early || early != math.IsNaN(e.Progress) || early &&
				(e.Low == nil || *e.Low < 40*time.Second) {
				t.Errorf("%s, %s: remaining %v, low %v, progress %v", c.name, name, e.Remaining, e.Low, e.Progress)
			}
		}
	}
}

// A job of unknown size makes the estimate's origin unknown, and is named.
func TestUnknownSizeIsNamed(t *testing.T) {
	plan := golden.OneJob()
	plan.Jobs = append(plan.Jobs, dag.Job{Node: "j2", After: []int{0}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})})
	e, err := estimators.New(pick(t, everyScenario(), "standard")[0], plannedCosts,
		estimators.Options{}).Estimate(dag.Run{}.Append(golden.Start(plan)))
	if err != nil {
		t.Fatal(err)
	}
	if e.Remaining == nil || *e.Remaining != 40*time.Second || e.Origin != schedule.Unknown {
		t.Errorf("remaining %v, origin %v", e.Remaining, e.Origin)
	}
	if len(e.Warnings) == 0 || e.Warnings[0].Code != dag.WarnUnknownSize {
		t.Errorf("warnings %v", e.Warnings)
	}
}

// The replay runs on the plan as the cost model completes it; the run stays what was observed.
func TestCompletedPlan(t *testing.T) {
	model := func(run dag.Run) estimators.Costs {
		s, plan := *run.Now(), *run.Now().Plan
		plan.Jobs = dag.CloneJobs(plan.Jobs)
		plan.Jobs[0].Stages[dag.Map].Tasks = 6
		s.Plan = &plan
		costs := plannedCosts(dag.Run{}.Append(&s))
		costs.Completed, costs.Warnings = &s, []dag.Warning{{Code: dag.WarnNoProfile}}
		return costs
	}
	run := dag.Run{}.Append(golden.Start(golden.OneJob()))
	e, err := estimators.New(pick(t, everyScenario(), "standard")[0], model, estimators.Options{}).Estimate(run)
	if err != nil || *e.Remaining != 50*time.Second {
		t.Errorf("remaining %v (%v), want 50s", e.Remaining, err)
	}
	if len(e.Warnings) != 1 || e.Warnings[0].Code != dag.WarnNoProfile {
		t.Errorf("warnings %v, want the model's", e.Warnings)
	}
	if n := run.Now().Plan.Jobs[0].Stages[dag.Map].Tasks; n != 4 {
		t.Errorf("the run has %d maps now", n)
	}
}

// A task with a speculative attempt beside it is represented by its older one; a job that has ended has nothing left.
func TestWhatIsLeft(t *testing.T) {
	plan := golden.OneJob()
	plan.Jobs[0].SetStage(dag.Map, golden.PhaseOf(10, 1000, 10))
	s := golden.Start(plan)
	s.At, s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Started = 6000, dag.Running, 0, 0
	for _, task := range []int32{0, 1, 2, 3, 4, 4} {
		a := dag.Attempt{Task: task, State: dag.AttemptRunning, Slot: task, End: dag.NoInstant}
		a.Done[0] = 500
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
	}
	young := &s.Jobs[0].Stages[dag.Map].Attempts[5]
	young.Number, young.Done[0] = 1, 100
	w := estimators.NewReplayContext(dag.Run{}.Append(s), plannedCosts, estimators.Options{})
	p := w.Stage(0, dag.Map)
	g, ok := p.At(4)
	if !ok || !g.Running || g.Rem != 5000 || p.Running != 5 || p.Pending != 5 {
		t.Errorf("task 4: %+v, running %d, pending %d", g, p.Running, p.Pending)
	}
	s.Jobs[0].State = dag.Failed
	if n := estimators.NewReplayContext(dag.Run{}.Append(s), plannedCosts, estimators.Options{}).Stage(0,
		dag.Map).Unfinished(); n != 0 {
		t.Errorf("a failed job has %d tasks left", n)
	}
}

// Reduces that hold their slots while maps run (facts/paratimer.md P6) count the wait: with one reduce, every
// scenario of skew and the static path are the truth.
func TestReducesThatWaitForMaps(t *testing.T) {
	plan := golden.OneJob()
	plan.Jobs[0].SetStage(dag.Reduce, golden.PhaseOf(1, 0, 0, 0, 0, 1000, 20))
	at := func(now dag.Instant, k float64) *dag.Snapshot {
		s := golden.Start(plan)
		s.At = now
		s.Jobs[0].Submitted, s.Jobs[0].State = 0, dag.Running
		for i := range 2 {
			s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
				dag.Attempt{
					Task: int32(i), State: dag.AttemptRunning, Slot: int32(i), End: dag.NoInstant,
					Done: [3]float64{k},
				})
		}
		s.Jobs[0].Stages[dag.Reduce].Attempts = []dag.Attempt{{
			State: dag.AttemptRunning, End: dag.NoInstant,
			CopyEnd: dag.NoInstant,
		}}
		return s
	}
	run := dag.Run{}.Append(at(2000, 200)).Append(at(7000, 700))
	for _, s := range pick(t, everyScenario(), "standard", "skew_low", "skew_high", "standard_static") {
		e, err := estimators.New(s, plannedCosts, estimators.Options{}).Estimate(run)
		if err != nil {
			t.Fatal(err)
		}
		if *e.Remaining != 33*time.Second {
			t.Errorf("%s: %v, want 33s", s.Name, *e.Remaining)
		}
	}
	// Not only because they are clamped.
	if low, _, high, err := estimators.NewReplayContext(run, plannedCosts,
		estimators.Options{}).SkewBounds(); err != nil ||
		low != 33_000 || high != 33_000 {
		t.Errorf("bounds %v, %v (%v), want 33 s", low, high, err)
	}
}

// A running reduce with nothing left is unfinished: its phase has begun, although an earlier job takes the slot next.
func TestReduceWithNothingLeft(t *testing.T) {
	first, second := golden.OneJob(), golden.OneJob()
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: 1, ReduceSlots: 1}, Jobs: append(first.Jobs, second.Jobs...)}
	plan.Jobs[1].Node = "j2"
	s := golden.Start(plan)
	s.At = 20_000
	for j := range plan.Jobs {
		plan.Jobs[j].SetStage(dag.Map, golden.PhaseOf(0))
		s.Jobs[j].Submitted, s.Jobs[j].State = dag.Instant(j), dag.Running
	}
	s.Jobs[1].Stages[dag.Reduce].Attempts = []dag.Attempt{{
		State: dag.AttemptRunning, End: dag.NoInstant,
		Done: [3]float64{0, 0, 1000},
	}}
	w := estimators.NewReplayContext(dag.Run{}.Append(s), plannedCosts, estimators.Options{})
	if _, err := w.Path(); err != nil {
		t.Fatal(err)
	}
	if b := w.ReduceStarts(); b[0].Held != 20_000 || b[1].Held != 20_000 {
		t.Errorf("the reduces begin %+v, want now", b)
	}
}

// The upper bound adds up exact times, a schedule rounded ones; what is shown is never below the standard time.
func TestUpperBoundIsClamped(t *testing.T) {
	plan := golden.OneJob()
	plan.Jobs[0].SetStage(dag.Reduce, golden.PhaseOf(2, 1, 0.5, 1, 0.5, 1, 0.5))
	w := estimators.NewReplayContext(dag.Run{}.Append(golden.Start(plan)), plannedCosts, estimators.Options{})
	_, _, raw, err := w.SkewBounds()
	if err != nil {
		t.Fatal(err)
	}
	std, high := answer(t, w, "standard"), answer(t, w, "skew_high")
	if raw >= taskcost.MS(*std.Remaining) {
		t.Fatalf("the raw bound %v is not below %v: nothing to clamp", raw, *std.Remaining)
	}
	if *high.Remaining != *std.Remaining {
		t.Errorf("skew_high %v, standard %v", *high.Remaining, *std.Remaining)
	}
}

// Where two jobs' reduces share slots, Algorithm 1 may say more than the truth (facts/paratimer.md A8, golden case
// g09); what is shown is clamped (facts/paratimer.md P21).
func TestBoundsAreClamped(t *testing.T) {
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: 5, ReduceSlots: 5}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(2, 1000, 8), golden.PhaseOf(7, 0, 0, 0, 0, 1000, 20))},
		{Node: "j2", Stages: dag.MapReduce(golden.PhaseOf(6, 1000, 10), golden.PhaseOf(5, 0, 0, 0, 0, 1000, 2))},
		{Node: "j3", After: []int{0, 1}, Stages: dag.MapReduce(golden.PhaseOf(1, 1000, 3), golden.PhaseOf(1, 0, 0, 0,
			0, 1000, 2))},
	}}
	w := estimators.NewReplayContext(dag.Run{}.Append(golden.Start(plan)), plannedCosts,
		estimators.Options{Path: &pathfrag.Params{Delta1: time.Second / 2, Delta2: time.Second / 2}})
	raw, _, _, err := w.SkewBounds()
	if err != nil {
		t.Fatal(err)
	}
	std, low, high := answer(t, w, "standard"), answer(t, w, "skew_low"), answer(t, w, "skew_high")
	if raw <= taskcost.MS(*std.Remaining) {
		t.Fatalf("the raw lower bound %v is not above the standard time %v: nothing to clamp", raw, *std.Remaining)
	}
	best := answer(t, w, "best_guess")
	if *low.Remaining != *std.Remaining || *high.Remaining < *std.Remaining || *best.Low > *best.Remaining ||
		*best.High < *best.Remaining {
		t.Errorf("low %v, standard %v, high %v, best guess %v in %v..%v", *low.Remaining, *std.Remaining,
			*high.Remaining, *best.Remaining, *best.Low, *best.High)
	}
}

// facts/paratimer.md P7: delta1 = max(5% of the median task time, two ticks), delta2 = set-up + a heartbeat;
// given ones are kept.
func TestTolerances(t *testing.T) {
	plan := golden.OneJob()
	plan.Cluster.Setup = time.Second
	start := golden.Start(plan)
	later := *start
	later.At = 2000
	params := pathfrag.Params{Delta1: 7 * time.Second}
	for _, c := range []struct {
		name string
		run  dag.Run
		opt  estimators.Options
		want pathfrag.Params
	}{
		{"median", dag.Run{}.Append(start), estimators.Options{}, pathfrag.Params{
			Delta1: 550 * time.Millisecond,
			Delta2: 4 * time.Second,
		}},
		{"ticks", dag.Run{}.Append(start).Append(&later), estimators.Options{}, pathfrag.Params{
			Delta1: 4 * time.Second,
			Delta2: 4 * time.Second,
		}},
		{"set", dag.Run{}.Append(start), estimators.Options{Path: &params}, params},
		{"set to 0", dag.Run{}.Append(start), estimators.Options{Path: &pathfrag.Params{}}, pathfrag.Params{}},
	} {
		w := estimators.NewReplayContext(c.run, plannedCosts, c.opt)
		s, err := w.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Tolerances(s); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A static path that rests on unobserved costs is made anew: it is the standard one.
func TestBlindPlanIsNoPlan(t *testing.T) {
	assumed := modelOf(map[dag.StageIndex]schedule.Origin{dag.Map: schedule.Observed, dag.Reduce: schedule.Assumed})
	plan := golden.OneJob()
	later := golden.Start(plan)
	later.At = 3000
	w := estimators.NewReplayContext(dag.Run{}.Append(golden.Start(plan)).Append(later), assumed, estimators.Options{})
	if e := answer(t, w, "standard_static"); e.Path != pathOf(t, w) || *e.Remaining != 40*time.Second {
		t.Errorf("remaining %v, on the standard path: %v", *e.Remaining, e.Path == pathOf(t, w))
	}
	w = estimators.NewReplayContext(w.Run, plannedCosts, estimators.Options{})
	if e := answer(t, w, "standard_static"); e.Path == pathOf(t, w) {
		t.Error("a plan of known costs was made anew")
	}
}

func pathOf(t *testing.T, w *estimators.ReplayContext) *pathfrag.Path {
	t.Helper()
	path, err := w.Path()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The subset looks at four tasks of a round, the thread at one slot's, where all are looked at by standard_static.
func TestTrackersOfUnequalTasks(t *testing.T) {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 8, ReduceSlots: 1},
		Jobs:    []dag.Job{{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(8, 1000, 10), golden.PhaseOf(0))}},
	}
	later := golden.Start(plan)
	later.At = 5000
	later.Jobs[0].Submitted, later.Jobs[0].State = 0, dag.Running
	for i := range 8 {
		later.Jobs[0].Stages[dag.Map].Attempts = append(later.Jobs[0].Stages[dag.Map].Attempts, dag.Attempt{
			Task: int32(i), Slot: int32(i), State: dag.AttemptRunning,
			End: dag.NoInstant, Done: [3]float64{float64(500 - 50*i)},
		})
	}
	w := estimators.NewReplayContext(dag.Run{}.Append(golden.Start(plan)).Append(later), plannedCosts,
		estimators.Options{})
	// 5.0, 5.5 … 8.5 s are left.
	for name, want := range map[string]struct {
		left      time.Duration
		monitored int
	}{
		"standard": {8500 * time.Millisecond, 0}, "standard_static": {6750 * time.Millisecond, 8},
		"standard_static_subset": {5750 * time.Millisecond, 4}, "standard_static_thread": {5 * time.Second, 1},
	} {
		e := answer(t, w, name)
		if *e.Remaining != want.left || len(e.Monitored) != want.monitored {
			t.Errorf("%s: %v by %v, want %v by %d", name, *e.Remaining, e.Monitored, want.left, want.monitored)
		}
	}
}
