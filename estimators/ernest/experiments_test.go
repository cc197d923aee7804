package ernest

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// optimal holds that a design is feasible, worth what it says, and within the bound of docs/facts/ernest.md a.3, all
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
