package ernest

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"gonum.org/v1/gonum/mat"
)

func theRows() []Row { return measure(theta(3, 120, 0.05, 0.8), designs[3].at, 0, nil) }

func must(t *testing.T, rows []Row, o FitOptions) *Model {
	t.Helper()
	m, err := Fit(rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func codes(warnings []dag.Warning) []string {
	var c []string
	for _, w := range warnings {
		c = append(c, w.Code)
	}
	return c
}

func TestFitRefusesRows(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		bad    Row
		column string
	}{
		{Row{0, 1, 1, 0}, "machines"},
		{Row{-4, 1, 1, 0}, "machines"},
		{Row{0.5, 1, 1, 0}, "machines"},
		{Row{nan, 1, 1, 0}, "machines"},
		{Row{inf, 1, 1, 0}, "machines"},
		{Row{1, 0, 1, 0}, "scale"},
		{Row{1, -1, 1, 0}, "scale"},
		{Row{1, nan, 1, 0}, "scale"},
		{Row{1, inf, 1, 0}, "scale"},
		{Row{1e19, 1, 1, 0}, "machines"},
		{Row{1, 1e31, 1, 0}, "scale"},
		{Row{1, 1e-31, 1, 0}, "scale"},
		{Row{1, 1, 1e19, 0}, "seconds"},
		{Row{1, 1, nan, 0}, "seconds"},
		{Row{1, 1, -inf, 0}, "seconds"},
	} {
		rows := append(theRows(), c.bad)
		_, err := Fit(rows, FitOptions{})
		var bad *InputError
		if !errors.As(err, &bad) || bad.Row != len(rows) || !strings.HasPrefix(bad.Field, c.column) ||
			!strings.Contains(err.Error(), "row 13: "+c.column) {
			t.Errorf("%v: %v", c.bad, err)
		}
	}
	if _, err := Fit(nil, FitOptions{}); err == nil {
		t.Error("no rows are fitted")
	}
	if _, err := Fit(make([]Row, MaxRows+1), FitOptions{}); err == nil {
		t.Error("too many rows are fitted")
	}
}

func TestFitRefusesTerms(t *testing.T) {
	for _, terms := range [][]Term{{One, One}, {200}, {One, ScaleLogPerMachine}} {
		var bad *InputError
		if _, err := Fit(theRows(), FitOptions{Terms: terms}); !errors.As(err, &bad) {
			t.Errorf("%v: %v", terms, err)
		}
	}
	for _, term := range AllTerms() {
		if got, err := ParseTerm(" " + strings.ToUpper(term.String())); err != nil || got != term {
			t.Errorf("%v is read as %v, %v", term, got, err)
		}
	}
	if _, err := ParseTerm("scale^3"); err == nil || !strings.Contains(err.Error(), "scale^2/machines") {
		t.Errorf("scale^3: %v", err)
	}
}

// Terms that the rows cannot separate are named, with the runs that would.
func TestUndetermined(t *testing.T) {
	fixed := must(t, measure(theta(3, 120, 0.05, 0.8), [][2]float64{
		{4, .1},
		{4, .2},
		{4, .3},
		{4, .4},
		{4, .5},
		{4, .6},
	}, 0, nil), FitOptions{})
	if !slices.Contains(codes(fixed.Warnings), "collinear") ||
		!strings.Contains(fixed.Warnings[0].Text, "1, machines, log(machines)") ||
		!strings.Contains(fixed.Warnings[0].Text, "all have 4") {
		t.Errorf("one number of machines: %v", fixed.Warnings)
	}
	if p := fixed.Predict(Point{4, 1, 0}); p.Refused != nil ||
		math.Abs(p.Seconds-theta(3, 120, 0.05, 0.8)(4, 1)) > 1e-6 {
		t.Errorf("what the rows determine: %+v", p)
	}
	if p := fixed.Predict(Point{8, 1, 0}); p.Refused == nil || p.Refused.Code != "not_determined" {
		t.Errorf("what they do not determine: %+v", p)
	}
	alone := must(t, measure(theta(3, 120, 0.05, 0.8), [][2]float64{{1, .1}, {1, .2}, {1, .3}}, 0, nil), FitOptions{})
	if c := codes(alone.Warnings); !slices.Contains(c, "under_determined") || !slices.Contains(c, "collinear") {
		t.Errorf("one machine: %v", alone.Warnings)
	}
	r := theRows()
	few := must(t, []Row{r[0], r[4], r[8]}, FitOptions{})
	if c := codes(few.Warnings); !slices.Contains(c, "under_determined") || !math.IsInf(few.Condition, 1) {
		t.Errorf("three rows: %v, condition %v", few.Warnings, few.Condition)
	}
	// Rows that cannot check the model may check a simpler one, which shows how wide the range is.
	four := must(t, []Row{r[0], r[4], r[8], r[11]}, FitOptions{})
	if p := four.Predict(Point{8, 0.4, 0}); p.Refused != nil || p.Next == nil ||
		!(p.High > 1.2*p.Low) {
		t.Errorf("as many rows as terms: %+v", p)
	}
	for _, rows := range [][]Row{{r[0]}, {r[0], r[0]}} {
		if alone := must(t, rows, FitOptions{}); alone.Doubt == nil || alone.Doubt.Code != "unchecked" {
			t.Errorf("one configuration: %v", alone.Doubt)
		}
	}
	line := measure(func(m, s float64) float64 { return 5 + 300*s/m }, [][2]float64{{1, 1}, {2, 1}, {4, 1}, {8, 1}},
		0.03, rand.New(rand.NewPCG(1, 17)))
	part := must(t, line, FitOptions{})
	if p := part.Predict(Point{16, 1, 0}); part.Doubt != nil ||
		part.LOO > 0.2 || p.Refused != nil || !(p.High > p.Seconds) ||
		math.Abs(p.Seconds/23.75-1) > 0.2 {
		t.Errorf("as many rows as terms, of which two are there: %v, leave-one-out %v, %+v", part.Doubt, part.LOO,
			p)
	}
}

// Times and scales that cannot be what the columns are called are doubted by their magnitude.
func TestUnits(t *testing.T) {
	change := func(by func(*Row)) []string {
		rows := theRows()
		for i := range rows {
			by(&rows[i])
		}
		return codes(must(t, rows, FitOptions{}).Warnings)
	}
	for _, c := range []struct {
		name string
		by   func(*Row)
		want []string
	}{
		{"seconds", func(*Row) {}, nil},
		{"milliseconds", func(r *Row) { r.Seconds = math.Round(1000 * r.Seconds) }, []string{"seconds_large"}},
		{"microseconds", func(r *Row) { r.Seconds *= 1e6 }, []string{"seconds_large"}},
		{"bytes", func(r *Row) { r.Scale *= 1e12 }, nil},
		{"negative", func(r *Row) { r.Seconds -= 10 }, []string{"seconds_not_positive"}},
	} {
		if got := change(c.by); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A term is let in only where it lowers the leave-one-out error, and a warning reports it.
func TestExtraTerms(t *testing.T) {
	root := func(m, s float64) float64 { return 2 + 100*s/m + 50*math.Sqrt(s) }
	square := func(m, s float64) float64 { return 2 + 100*s/m + 300*s*s/m }
	// Sizes, not fractions: thousands of records.
	projected := func(m, s float64) float64 { return 2 + 0.01*s*math.Log(s)*math.Log(s)/m }
	sizes := slices.Clone(designs[3].at)
	for i := range sizes {
		sizes[i][1] *= 1e5
	}
	for _, c := range []struct {
		name string
		at   func(m, s float64) float64
		on   [][2]float64
		want []Term
	}{
		{"none", theta(3, 120, 0.05, 0.8), designs[3].at, nil},
		{"root", root, designs[3].at, []Term{SqrtScale}},
		{"square", square, designs[3].at, []Term{ScaleSquaredPerMachine}},
		{"projection", projected, sizes, []Term{ScaleLogSquaredPerMachine}},
	} {
		extra := AllTerms()[4:]
		m := must(t, measure(c.at, c.on, 0.01, rand.New(rand.NewPCG(1, 2))), FitOptions{Extra: extra})
		if !slices.Equal(m.Terms[4:], c.want) {
			t.Errorf("%s: %v in the model, want %v; %v", c.name, m.Terms[4:], c.want, m.Warnings)
		}
		if slices.Contains(codes(m.Warnings), "extra_term") != (c.want != nil) {
			t.Errorf("%s: %v", c.name, m.Warnings)
		}
		if c.on[0][1] < 1 && !slices.Contains(codes(m.Warnings), "extra_term_impossible") {
			t.Errorf("%s: the logarithm of a fraction is not warned of: %v", c.name, m.Warnings)
		}
		if err := m.Doubt; err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		at := Point{8, c.on[2][1] * 2.5, 0}
		if got, want := m.Predict(at).Seconds, c.at(8, at.Scale); math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: predicts %g, is %g", c.name, got, want)
		}
	}
}

// The same rows give the same model, to the bit; rows are not kept by reference.
func TestDeterministic(t *testing.T) {
	rows := measure(theta(3, 120, 0.05, 0.8), designs[0].at, 0.1, rand.New(rand.NewPCG(3, 4)))
	o := FitOptions{Extra: AllTerms()}
	a, b := must(t, rows, o), must(t, slices.Clone(rows), o)
	if !reflect.DeepEqual(a.Predict(Point{20, 1, 0}), b.Predict(Point{20, 1, 0})) ||
		!reflect.DeepEqual(a.Warnings, b.Warnings) {
		t.Error("the same rows give two models")
	}
	before := a.Predict(Point{20, 1, 0})
	rows[0].Seconds = 1e6
	if !reflect.DeepEqual(before, a.Predict(Point{20, 1, 0})) {
		t.Error("the model changes with the caller's rows")
	}
}

func TestPredictRefuses(t *testing.T) {
	m := must(t, theRows(), FitOptions{})
	flat := must(t, measure(func(m, _ float64) float64 { return 5 + m }, designs[3].at, 0, nil), FitOptions{})
	for _, c := range []struct {
		m               *Model
		machines, scale float64
		code            string
	}{
		{m, 0, 1, "impossible"},
		{m, math.NaN(), 1, "impossible"},
		{m, 4, -1, "impossible"},
		{m, 4, math.Inf(1), "impossible"},
		{m, 8, 1e9, "too_far"},
		{m, 8, 1e-9, "too_far"},
		{m, 8 * 17, 1, "too_far"},
		{flat, 4, 1, "scale_without_effect"},
	} {
		p := c.m.Predict(Point{c.machines, c.scale, 0})
		if p.Refused == nil || p.Refused.Code != c.code || p.Refused.Text == "" {
			t.Errorf("%g machines, scale %g: %v, want %s", c.machines, c.scale, p.Refused, c.code)
		}
		if c.code == "impossible" != math.IsNaN(p.Seconds) {
			t.Errorf("%g machines, scale %g: %v s", c.machines, c.scale, p.Seconds)
		}
	}
	if p := m.Predict(Point{8 * 16, 1, 0}); p.Refused != nil || !slices.Contains(codes(p.Warnings), "far") {
		t.Errorf("as far as it goes: %v, %v", p.Refused, p.Warnings)
	}
	p := m.Predict(Point{1, 3.2, 0})
	if p.Extrapolation != (Extrapolation{Machines: 1, Scale: 8, PerMachine: 8, Distance: 3}) ||
		!slices.Contains(codes(p.Warnings), "more_per_machine") {
		t.Errorf("eight times the scale: %+v, %v", p.Extrapolation, p.Warnings)
	}
}

// A law of the base terms takes in others only as often as chance has it: hardly ever.
func TestExtraTermsByChance(t *testing.T) {
	for _, noise := range []float64{0, 0.001, 0.1} {
		taken := 0
		for seed := range uint64(10) {
			rows := measure(theta(3, 120, 0.05, 0.8), designs[3].at, noise, rand.New(rand.NewPCG(seed, 3)))
			taken += len(must(t, rows, FitOptions{Extra: []Term{SqrtScale, ScaleSquaredPerMachine, Scale}}).Terms) - 4
		}
		t.Logf("noise %g%%: %d terms taken in ten fits", 100*noise, taken)
		if taken > 0 {
			t.Errorf("noise %g: %d terms taken in ten fits", noise, taken)
		}
	}
	// What a term would gain is too little to have it.
	rows := measure(func(m, s float64) float64 { return theta(3, 120, 0.05, 0.8)(m, s) + 0.02*math.Sqrt(s) },
		designs[3].at, 0, nil)
	if m := must(t, rows, FitOptions{Extra: []Term{SqrtScale}}); len(m.Terms) != 4 {
		t.Errorf("leave-one-out error %g: %v", m.LOO, m.Warnings)
	}
}

// leaveOutNaive makes a model of all other rows for each configuration.
func leaveOutNaive(m *Model, each int) []float64 {
	left := make([]float64, len(m.Rows))
	for i, row := range m.Rows {
		var data, seconds []float64
		for j, other := range m.Rows {
			if m.group[j]/each != m.group[i]/each {
				data = append(data, features(m.Terms, other.Machines, other.Scale)...)
				seconds = append(seconds, other.Seconds)
			}
		}
		x, _, err := solveNonnegative(mat.NewDense(len(seconds), len(m.Terms), data), seconds)
		if err != nil {
			panic(err)
		}
		left[i] = dot(features(m.Terms, row.Machines, row.Scale), x)
	}
	return left
}

// Leaving out weighted means is leaving out rows; runs of one configuration go together.
func TestLeaveOut(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var where [][2]float64
	for range 90 {
		where = append(where, [2]float64{float64(1 + random.IntN(6)), float64(1+random.IntN(5)) / 8})
	}
	rows := measure(theta(3, 120, 0.05, 0.8), where, 0.3, random)
	m := must(t, rows, FitOptions{})
	groups := len(m.all)
	if groups >= len(rows) || groups < 20 {
		t.Fatalf("%d configurations of %d rows", groups, len(rows))
	}
	for _, folds := range []int{3, 10, maxFolds} {
		got, want := m.leaveOut(m.features(m.Terms), folds), leaveOutNaive(m, (groups+folds-1)/folds)
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 1e-9*want[i]) {
				t.Fatalf("%d folds, row %d: %.12g, naively %.12g", folds, i+1, got[i], want[i])
			}
		}
	}
	// A run without a second one like it.
	alone := must(t, append(theRows(), Row{64, 0.4, 500, 0}), FitOptions{})
	if twice := must(t, append(theRows(), Row{64, 0.4, 500, 0}, Row{64, 0.4, 500, 0}), FitOptions{}); math.Abs(
		twice.Left[12]-alone.Left[12]) > 1e-9 {
		t.Errorf("left out alone %g, left out with its twin %g", alone.Left[12], twice.Left[12])
	}
}

func TestMeanError(t *testing.T) {
	m := &Model{Rows: []Row{{Seconds: 2}, {Seconds: 5}, {Seconds: 2}, {Seconds: 0}}}
	if mean, n := m.meanError([]float64{1, math.NaN(), 3, 1}); mean != 0.5 || n != 2 {
		t.Errorf("%g of %d", mean, n)
	}
	m.Rows = m.Rows[:1]
	if mean, n := m.meanError([]float64{math.NaN()}); !math.IsNaN(mean) || n != 0 {
		t.Errorf("%g of %d", mean, n)
	}
}
