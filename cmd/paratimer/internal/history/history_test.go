package history

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
)

// last is the id of the newest run that is learned from.
func last(l Line) (id string) {
	for i := range l {
		if l[i].Weight > 0 {
			id = l[i].ID
		}
	}
	return id
}

func TestKey(t *testing.T) {
	for name, want := range map[string]string{
		"PigLatin:join.pig": "join.pig", "/deploy/7/etl/join.pig": "join.pig", "join.pig": "join.pig",
		"word count": "word count",
		"":           "", "/": "/", ".": ".", "PigLatin:": "PigLatin:", "a/": "a",
	} {
		if got := Key(name); got != want {
			t.Errorf("Key(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestWeightedMedian(t *testing.T) {
	for _, c := range []struct {
		values, weights []float64
		want            float64
	}{
		{[]float64{3}, []float64{1}, 3},
		{[]float64{3, 1}, []float64{1, 1}, 1},
		{[]float64{3, 1, 2}, []float64{1, 1, 1}, 2},
		{[]float64{1, 2, 30}, []float64{1, 1, 3}, 30},
		{[]float64{1, 2, 30}, []float64{1, 2, 3}, 2},
		{[]float64{1, 2, 30}, []float64{1, 1.9, 3}, 30},
		{[]float64{5, 5, 5, 1}, []float64{1, 1, 1, 1}, 5},
	} {
		if got := weightedMedian(c.values, c.weights); got != c.want {
			t.Errorf("of %v with %v: %v, want %v", c.values, c.weights, got, c.want)
		}
	}
	if !math.IsNaN(weightedMedian(nil, nil)) {
		t.Error("of nothing there is none")
	}
}

func TestOutliers(t *testing.T) {
	minutes := func(m ...float64) (out []time.Duration) {
		for _, v := range m {
			out = append(out, time.Duration(v*float64(time.Minute)))
		}
		return out
	}
	for _, c := range []struct {
		name    string
		lengths []time.Duration
		want    []int
	}{
		{"four are too few", minutes(10, 10, 10, 100), nil},
		{"five are enough", minutes(10, 10, 10, 100, 10), []int{3}},
		{"a short one as well", minutes(10, 10, 0.5, 10, 10), []int{2}},
		{"a third more is none, however alike the others are", minutes(10, 10, 10, 10, 10, 13), nil},
		{"where all differ nothing is far", minutes(5, 20, 8, 14, 30, 10), nil},
		{
			"a change that has just come is not believed", minutes(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 30, 30),
			[]int{10, 11},
		},
		{
			"a change that lasts is the usual", minutes(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 30, 30, 30, 30, 30, 30),
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		},
	} {
		var got []int
		for i, why := range outliers(c.lengths) {
			if why != "" {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v are outliers of %v, want %v", c.name, got, c.lengths, c.want)
		}
	}
	if got := outliers(minutes(10, 10, 10, 100, 10))[3]; got != "outlier: 10 times as long as usual" {
		t.Errorf("got %q", got)
	}
	if got := outliers(minutes(10, 10, 10, 1, 10))[3]; got != "outlier: 0.1 of the usual length" {
		t.Errorf("got %q", got)
	}
}

// plan is a profile of a script: a job for each feature.
func plan(name string, alpha float64, run string, features ...string) *dag.Plan {
	p := &dag.Plan{
		Name: name, Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 4096},
		Residuals: []dag.Residual{{Progress: 0.5, Score: alpha, Run: run}},
	}
	for i, f := range features {
		p.Jobs = append(p.Jobs, dag.Job{
			Node: fmt.Sprint("scope-", i), Feature: f, Alias: fmt.Sprint("a", i),
			Stages: dag.MapReduce(dag.Stage{
				Tasks: 2, Known: true, Pipelines: []dag.Pipeline{{
					Tuples: dag.Each([]float64{100, 200}),
					Alpha:  dag.Uniform(alpha),
				}},
			}, dag.Stage{}),
		})
	}
	return p
}

// ran is a run that succeeded.
func ran(t *testing.T, id string, minutes float64, p *dag.Plan) state.Run {
	t.Helper()
	r := state.Run{
		ID: id, State: "succeeded", StartedAt: time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC),
		TotalSeconds: 60 * minutes, WatchedSeconds: 60 * minutes,
	}
	if p != nil {
		b, _, err := encode(p)
		if err != nil {
			t.Fatal(err)
		}
		r.Profile = b
	}
	return r
}

func failed(id string) state.Run {
	return state.Run{ID: id, State: "failed", TotalSeconds: 1, Excluded: "it failed"}
}

func alpha(p *dag.Plan) float64 { return p.Jobs[0].Stages[dag.Map].Pipelines[0].Alpha.At(0) }

func scores(p *dag.Plan) (out []float64) {
	for _, r := range p.Residuals {
		out = append(out, r.Score)
	}
	return out
}

func TestALineOfRuns(t *testing.T) {
	w := &state.Workflow{Name: "a.pig", Runs: []state.Run{
		ran(t, "1", 10, plan("a.pig", 2, "1", "GROUP_BY")),
		failed("2"),
		ran(t, "3", 100, plan("a.pig", 50, "3", "GROUP_BY")), // an outlier
		ran(t, "4", 12, plan("a.pig", 4, "4", "GROUP_BY")),
		ran(t, "5", 11, nil),
		ran(t, "6", 12, plan("a.pig", 3, "6", "GROUP_BY")),
		{ID: "7", State: "succeeded"},
	}}
	lines := Lines(w, "")
	if len(lines) != 1 || len(lines[0]) != 7 {
		t.Fatalf("%d lines", len(lines))
	}
	line := lines[0]
	whys := map[string]string{}
	for i := range line {
		if line[i].Why != "" {
			whys[line[i].ID] = line[i].Why
		}
		if (line[i].Weight > 0) != (line[i].Why == "") {
			t.Errorf("run %s counts %v, left out because %q", line[i].ID, line[i].Weight, line[i].Why)
		}
	}
	if len(whys) != 3 || whys["2"] != "it failed" || !strings.HasPrefix(whys["3"], "outlier: ") ||
		whys["7"] != "its length is unknown" {
		t.Errorf("left out: %v", whys)
	}
	// The ages of 1, 4, 5 and 6 are 3, 2, 1 and 0: runs that are left out make no other run older.
	for i, want := range map[int]float64{0: 3, 3: 2, 4: 1, 5: 0} {
		if got := line[i].Weight; math.Abs(got-math.Exp2(-want/5)) > 1e-12 {
			t.Errorf("run %s weighs %v, want 2^(-%v/5)", line[i].ID, got, want)
		}
	}
	if usual, n := line.Usual(); usual != 12*time.Minute || n != 4 {
		t.Errorf("usually %v of %d runs, want 12m of 4", usual, n)
	}
	profile, n := line.Profile()
	wa, wb, wc := math.Exp2(-3./5), math.Exp2(-2./5), 1.0
	if n != 3 {
		t.Errorf("a profile of %d runs, want 3: one has none", n)
	}
	if want := (2*wa + 4*wb + 3*wc) / (wa + wb + wc); math.Abs(alpha(profile)-want) > 1e-4 {
		t.Errorf("cost %v, want %v", alpha(profile), want)
	}
	if got := scores(profile); !slices.Equal(got, []float64{2, 50, 4, 3}) {
		t.Errorf("residuals %v: those of outliers belong to them, oldest first", got)
	}
	if last(line) != "6" {
		t.Errorf("the newest is %s", last(line))
	}
}

// TestNotFromTheSameRun: a watcher that returns to a stored run does not use that run's profile.
func TestNotFromTheSameRun(t *testing.T) {
	w := &state.Workflow{Name: "a.pig", Runs: []state.Run{
		ran(t, "1", 10, plan("a.pig", 2, "1", "GROUP_BY")), ran(t, "2", 10, plan("a.pig", 4, "2", "GROUP_BY")),
	}}
	p, n := Lines(w, "2")[0].Profile()
	if n != 1 || alpha(p) != 2 || len(p.Residuals) != 1 {
		t.Errorf("a profile of %d runs with cost %v", n, alpha(p))
	}
	if lines := Lines(&state.Workflow{Runs: w.Runs[1:]}, "2"); len(lines) != 0 {
		t.Error("of itself alone there is no line")
	}
}

// TestTwoScriptsOfOneName checks that scripts of one name are distinguished by their jobs.
func TestTwoScriptsOfOneName(t *testing.T) {
	one := []string{"GROUP_BY", "JOIN", "ORDER_BY"}
	other := []string{"DISTINCT", "COGROUP"}
	w := &state.Workflow{Name: "load.pig", Runs: []state.Run{
		ran(t, "1", 10, plan("/a/load.pig", 2, "1", one...)),
		ran(t, "2", 90, plan("/b/load.pig", 7, "2", other...)),
		ran(t, "3", 10, plan("/a/load.pig", 2, "3", one[0], one[1], "LIMIT")), // edited: two of three jobs are the same
		ran(t, "4", 90, plan("/b/load.pig", 7, "4", other...)),
		failed("5"),
	}}
	lines := Lines(w, "")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2", len(lines))
	}
	for _, c := range []struct {
		features []string
		alpha    float64
		usual    time.Duration
	}{{other, 7, 90 * time.Minute}, {one, 2, 10 * time.Minute}} {
		best := Best(lines, plan("PigLatin:load.pig", 0, "", c.features...))
		p, n := best.Profile()
		if usual, _ := best.Usual(); n != 2 || alpha(p) != c.alpha || usual != c.usual {
			t.Errorf("%v: a profile of %d runs with cost %v, usually %v", c.features, n, alpha(p), usual)
		}
	}
	// While the DAG is not known the newest script is the best guess.
	if best := Best(lines, &dag.Plan{
		Name: "PigLatin:load.pig",
		Jobs: []dag.Job{{Node: "job_1", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}},
	}); last(best) != "4" {
		t.Errorf("without a DAG: that of run %s", last(best))
	}
	if Best(nil, &dag.Plan{}) != nil {
		t.Error("the best of nothing")
	}
}

func TestABrokenProfileCountsForNothing(t *testing.T) {
	r := ran(t, "1", 10, nil)
	r.Profile = []byte(`{"version":1,"jobs":7}`)
	line := Lines(&state.Workflow{Runs: []state.Run{r}}, "")[0]
	if !strings.HasPrefix(line[0].Why, "its profile cannot be read: ") {
		t.Errorf("got %q", line[0].Why)
	}
	if p, n := line.Profile(); p != nil || n != 0 {
		t.Error("there is no profile")
	}
	if usual, n := line.Usual(); usual != 0 || n != 0 {
		t.Error("there is no usual length")
	}
}
