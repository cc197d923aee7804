package estimators_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
)

// TestGolden compares every figure of every instant of the reference program's cases (facts/paratimer.md A10).
func TestGolden(t *testing.T) {
	cases := golden.Load(t)
	g := &goldenRun{fields: map[string]int{}, unknown: map[string]int{}}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { g.check(t, c) })
	}
	all := 0
	for _, f := range slices.Sorted(maps.Keys(g.fields)) {
		t.Logf("%6d %s", g.fields[f], f)
		all += g.fields[f]
	}
	for _, f := range slices.Sorted(maps.Keys(g.unknown)) {
		t.Logf("%6d %s: a field that this test does not support", g.unknown[f], f)
	}
	t.Logf("%d cases, %d figures compared", len(cases), all)
	if all == 0 {
		t.Fatal("nothing was compared")
	}
}

type goldenRun struct{ fields, unknown map[string]int }

func (g *goldenRun) check(t *testing.T, c *golden.Case) {
	// The plan at t = 0, and with it the static path, include no slowdown (facts/paratimer.md A10).
	model := func(run dag.Run) estimators.Costs {
		slow := paper.Slowdown{}
		if started(run.Now()) {
			slow = paper.FixedSlowdown(c.Slowdown)(run)
		}
		return paper.Model(func(dag.Run) paper.Slowdown { return slow })(run)
	}
	run := dag.Run{}.Append(golden.Start(c.Plan))
	w := estimators.NewReplayContext(run, model, estimators.Options{Path: &pathfrag.Params{
		Delta1: c.Delta1,
		Delta2: c.Delta2,
	}})
	if want := c.Initial.WorstSingleTaskMS; want != nil {
		g.fields["initial.worst_single_task_ms"]++
		g.equal(t, "initial.worst_single_task_ms", w.Longest(), *want)
	}
	if want := c.Initial.CriticalPathMS; want != nil {
		g.fields["initial.critical_path_ms"]++
		g.of(t, "initial.critical_path_ms", "standard", w, float64(*want))
	}
	anchors := run.Anchors[:1:1]
	for i := range c.Instants {
		in := &c.Instants[i]
		run = run.Append(in.Snapshot)
		if in.Failure {
			if run.Anchors[len(run.Anchors)-1] != in.Snapshot {
				t.Errorf("t=%d: a failure instant is no anchor of the run", in.At)
			}
			anchors = append(anchors[:1:1], in.Snapshot)
		}
		// Between listed instants a failure may have happened that the reference does not plan at.
		run.Anchors = anchors
		w = w.Next(run)
		g.instant(t, c, in, w)
	}
}

// started reports whether anything has run.
func started(s *dag.Snapshot) bool {
	for i := range s.Jobs {
		if len(s.Jobs[i].Stages[dag.Map].Attempts)+len(s.Jobs[i].Stages[dag.Reduce].Attempts) > 0 {
			return true
		}
	}
	return false
}

func (g *goldenRun) instant(t *testing.T, c *golden.Case, in *golden.Instant, w *estimators.ReplayContext) {
	t.Helper()
	now := float64(in.At)
	lower, _, upper, err := w.SkewBounds()
	if err != nil {
		t.Errorf("t=%d: skew: %v", in.At, err)
	}
	for _, field := range slices.Sorted(maps.Keys(in.Expect)) {
		name := fmt.Sprintf("t=%d %s", in.At, field)
		g.fields[field]++
		want := math.NaN()
		switch v := in.Expect[field].(type) {
		case float64:
			want = v
		case bool: // failure_hold is the only one
			if got := w.Hold(); got != v {
				t.Errorf("t=%d failure_hold = %v, want %v", in.At, got, v)
			}
			continue
		case map[string]any: // task_remaining_ms is the only one
			g.tasks(t, in, v, w)
			continue
		}
		switch field {
		case "std_resim_ms":
			g.of(t, name, "standard", w, want)
		case "std_static_ms":
			g.of(t, name, "standard_static", w, want)
		case "worst_single_task_ms":
			g.equal(t, name, w.Longest(), want)
		case "pessimistic_resim_ms":
			g.of(t, name, "one_failure", w, want)
		case "failure_estimate_resim_ms":
			g.of(t, name, "failure_until_proven", w, want)
		case "skew_upper_ms":
			g.equal(t, name, upper, want)
		case "skew_lower_ms":
			g.equal(t, name, lower, want)
		case "parallax_avg_ms":
			g.of(t, name, "parallax", w, want)
		case "parallax_rounds_ms":
			g.of(t, name, "parallax_rounds", w, want)
		case "pct_std_resim":
			g.percent(t, name, "standard", w, want)
		case "pct_std_static":
			g.percent(t, name, "standard_static", w, want)
		case "pct_actual":
			if c.ActualTotalMS == nil {
				t.Errorf("%s: the case has no actual_total_ms", name)
				continue
			}
			g.equal(t, name, 100*now / *c.ActualTotalMS, want)
		case "pct_pig":
			g.percent(t, name, "pig", w, want)
		case "pct_dne":
			g.percent(t, name, "dne", w, want)
		case "pct_gnm":
			g.percent(t, name, "gnm", w, want)
		case "luo_units_done", "luo_units_total", "luo_units_done_10s_ago":
			g.fields[field]-- // TestGoldenAmounts of package paper
		default:
			g.fields[field]--
			g.unknown["expect."+field]++
		}
	}
	if want := in.Replan.CriticalPathMS; want != nil {
		g.fields["replan.critical_path_ms"]++
		g.of(t, fmt.Sprintf("t=%d replan.critical_path_ms", in.At), "standard", w, float64(*want))
	}
}

// tasks compares rem of each running task: none may be missing, and none may be too much.
func (g *goldenRun) tasks(t *testing.T, in *golden.Instant, left map[string]any, w *estimators.ReplayContext) {
	running := 0
	w.EachStage(func(_ int, _ dag.StageIndex, p *estimators.StageLeft) { running += p.Running })
	if running != len(left) {
		t.Errorf("t=%d: %d tasks run, want %d", in.At, running, len(left))
	}
	tasks := golden.Tasks(w.Now().Plan)
	for _, name := range slices.Sorted(maps.Keys(left)) {
		task, ok := tasks[name]
		if !ok {
			t.Fatalf("%s is not a task of the plan", name)
		}
		g.fields["task_remaining_ms"]++
		g.equal(t, fmt.Sprintf("t=%d rem(%s)", in.At, name), w.Costs.Rem(task.Job, task.Stage, task.Index), left[name].(float64))
	}
}

func (g *goldenRun) of(t *testing.T, name string, scenario string, w *estimators.ReplayContext,
	want float64,
) {
	t.Helper()
	e, err := pick(t, everyScenario(), scenario)[0].Of(w)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if e.Remaining == nil {
		t.Errorf("%s: no estimate, want %v", name, want)
		return
	}
	g.equal(t, name, taskcost.MS(*e.Remaining), want)
}

func (g *goldenRun) percent(t *testing.T, name string, scenario string,
	w *estimators.ReplayContext, want float64,
) {
	t.Helper()
	e, err := pick(t, everyScenario(), scenario)[0].Of(w)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	g.equal(t, name, 100*e.Progress, want)
}

// equal compares integers exactly and other figures to 1e-6, relative.
func (g *goldenRun) equal(t *testing.T, name string, got, want float64) {
	t.Helper()
	tolerance := 1e-6 * math.Abs(want)
	if want == math.Trunc(want) && math.Abs(want) < 1e15 {
		// A sum of floats may miss the integer that it means.
		tolerance = math.Min(tolerance, 1e-3)
	}
	if math.Abs(got-want) <= tolerance || math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	t.Errorf("%s = %v, want %v", name, got, want)
}
