package ernest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// optimal checks that a design is feasible, worth its stated value, and within the bound of facts/ernest.md a.3, all
// computed anew.
func optimal(t failer, e *experiments, d *weighting) {
	t.Helper()
	k := len(e.features[0])
	m, cost := mat.NewSymDense(k, nil), 0.0
	for i, w := range d.weights {
		if w < 0 || w > 1 {
			t.Errorf("candidate %d: weight %v", i, w)
		}
		cost += w * e.costs[i]
		m.SymRankOne(m, w, mat.NewVecDense(k, e.features[i]))
	}
	if cost > 1+1e-9 {
		t.Errorf("cost %v of a budget of 1", cost)
	}
	var inverse, squared mat.Dense
	_ = inverse.Inverse(m) // a poor condition is no error here
	squared.Mul(&inverse, &inverse)
	if trace := mat.Trace(&inverse); math.Abs(trace-d.objective) > 1e-6*trace {
		t.Errorf("objective %v, said %v", trace, d.objective)
	}
	gain, order := make([]float64, len(d.weights)), make([]int, len(d.weights))
	gap := 0.0
	for i, a := range e.features {
		v := mat.NewVecDense(k, a)
		gain[i], order[i] = mat.Inner(v, &squared, v), i
		gap -= gain[i] * d.weights[i]
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(gain[j]/e.costs[j], gain[i]/e.costs[i]) })
	left := 1.0
	for _, i := range order {
		x := min(1, left/e.costs[i])
		gap += x * gain[i]
		left -= x * e.costs[i]
	}
	if gap > 1e-6*d.objective || math.Abs(gap-d.gap) > 1e-6*d.objective {
		t.Errorf("gap %v, said %v, of an objective of %v", gap, d.gap, d.objective)
	}
}

// TestSizes: up to the most candidates there are, the design is proven to be the best.
func TestSizes(t *testing.T) {
	for _, s := range []Space{
		{
			MinParts: 4, MaxParts: 64, TotalParts: 640, MinMachines: 1, MaxMachines: 16, CoresPerMachine: 1,
			Interpolate: 3,
		},
		{
			MinParts: 4, MaxParts: 500, TotalParts: 5000, MinMachines: 1, MaxMachines: 100, CoresPerMachine: 1,
			Interpolate: 10,
		},
		{
			MinParts: 200, MaxParts: 5000, TotalParts: 50_000, MinMachines: 1, MaxMachines: 100, CoresPerMachine: 1,
			Interpolate: 1000,
		},
	} {
		_, e, err := s.experiments()
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.solve()
		if err != nil {
			t.Errorf("%d candidates: %v", len(e.costs), err)
			continue
		}
		t.Logf("%d candidates: objective %g, gap %g", len(e.costs), d.objective, d.gap)
		optimal(t, e, d)
	}
}

// TestRandomExperiments: every problem is solved, or its features depend on each other; the same problem has the same
// design.
func TestRandomExperiments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 40).Draw(t, "candidates"), rapid.IntRange(1, 5).Draw(t, "features")
		budget := rapid.Float64Range(0.01, 100).Draw(t, "budget")
		e := &experiments{}
		for range n {
			row := make([]float64, k)
			for j := range row {
				row[j] = float64(rapid.IntRange(-4, 4).Draw(t, "feature"))
			}
			e.features = append(e.features, row)
			e.costs = append(e.costs, rapid.Float64Range(0.1, 10).Draw(t, "cost")/budget)
		}
		if span := e.span(nil); span.Rank < k {
			if len(span.Dependent()) == 0 {
				t.Fatalf("%+v", span)
			}
			return
		}
		d, err := e.solve()
		if err != nil {
			t.Fatal(err)
		}
		optimal(t, e, d)
		if again, _ := e.solve(); !reflect.DeepEqual(d, again) {
			t.Fatalf("%+v, then %+v", d, again)
		}
		// With a budget for all, all are run.
		for i := range e.costs {
			e.costs[i] *= budget / 1000
		}
		if d, err = e.solve(); err != nil || slices.Min(d.weights) < 1-1e-9 && d.gap > 1e-6*d.objective {
			t.Fatalf("%v, %v", d, err)
		}
	})
}

// A law gives a job its time. Those of family ernest follow the model; the others do not.
type law struct {
	name string
	at   func(machines, scale float64) float64
}

func theta(c ...float64) func(m, s float64) float64 {
	return func(m, s float64) float64 { return dot(c, features(BaseTerms(), m, s)) }
}

var ernestLaws = []law{
	{"work, tree", theta(1.9, 162, 0, 1.6)},
	{"all", theta(3, 120, 0.05, 0.8)},
	{"all, large", theta(10, 600, 0.8, 2)},
	{"work alone", theta(0, 500, 0, 0)},
	{"one to all", theta(5, 60, 2, 0)},
}

// designs are training runs: the authors' example, a larger design, a diagonal with large runs, and a grid.
var designs = []struct {
	name string
	at   [][2]float64 // machines, scale
}{
	{"rcv1", [][2]float64{
		{8, .125},
		{1, .015625},
		{1, .021382},
		{3, .050164},
		{3, .055921},
		{3, .061678},
		{4, .061678},
	}},
	{"640 parts", [][2]float64{
		{2, .00625},
		{2, .0091667},
		{2, .0120833},
		{4, .0120833},
		{4, .015},
		{5, .015},
		{4, .0179167},
		{5, .0179167},
		{5, .0208333},
		{5, .02375},
		{8, .0266667},
		{8, .0295833},
		{8, .0325},
		{8, .0354167},
		{4, .05},
	}},
	{"diagonal", [][2]float64{{1, .0625}, {1, .125}, {2, .125}, {2, .25}, {4, .25}, {4, .5}, {8, .5}, {8, 1}, {16, 1}}},
	{"grid", [][2]float64{
		{1, .1},
		{1, .2},
		{1, .4},
		{2, .1},
		{2, .2},
		{2, .4},
		{4, .1},
		{4, .2},
		{4, .4},
		{8, .1},
		{8, .2},
		{8, .4},
	}},
}

// measure makes runs that follow the law, give or take a share.
func measure(at func(m, s float64) float64, where [][2]float64, noise float64, random *rand.Rand) []Row {
	rows := make([]Row, len(where))
	for i, p := range where {
		rows[i] = Row{p[0], p[1], at(p[0], p[1]) * noisy(noise, random), 0}
	}
	return rows
}

func noisy(noise float64, random *rand.Rand) float64 {
	if noise == 0 {
		return 1
	}
	return max(0.05, 1+noise*random.NormFloat64())
}
