package nearestfit

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/sketch"
)

// TestGolden compares every figure of the reference program's cases (facts/nearestfit.md B4). The fields of a
// case, not its file's name, say what it tests.
func TestGolden(t *testing.T) {
	g := &goldenRun{fields: map[string]int{}}
	files, err := filepath.Glob(fixtures.Golden("nf*.json"))
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, f := range files {
		for _, raw := range goldenCases(t, f) {
			cases++
			t.Run(filepath.Base(f), func(t *testing.T) { g.check(t, raw) })
		}
	}
	all := 0
	for _, f := range slices.Sorted(maps.Keys(g.fields)) {
		t.Logf("%6d %s", g.fields[f], f)
		all += g.fields[f]
	}
	t.Logf("%d files, %d cases, %d figures compared; fits are off by at most %.1g, all else by %.1g", len(files), cases,
		all, g.worstFit, g.worst)
	if all == 0 {
		t.Fatal("nothing was compared")
	}
}

// goldenCases are the cases of a file: one, or a list.
func goldenCases(t *testing.T, file string) []json.RawMessage {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		list = []json.RawMessage{b}
	}
	return list
}

type goldenRun struct {
	fields          map[string]int
	worst, worstFit float64
}

func (g *goldenRun) check(t *testing.T, raw json.RawMessage) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool { _, ok := fields[name]; return ok }
	switch {
	case has("capacity"):
		g.spaceSaving(t, raw)
	case has("records_size_seconds"):
		g.smoothing(t, raw)
	case has("points_size_seconds_count"):
		g.fit(t, raw)
	case has("map_profiles"):
		g.endToEnd(t, raw)
	default:
		t.Fatalf("a case of no known kind, with the fields %v", slices.Sorted(maps.Keys(fields)))
	}
}

// equal compares to 1e-6, relatively.
func (g *goldenRun) equal(t *testing.T, field string, got, want float64) {
	t.Helper()
	g.fields[field]++
	g.worst = max(g.worst, compare(t, field, got, want, 1e-6))
}

// fitted compares what a fit says to 1e-4, relatively.
func (g *goldenRun) fitted(t *testing.T, field string, got, want float64) {
	t.Helper()
	g.fields[field]++
	g.worstFit = max(g.worstFit, compare(t, field, got, want, 1e-4))
}

func compare(t *testing.T, field string, got, want, tolerance float64) float64 {
	t.Helper()
	off := 0.0
	switch {
	case math.IsNaN(want) && math.IsNaN(got):
	case math.IsNaN(want) || math.IsNaN(got):
		off = math.Inf(1)
	case want != got:
		off = math.Abs(got-want) / max(math.Abs(want), 1e-9)
	}
	if off > tolerance {
		t.Errorf("%s is %v, want %v", field, got, want)
	}
	return off
}

func (g *goldenRun) spaceSaving(t *testing.T, raw json.RawMessage) {
	var c struct {
		Capacity int      `json:"capacity"`
		Stream   [][2]any `json:"stream"`
		Result   [][3]any `json:"result"`
	}
	decode(t, raw, &c)
	s := sketch.New[string](c.Capacity)
	for _, r := range c.Stream {
		s.Add(r[0].(string), r[1].(float64))
	}
	got := slices.Collect(s.All())
	slices.SortStableFunc(got, func(a, b sketch.Entry[string]) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	if len(got) != len(c.Result) {
		t.Fatalf("%d entries, want %d", len(got), len(c.Result))
	}
	for i, want := range c.Result {
		g.fields["space saving"]++
		if got[i].Key != want[0] || got[i].Count != want[1] || got[i].Err != want[2] {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
}

func (g *goldenRun) smoothing(t *testing.T, raw json.RawMessage) {
	var c struct {
		Tolerance float64      `json:"tolerance_s"`
		Records   [][2]float64 `json:"records_size_seconds"`
		Points    [][3]float64 `json:"points_size_mean_count"`
	}
	decode(t, raw, &c)
	p := newProfile(c.Tolerance, maxTaskPoints)
	for _, r := range c.Records {
		p.add(r[0], r[1], 1, 0)
	}
	got := p.list()
	if len(got) != len(c.Points) {
		t.Fatalf("%d points, want %d", len(got), len(c.Points))
	}
	for i, want := range c.Points {
		g.equal(t, "smoothing size", got[i].Size, want[0])
		g.equal(t, "smoothing mean", got[i].Mean, want[1])
		g.equal(t, "smoothing count", got[i].Count, want[2])
	}
}

func (g *goldenRun) fit(t *testing.T, raw json.RawMessage) {
	var c struct {
		Weight  string             `json:"weight"`
		Points  [][3]float64       `json:"points_size_seconds_count"`
		A       *float64           `json:"a"`
		R2      *float64           `json:"r2"`
		Predict map[string]float64 `json:"predict"`
	}
	decode(t, raw, &c)
	points := make([]point, len(c.Points))
	for i, p := range c.Points {
		points[i] = point{Size: p[0], Mean: p[1], Count: p[2]}
	}
	f, ok := fitPower(weighted(points, goldenWeights(t, c.Weight)), mostPower)
	if g.fields["fit"]++; ok != (c.A != nil) {
		t.Fatalf("there is a fit: %v", ok)
	}
	if !ok {
		return
	}
	g.fitted(t, "fit r2", f.R2, *c.R2)
	for _, x := range slices.Sorted(maps.Keys(c.Predict)) {
		g.fitted(t, "fit predict", f.At(number(t, x)), c.Predict[x])
	}
}

func goldenWeights(t *testing.T, name string) Weights {
	t.Helper()
	switch name {
	case "count":
		return Counts
	case "unit":
		return Unit
	}
	t.Fatalf("fit weight %q", name)
	return 0
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
