package estimators

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// toldModel is a cost model of which each task of a kind has the origin that is told.
func toldModel(origin map[dag.StageIndex]schedule.Origin) Model {
	return func(run dag.Run) Costs {
		costs := newPaperCosts(run.Now(), Slowdown{})
		left := costs.Left
		costs.Left = func(t schedule.Task) schedule.Cost {
			c := left(t)
			c.Origin = origin[t.Stage]
			return c
		}
		return costs
	}
}

// oneJob has four maps of 10 s on two slots, then two reduces of 20 s.
func oneJob() *dag.Plan {
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 2}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(phaseOf(4, 1000, 10), phaseOf(2, 0, 0, 0, 0, 1000, 20))},
	}}
}

// Where nothing of what remains has a known cost it is too early to say: the time is a floor. With some of it known,
// the time is given, and the share of it that rests on assumptions.
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
			e, err := New(pick(t, name)[0], toldModel(c.origin), Options{}).Estimate(runOf(golden.Start(oneJob())))
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
	plan := oneJob()
	plan.Jobs = append(plan.Jobs, dag.Job{Node: "j2", After: []int{0}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})})
	e, err := New(pick(t, "standard")[0], plannedCosts, Options{}).Estimate(runOf(golden.Start(plan)))
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
	model := func(run dag.Run) Costs {
		s, plan := *run.Now(), *run.Now().Plan
		plan.Jobs = dag.CloneJobs(plan.Jobs)
		plan.Jobs[0].Stages[dag.Map].Tasks = 6
		s.Plan = &plan
		costs := newPaperCosts(&s, Slowdown{})
		costs.Completed, costs.Warnings = &s, []dag.Warning{{Code: dag.WarnNoProfile}}
		return costs
	}
	run := runOf(golden.Start(oneJob()))
	e, err := New(pick(t, "standard")[0], model, Options{}).Estimate(run)
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

// A task with a speculative attempt beside it is told by its older one; a job that has ended has nothing left.
func TestWhatIsLeft(t *testing.T) {
	s := running(slowPlan(), 6000, 500)
	young := s.Jobs[0].Stages[dag.Map].Attempts[4]
	young.Number, young.Done[0] = 1, 100
	s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, young)
	w := NewReplayContext(runOf(s), plannedCosts, Options{})
	p := w.Stage(0, dag.Map)
	g, ok := p.At(4)
	if !ok || !g.Running || g.Rem != 5000 || p.Running != 5 || p.Pending != 5 {
		t.Errorf("task 4: %+v, running %d, pending %d", g, p.Running, p.Pending)
	}
	s.Jobs[0].State = dag.Failed
	if n := NewReplayContext(runOf(s), plannedCosts, Options{}).Stage(0, dag.Map).Unfinished(); n != 0 {
		t.Errorf("a failed job has %d tasks left", n)
	}
}

// Reduces that hold their slots while maps run (docs/facts/paratimer.md P6) count the wait: with one reduce, every
// scenario of skew and the static path are the truth.
func TestReducesThatWaitForMaps(t *testing.T) {
	plan := oneJob()
	plan.Jobs[0].SetStage(dag.Reduce, phaseOf(1, 0, 0, 0, 0, 1000, 20))
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
	run := runOf(at(2000, 200), at(7000, 700))
	for _, s := range pick(t, "standard", "skew_low", "skew_high", "standard_static") {
		e, err := New(s, plannedCosts, Options{}).Estimate(run)
		if err != nil {
			t.Fatal(err)
		}
		if *e.Remaining != 33*time.Second {
			t.Errorf("%s: %v, want 33s", s.Name, *e.Remaining)
		}
	}
	// Not only because they are clamped.
	if b, err := NewReplayContext(run, plannedCosts, Options{}).skewBounds(false); err != nil ||
		b != (bounds{33_000, 33_000}) {
		t.Errorf("bounds %+v (%v), want 33 s", b, err)
	}
}

// A running reduce with nothing left is unfinished: its phase has begun, although an earlier job takes the slot next.
func TestReduceWithNothingLeft(t *testing.T) {
	first, second := oneJob(), oneJob()
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: 1, ReduceSlots: 1}, Jobs: append(first.Jobs, second.Jobs...)}
	plan.Jobs[1].Node = "j2"
	s := golden.Start(plan)
	s.At = 20_000
	for j := range plan.Jobs {
		plan.Jobs[j].SetStage(dag.Map, phaseOf(0))
		s.Jobs[j].Submitted, s.Jobs[j].State = dag.Instant(j), dag.Running
	}
	s.Jobs[1].Stages[dag.Reduce].Attempts = []dag.Attempt{{
		State: dag.AttemptRunning, End: dag.NoInstant,
		Done: [3]float64{0, 0, 1000},
	}}
	w := NewReplayContext(runOf(s), plannedCosts, Options{})
	if _, err := w.Path(); err != nil {
		t.Fatal(err)
	}
	if b := w.begins(); b[0].hold != 20_000 || b[1].hold != 20_000 {
		t.Errorf("the reduces begin %+v, want now", b)
	}
}

// Estimators share a world for the same window and anchors, and for no other.
func TestSameRun(t *testing.T) {
	a, b := golden.Start(oneJob()), golden.Start(oneJob())
	run := dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{a}}
	for _, c := range []struct {
		name  string
		other dag.Run
		want  bool
	}{
		{"equal", dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{a}}, true},
		{"another snapshot", dag.Run{Window: []*dag.Snapshot{a, a}, Anchors: []*dag.Snapshot{a}}, false},
		{"another anchor", dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{b}}, false},
		{"a shorter window", dag.Run{Window: []*dag.Snapshot{b}, Anchors: []*dag.Snapshot{a}}, false},
		{"a second anchor", dag.Run{Window: []*dag.Snapshot{a, b}, Anchors: []*dag.Snapshot{a, b}}, false},
	} {
		if got := sameRun(run, c.other); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// An extra segment that is less than the one before leaves nothing, and takes nothing from the sum
// (docs/facts/paratimer.md A10).
func TestExtraSegmentsAreNotNegative(t *testing.T) {
	w := NewReplayContext(runOf(golden.Start(oneJob())), plannedCosts, Options{})
	left := []float64{5000, 1000, 3000}
	path := &pathfrag.Path{
		Fragments: []pathfrag.Fragment{{ID: 0}, {ID: 1}, {ID: 2}},
		Critical: []pathfrag.Segment{
			{Fragment: 0, End: 5000},
			{Fragment: 1, Extra: true, Start: 5000, End: 6000},
			{Fragment: 2, Extra: true, Start: 500, End: 6000},
		},
	}
	track := func(_ *tracking, f *pathfrag.Fragment) float64 { return left[f.ID] }
	// 5000, nothing of 1000 - 5000, and 3000 - 500 that has not started.
	if got := (&tracking{now: w, plan: w, path: path, track: track}).remaining(); got != 7500 {
		t.Errorf("remaining %v, want 7500", got)
	}
}

// The upper bound adds up exact times, a schedule rounded ones; what is shown is never below the standard time.
func TestUpperBoundIsClamped(t *testing.T) {
	plan := oneJob()
	plan.Jobs[0].SetStage(dag.Reduce, phaseOf(2, 1, 0.5, 1, 0.5, 1, 0.5))
	w := NewReplayContext(runOf(golden.Start(plan)), plannedCosts, Options{})
	raw, err := w.skewBounds(false)
	if err != nil {
		t.Fatal(err)
	}
	std, high := answer(t, w, "standard"), answer(t, w, "skew_high")
	if raw.high >= taskcost.MS(*std.Remaining) {
		t.Fatalf("the raw bound %v is not below %v: nothing to clamp", raw.high, *std.Remaining)
	}
	if *high.Remaining != *std.Remaining {
		t.Errorf("skew_high %v, standard %v", *high.Remaining, *std.Remaining)
	}
}

// A task fails three times at most, else the job would; the fourth failure is the next longest task's.
func TestFourFailures(t *testing.T) {
	w := NewReplayContext(runOf(golden.Start(oneJob())), plannedCosts, Options{})
	w.Stage(0, dag.Reduce).stretches[0].Full = 30_000
	w.Stage(0, dag.Reduce).stretches[0].Count = 1
	for k, want := range []float64{0, 30_000, 60_000, 90_000, 100_000, 110_000, 120_000, 130_000} {
		if got := w.worstMS(k); got != want {
			t.Errorf("%d failures: %v, want %v", k, got, want)
		}
	}
}

// The subset looks at four tasks of a round, the thread at one slot's, where all are looked at by standard_static.
func TestTrackersOfUnequalTasks(t *testing.T) {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 8, ReduceSlots: 1},
		Jobs:    []dag.Job{{Node: "j1", Stages: dag.MapReduce(phaseOf(8, 1000, 10), phaseOf(0))}},
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
	w := NewReplayContext(runOf(golden.Start(plan), later), plannedCosts, Options{})
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

// Where two jobs' reduces share slots, Algorithm 1 may say more than the truth (docs/facts/paratimer.md A8, golden case
// g09); what is shown is clamped (docs/facts/paratimer.md P21).
func TestBoundsAreClamped(t *testing.T) {
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: 5, ReduceSlots: 5}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(phaseOf(2, 1000, 8), phaseOf(7, 0, 0, 0, 0, 1000, 20))},
		{Node: "j2", Stages: dag.MapReduce(phaseOf(6, 1000, 10), phaseOf(5, 0, 0, 0, 0, 1000, 2))},
		{Node: "j3", After: []int{0, 1}, Stages: dag.MapReduce(phaseOf(1, 1000, 3), phaseOf(1, 0, 0, 0, 0, 1000, 2))},
	}}
	w := NewReplayContext(runOf(golden.Start(plan)), plannedCosts,
		Options{Path: &pathfrag.Params{Delta1: time.Second / 2, Delta2: time.Second / 2}})
	raw, err := w.skewBounds(false)
	if err != nil {
		t.Fatal(err)
	}
	std, low, high := answer(t, w, "standard"), answer(t, w, "skew_low"), answer(t, w, "skew_high")
	if raw.low <= taskcost.MS(*std.Remaining) {
		t.Fatalf("the raw lower bound %v is not above the standard time %v: nothing to clamp", raw.low, *std.Remaining)
	}
	best := answer(t, w, "best_guess")
	if *low.Remaining != *std.Remaining || *high.Remaining < *std.Remaining || *best.Low > *best.Remaining ||
		*best.High < *best.Remaining {
		t.Errorf("low %v, standard %v, high %v, best guess %v in %v..%v", *low.Remaining, *std.Remaining,
			*high.Remaining, *best.Remaining, *best.Low, *best.High)
	}
}

func answer(t *testing.T, w *ReplayContext, name string) Estimate {
	t.Helper()
	e, err := pick(t, name)[0].Of(w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// docs/facts/paratimer.md P7: delta1 = max(5 % of the median task time, two ticks), delta2 = set-up + a heartbeat;
// given ones are kept.
func TestTolerances(t *testing.T) {
	plan := oneJob()
	plan.Cluster.Setup = time.Second
	start := golden.Start(plan)
	later := *start
	later.At = 2000
	given := pathfrag.Params{Delta1: 7 * time.Second}
	for _, c := range []struct {
		name string
		run  dag.Run
		opt  Options
		want pathfrag.Params
	}{
		{"median", runOf(start), Options{}, pathfrag.Params{Delta1: 550 * time.Millisecond, Delta2: 4 * time.Second}},
		{"ticks", runOf(start, &later), Options{}, pathfrag.Params{Delta1: 4 * time.Second, Delta2: 4 * time.Second}},
		{"given", runOf(start), Options{Path: &given}, given},
		{"given as 0", runOf(start), Options{Path: &pathfrag.Params{}}, pathfrag.Params{}},
	} {
		w := NewReplayContext(c.run, plannedCosts, c.opt)
		s, err := w.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		if got := w.tolerances(s); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A static path that rests on costs that nobody had seen is made anew: it is the standard one.
func TestBlindPlanIsNoPlan(t *testing.T) {
	assumed := toldModel(map[dag.StageIndex]schedule.Origin{dag.Map: schedule.Observed, dag.Reduce: schedule.Assumed})
	plan := oneJob()
	later := golden.Start(plan)
	later.At = 3000
	w := NewReplayContext(runOf(golden.Start(plan), later), assumed, Options{})
	if e := answer(t, w, "standard_static"); e.Path != w.path || *e.Remaining != 40*time.Second {
		t.Errorf("remaining %v, on the standard path: %v", *e.Remaining, e.Path == w.path)
	}
	w = NewReplayContext(w.Run, plannedCosts, Options{})
	if e := answer(t, w, "standard_static"); e.Path == w.path {
		t.Error("a plan of known costs was made anew")
	}
}
