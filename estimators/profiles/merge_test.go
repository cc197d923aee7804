package profiles

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/dag"
)

// oneJob is a profile of one job with this cost of a record, in milliseconds.
func oneJob(alpha float64, maps int, launch time.Duration, run string) *dag.Plan {
	return &dag.Plan{
		Name: "a.pig", Overheads: dag.Overheads{Launch: launch},
		Residuals: []dag.Residual{{Progress: 0.5, Score: alpha, Run: run}},
		Jobs: []dag.Job{{
			Node: "j1", Feature: "GROUP_BY",
			Stages: dag.MapReduce(dag.Stage{
				Tasks: maps, Known: true,
				Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(100), Alpha: dag.Uniform(alpha)}},
			}, dag.Stage{}),
		}},
	}
}

func TestMergeWeighsOldRunsDown(t *testing.T) {
	runs := []*dag.Plan{oneJob(8, 1, 4*time.Second, "1"), oneJob(2, 2, 0, "2"), oneJob(5, 3, time.Second, "3")}
	for _, c := range []struct {
		name    string
		weights []float64
		alpha   float64
		launch  time.Duration
	}{
		{"all alike", nil, 5, 2500 * time.Millisecond},
		{"the newest counts most", []float64{0.25, 0.5, 1}, (2 + 1 + 5) / 1.75, 1600 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Merge(runs, c.weights)
			if !ok {
				t.Fatal("they do not fit")
			}
			if a := got.Jobs[0].Stages[dag.Map].Pipelines[0].Alpha.At(0); math.Abs(a-c.alpha) > 1e-5 {
				t.Errorf("alpha %v, want %v", a, c.alpha)
			}
			if got.Overheads.Launch != c.launch {
				t.Errorf("launch %v, want %v: a run without it has no weight", got.Overheads.Launch,
					c.launch)
			}
			if n := got.Jobs[0].Stages[dag.Map].Tasks; n != 3 {
				t.Errorf("%d maps, want the newest run's 3", n)
			}
			want := []dag.Residual{
				{Progress: 0.5, Score: 8, Run: "1"},
				{Progress: 0.5, Score: 2, Run: "2"},
				{Progress: 0.5, Score: 5, Run: "3"},
			}
			if diff := cmp.Diff(want, got.Residuals); diff != "" {
				t.Errorf("residuals, oldest first (-want +got):\n%s", diff)
			}
		})
	}
	if len(runs[2].Residuals) != 1 || runs[2].Jobs[0].Stages[dag.Map].Pipelines[0].Alpha.At(0) != 5 {
		t.Error("a run was changed")
	}
}

func TestMergeOfDifferentScripts(t *testing.T) {
	other := oneJob(1, 1, 0, "")
	other.Name, other.Jobs[0].Node, other.Jobs[0].Feature = "b.pig", "x", "JOIN"
	if _, ok := Merge([]*dag.Plan{other, oneJob(1, 1, 0, "")}, nil); ok {
		t.Error("two scripts became one profile")
	}
}

func TestWeightsHalveEachFiveRuns(t *testing.T) {
	w := Weights(11)
	if w[10] != 1 || w[5] != 0.5 || w[0] != 0.25 {
		t.Errorf("weights %v, want 1/4 … 1/2 … 1", w)
	}
	if len(Weights(0)) != 0 {
		t.Error("no run has a weight")
	}
}

func TestFits(t *testing.T) {
	two := func(first, second string) *dag.Plan {
		return &dag.Plan{
			Name: "a.pig",
			Jobs: []dag.Job{
				{Node: "j1", Feature: first, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
				{Node: "j2", Feature: second, After: []int{0}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
			},
		}
	}
	for _, c := range []struct {
		run, profile *dag.Plan
		jobs         int
		script       bool
	}{
		{two("GROUP_BY", "JOIN"), two("GROUP_BY", "JOIN"), 2, true},
		{two("GROUP_BY", "JOIN"), two("GROUP_BY", "ORDER"), 1, false},
		{two("DISTINCT", "JOIN"), two("GROUP_BY", "ORDER"), 0, false},
	} {
		if jobs, script := Fits(c.run, c.profile); jobs != c.jobs || script != c.script {
			t.Errorf("Fits(%s+%s, %s+%s) = %d, %v, want %d, %v", c.run.Jobs[0].Feature, c.run.Jobs[1].Feature,
				c.profile.Jobs[0].Feature, c.profile.Jobs[1].Feature, jobs, script, c.jobs, c.script)
		}
	}
}

func TestSummaryKeepsTotals(t *testing.T) {
	p := oneJob(5, 3, time.Second, "1")
	p.Jobs[0].Stages[dag.Map].Pipelines[0] = dag.Pipeline{
		Tuples: dag.Each([]float64{100, 300, math.NaN()}),
		Alpha:  dag.Each([]float64{1, 5, 7}),
	}
	p.Jobs[0].Stages[dag.Map].Extent = dag.Each([]float64{10, 20, 30})
	p.Jobs[0].SetStage(dag.Reduce, dag.Stage{Tasks: 2, Known: true, Bytes: dag.Each([]float64{1, 2})})
	got, short := Summary(p, 2)
	if !short {
		t.Fatal("three values are more than two")
	}
	m := got.Jobs[0].Stages[dag.Map]
	if a := m.Pipelines[0]; a.Tuples.At(2) != 200 || a.Alpha.At(2) != 4 || m.Extent.At(0) != 20 || m.Tasks != 3 {
		t.Errorf("%+v, want 200 records at (100·1+300·5)/400 = 4 ms", m)
	}
	if got.Jobs[0].Stages[dag.Reduce].Bytes.IsUniform() {
		t.Error("a phase of two tasks needs no summary")
	}
	if p.Jobs[0].Stages[dag.Map].Extent.IsUniform() || len(got.Residuals) != 1 || got.Overheads != p.Overheads {
		t.Error("the profile was changed, or more than values is lost")
	}
	if _, short := Summary(p, 3); short {
		t.Error("three values are no more than three")
	}
}

func TestMergeTakesTheNewestGroups(t *testing.T) {
	with := func(tasks int, note string) *dag.Plan {
		p := oneJob(1, 1, 0, "")
		p.Jobs[0].SetStage(dag.Reduce, dag.Stage{Known: true, Tasks: tasks})
		if note != "" {
			p.Jobs[0].Stages[dag.Reduce].Groups = &dag.Groups{
				Note:    note,
				Reduces: slices.Repeat([]dag.ReduceGroups{dag.NoReduceGroups()}, tasks),
			}
		}
		return p
	}
	for _, c := range []struct {
		runs []*dag.Plan
		want string
	}{
		{[]*dag.Plan{with(2, "old"), with(2, "new")}, "new"},
		{[]*dag.Plan{with(2, "old"), with(2, "")}, "old"},
		{[]*dag.Plan{with(3, "old"), with(2, "")}, ""},
		{[]*dag.Plan{with(2, ""), with(2, "")}, ""},
	} {
		merged, ok := Merge(c.runs, nil)
		got := ""
		if g := merged.Jobs[0].Stages[dag.Reduce].Groups; g != nil {
			got = g.Note
		}
		if !ok || got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if c.want == "old" && c.runs[1].Jobs[0].Stages[dag.Reduce].Groups != nil {
			t.Error("a run was changed")
		}
	}
}
