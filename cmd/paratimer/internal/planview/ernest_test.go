package planview

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

var rows = []ernest.Row{
	{Machines: 1, Scale: 0.0625, Seconds: 42.1},
	{Machines: 1, Scale: 0.125, Seconds: 78.8},
	{Machines: 2, Scale: 0.0625, Seconds: 24.4},
	{Machines: 2, Scale: 0.125, Seconds: 42.7},
	{Machines: 4, Scale: 0.125, Seconds: 25.2},
	{Machines: 4, Scale: 0.25, Seconds: 43.1},
	{Machines: 8, Scale: 0.25, Seconds: 25.6},
}

func modelOf(t *testing.T, rows []ernest.Row) *ernest.Model {
	t.Helper()
	m, err := ernest.Fit(rows, ernest.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// object writes JSON and reads it.
func object(t *testing.T, v any) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(documentJSON(t, v)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRefused: a number that the model does not stand for is null, unless forced; its range does not leak into a
// warning.
func TestRefused(t *testing.T) {
	one := []ernest.Row{
		{Machines: 4, Scale: 0.1, Seconds: 10},
		{Machines: 4, Scale: 0.2, Seconds: 20.5},
		{Machines: 4, Scale: 0.4, Seconds: 40},
		{Machines: 4, Scale: 0.5, Seconds: 51},
	}
	m := modelOf(t, one)
	for _, force := range []bool{false, true} {
		f := Predict("f", m, []ernest.Point{{Machines: 4, Scale: 0.5}, {Machines: 64, Scale: 0.5}}, nil, force)
		out := object(t, f)
		all, _ := out["predictions"].([]any)
		inside, _ := all[0].(map[string]any)
		beyond, _ := all[1].(map[string]any)
		if inside["seconds"] == nil || inside["refused"] != nil || beyond["refused"] == nil {
			t.Errorf("force %v: %v", force, all)
		}
		if beyond["seconds"] != nil && !force {
			t.Errorf("refused, yet %v", beyond)
		}
		warned := false
		for _, w := range out["warnings"].([]any) {
			warned = warned || w.(map[string]any)["code"] == "not_determined"
		}
		if !warned {
			t.Errorf("no warning has the reason: %v", out["warnings"])
		}
		if text := documentText(t, f); strings.Contains(text, "  refused") == force ||
			!strings.Contains(text, "\nrefused: 64 machines") && !strings.Contains(text, "\nrefused: the rows") {
			t.Errorf("force %v:\n%s", force, text)
		}
	}
}

// TestUnknownIsNull: JSON has no NaN.
func TestUnknownIsNull(t *testing.T) {
	few := []ernest.Row{{Machines: 1, Scale: 1, Seconds: 10}}
	f := Predict("f", modelOf(t, few), []ernest.Point{{Machines: 64, Scale: 1}}, nil, true)
	out := object(t, f)
	if v, there := out["loo_mean_ratio"]; !there || v != nil {
		t.Errorf("leave-one-out error of one row: %v", v)
	}
	inf := units.Float(math.Inf(1))
	d := Design{
		Plan:   &ernest.Plan{Rows: []ernest.DesignRow{}, Objective: inf, Gap: unknown},
		Greedy: &ernest.Plan{Objective: inf},
	}
	if out := object(t, &d); out["objective"] != nil || out["gap"] != nil || out["rows"] == nil {
		t.Errorf("%v", out)
	}
	if text := documentText(t, &d); !strings.Contains(text, "would not determine the model") {
		t.Error(text)
	}
}

// TestRemarks: a remark on all points is printed once, one on a single point has its name, equal ones are counted.
func TestRemarks(t *testing.T) {
	all := map[float64][]dag.Warning{
		1: {{Code: "a", Text: "1"}, {Code: "b", Text: "x"}},
		2: {{Code: "a", Text: "2"}, {Code: "b", Text: "x"}},
		3: {{Code: "a", Text: "3"}, {Code: "b", Text: "x"}, {Code: "c", Text: "y"}},
	}
	f := &Fitted{}
	for machines := range all {
		f.Predictions = append(f.Predictions, Prediction{Point: ernest.Point{Machines: machines, Scale: 1}})
	}
	slices.SortFunc(f.Predictions, func(a, b Prediction) int { return cmp.Compare(a.Machines, b.Machines) })
	got := f.remarks(func(p *Prediction) []dag.Warning { return all[p.Machines] })
	want := []string{"1 machines, scale 1: 1 (and 2 more like this)", "x", "3 machines, scale 1: y"}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i].Text != want[i] {
			t.Errorf("%q, want %q", got[i].Text, want[i])
		}
	}
}

func choiceOf(t *testing.T, name string, want ernest.Want) *Choice {
	t.Helper()
	m := modelOf(t, rows)
	v := &Choice{Want: want}
	var err error
	if v.Choices, err = ernest.Choose([]ernest.Offer{{
		Name: name, Model: m, PricePerMachineHour: 1, MaxMachines: 24,
	}}, want); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestNoChoice: if nothing meets the requirements, no machines come first.
func TestNoChoice(t *testing.T) {
	v := choiceOf(t, "small", ernest.Want{Scale: 0.5, Deadline: 1})
	if out := object(t, v); out["best"] != nil || len(out["choices"].([]any)) != 24 {
		t.Errorf("%v", out["best"])
	}
	if text := documentText(t, v); !strings.HasPrefix(text, "cheapest within 1s for scale 0.5: nothing\n") {
		t.Error(text)
	}
}

// TestNextBest: a refused number has that of the next best method beside it, with its error.
func TestNextBest(t *testing.T) {
	var bent []ernest.Row
	for _, m := range []float64{1, 2, 4, 8, 16} {
		bent = append(bent, ernest.Row{Machines: m, Scale: 1, Seconds: 2 + 300/math.Pow(m, 1.6)})
	}
	f := Predict("f", modelOf(t, bent), []ernest.Point{{Machines: 64, Scale: 1}}, nil, false)
	out := object(t, f)
	p := out["predictions"].([]any)[0].(map[string]any)
	next, ok := p["next_best"].(map[string]any)
	if p["refused"] == nil || p["seconds"] != nil || !ok || next["seconds"] == nil || next["loo_mean_ratio"] == nil ||
		p["risk_ratio"] == nil {
		t.Errorf("%v", p)
	}
	if text := documentText(t, f); !strings.Contains(text, "\nnext best: power law says ") {
		t.Error(text)
	}
}
