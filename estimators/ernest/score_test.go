package ernest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// jobs are runs of a job that the model is right for, of one that it is not, and of one that cannot be divided.
func jobs() []JobRow {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []JobRow
	add := func(job string, at func(m, s float64) float64, where [][2]float64) {
		for _, r := range measure(at, where, 0.02, random) {
			rows = append(rows, JobRow{job, r})
		}
	}
	var grid [][2]float64
	for _, m := range []float64{1, 2, 4, 8, 16} {
		for _, s := range []float64{0.05, 0.1, 0.2, 0.5, 1} {
			grid = append(grid, [2]float64{m, s})
		}
	}
	add("sort", theta(5, 300, 0.5, 2), grid)
	add("pairs", func(m, s float64) float64 { return 2 + 4000*s*s/m }, grid)
	add("once", theta(5, 300, 0.5, 2), grid[:1])
	return rows
}

func methodOf(t *testing.T, methods []MethodScore, name string) MethodScore {
	t.Helper()
	i := slices.IndexFunc(methods, func(m MethodScore) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no method %s", name)
	}
	return methods[i]
}

func TestScore(t *testing.T) {
	tried, err := Score(jobs(), Split{}, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e := methodOf(t, tried.Jobs[1].Methods, "ernest"); e.Predicted != 10 || e.Mean > 0.05 {
		t.Errorf("pairs, with the term that they need: %+v", e)
	}
	s, err := Score(jobs(), Split{}, FitOptions{Extra: []Term{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Jobs) != 3 || s.Jobs[0].Job != "sort" || s.Jobs[2].Job != "once" {
		t.Fatalf("%d jobs", len(s.Jobs))
	}
	sort, pairs, once := s.Jobs[0], s.Jobs[1], s.Jobs[2]
	if sort.Train != 15 || sort.Test != 10 || once.Err == nil || len(once.Methods) != 0 {
		t.Errorf("%d train, %d are predicted; of one run: %v", sort.Train, sort.Test, once.Err)
	}
	e := methodOf(t, sort.Methods, "ernest")
	if e.Predicted != 10 || e.Mean > 0.1 || e.Median > e.Max || e.Mean > e.Max || !(e.Covered > 0.5) {
		t.Errorf("sort: %+v", e)
	}
	for _, name := range Baselines {
		if b := methodOf(t, sort.Methods, name); !(b.Mean > 2*e.Mean) || b.Predicted != 10 || b.Covered.Known() {
			t.Errorf("%s: %+v, ernest %+v", name, b, e)
		}
	}
	if e := methodOf(t, pairs.Methods, "ernest"); e.Refused < 8 || !(e.Covered == 1 || e.Predicted == 0) {
		t.Errorf("what does not fit is predicted: %+v", e)
	}
	if f := methodOf(t, pairs.Methods, "ernest-forced"); f.Predicted != 10 || f.Refused != 0 || !(f.Mean > 0.2) {
		t.Errorf("forced: %+v", f)
	}
	if all := methodOf(t, s.All, "ernest"); all.Predicted+all.Refused != 20 || all.Refused < 8 {
		t.Errorf("all jobs: %+v", all)
	}
	for i, r := range sort.Runs {
		if len(r.Baselines) != len(Baselines) || i > 0 && r.Row.Scale < sort.Runs[i-1].Row.Scale {
			t.Errorf("run %d: %+v", i, r.Row)
		}
	}
	// With a further term the job of pairs is predicted, too.
	s, err = Score(jobs(), Split{}, FitOptions{Extra: []Term{ScaleSquaredPerMachine}})
	if err != nil {
		t.Fatal(err)
	}
	if e := methodOf(t, s.Jobs[1].Methods, "ernest"); e.Predicted != 10 || e.Mean > 0.1 {
		t.Errorf("pairs with scale^2/machines: %+v", e)
	}
}

// Baselines by hand.
func TestBaselines(t *testing.T) {
	train := []Row{{1, 1, 10, 0}, {2, 1, 6, 0}, {2, 2, 12, 0}}
	got := baselines(single(train), Row{4, 2, 7, 0})
	want := []float64{28.0 / 3, 12, (10 + 12 + 24) / 3.0 / 4, (10 + 6 + 6) / 3.0 * 2, (10 + 12 + 12) / 3.0 * 2 / 4}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("%s: %g, want %g", Baselines[i], got[i], want[i])
		}
	}
	if got := baselines(single([]Row{{1, 1, 10, 0}, {4, 1, 20, 0}, {9, 9, 99, 0}}), Row{2, 1, 0, 0})[1]; got != 15 {
		t.Errorf("two at the same distance: %g", got)
	}
}

func TestSplit(t *testing.T) {
	rows := []Row{{4, 1, 10, 0}, {1, 1, 40, 0}, {2, 3, 50, 0}, {2, 2, 30, 0}, {1, 3, 90, 0}}
	for _, c := range []struct {
		split       Split
		train, test int
		says        string
	}{
		{Split{}, 3, 2, ""}, // scales 1 and 2 of 1, 2, 3
		{Split{Quantile: 0.3}, 2, 3, ""},
		{Split{Quantile: 0.99}, 3, 2, ""},
		{Split{Below: 1.5}, 2, 3, ""},
		{Split{Below: 0.5}, 0, 0, "the smallest has 1"},
		{Split{Below: 3}, 0, 0, "no run of scale above 3"},
		{Split{By: ByMachines}, 4, 1, ""},
		{Split{By: ByWork, Below: 60}, 3, 2, ""}, // 40, 40, 60 of 40, 40, 60, 90, 100
	} {
		train, test, _, err := c.split.divide(rows)
		if len(train) != c.train || len(test) != c.test || (err == nil) != (c.says == "") || err != nil &&
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %d train, %d are predicted, %v", c.split, len(train), len(test), err)
		}
		for _, a := range train {
			for _, b := range test {
				if of := splits[c.split.By].of; of(a) >= of(b) {
					t.Errorf("%+v: %v trains, %v is predicted", c.split, a, b)
				}
			}
		}
	}
	same := []Row{{1, 1, 10, 0}, {2, 1, 5, 0}, {4, 1, 3, 0}, {8, 1, 2, 0}}
	if train, test, warnings, err := (Split{}).divide(same); len(train) != 2 || len(test) != 2 ||
		!slices.Equal(codes(warnings), []string{"split_by_machines"}) || err != nil {
		t.Errorf("one scale: %v, %v, %v, %v", train, test, warnings, err)
	}
	for _, s := range []Split{{By: 9}, {Below: -1}, {Below: math.NaN()}, {Quantile: 1}, {Quantile: -1}} {
		if _, err := Score(jobs(), s, FitOptions{}); err == nil {
			t.Errorf("%+v is scored", s)
		}
	}
	if _, err := Score(nil, Split{}, FitOptions{}); err == nil {
		t.Error("nothing is scored")
	}
	if _, err := Score([]JobRow{{"a", Row{1, 1, -1, 0}}}, Split{}, FitOptions{}); err == nil {
		t.Error("a time below 0 is scored")
	}
}
