package adesign

import (
	"errors"
	"flag"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func init() { _ = flag.Set("rapid.seed", "20261122") }

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// optimal holds that a design is feasible, worth what it says, and within the bound of docs/facts/ernest.md a.3, all
// computed anew.
func optimal(t failer, p *Problem, d *Design) {
	t.Helper()
	k := len(p.Features[0])
	m, cost := mat.NewSymDense(k, nil), 0.0
	for i, w := range d.Weights {
		if w < 0 || w > 1 {
			t.Errorf("candidate %d: weight %v", i, w)
		}
		cost += w * p.Costs[i]
		m.SymRankOne(m, w, mat.NewVecDense(k, p.Features[i]))
	}
	if cost > p.Budget*(1+1e-9) || math.Abs(cost-d.Cost) > 1e-9*p.Budget {
		t.Errorf("cost %v, said %v, of a budget of %v", cost, d.Cost, p.Budget)
	}
	var inverse, squared mat.Dense
	if err := inverse.Inverse(m); err != nil {
		var condition mat.Condition
		if !errors.As(err, &condition) {
			t.Errorf("information matrix: %v", err)
		}
	}
	squared.Mul(&inverse, &inverse)
	if trace := mat.Trace(&inverse); math.Abs(trace-d.Objective) > 1e-6*trace {
		t.Errorf("objective %v, said %v", trace, d.Objective)
	}
	gain, order := make([]float64, len(d.Weights)), make([]int, len(d.Weights))
	gap := 0.0
	for i, a := range p.Features {
		v := mat.NewVecDense(k, a)
		gain[i], order[i] = mat.Inner(v, &squared, v), i
		gap -= gain[i] * d.Weights[i]
	}
	slices.SortFunc(order, func(i, j int) int {
		if gain[i]/p.Costs[i] > gain[j]/p.Costs[j] {
			return -1
		}
		return 1
	})
	left := p.Budget
	for _, i := range order {
		x := min(1, left/p.Costs[i])
		gap += x * gain[i]
		left -= x * p.Costs[i]
	}
	if gap > 1e-6*d.Objective || d.Gap > 1e-6*d.Objective || math.Abs(gap-d.Gap) > 1e-6*d.Objective {
		t.Errorf("gap %v, said %v, of an objective of %v", gap, d.Gap, d.Objective)
	}
}

func candidates(machines, scales, terms int) *Problem {
	p := &Problem{Budget: 10}
	for k := range scales {
		scale := 0.01 + 0.2*float64(k)/float64(scales)
		for m := range machines {
			mf := float64(m + 1)
			p.Features = append(p.Features, features(scale, mf)[:terms])
			p.Costs = append(p.Costs, scale/0.01/mf)
		}
	}
	divide(p)
	return p
}

func TestSizes(t *testing.T) {
	for _, c := range []struct{ machines, scales, terms int }{
		{20, 20, 1},
		{20, 20, 2},
		{20, 20, 6},
		{20, 20, 8},
		{16, 3, 7},
		{100, 10, 4},
		{200, 100, 8},
	} {
		p := candidates(c.machines, c.scales, c.terms)
		d, err := Solve(p)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		optimal(t, p, d)
	}
}

// Every problem is solved, or said to be singular; the same problem has the same design.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 40).Draw(t, "candidates"), rapid.IntRange(1, 5).Draw(t, "features")
		p := &Problem{Budget: rapid.Float64Range(0.01, 100).Draw(t, "budget")}
		for range n {
			row := make([]float64, k)
			for j := range row {
				row[j] = float64(rapid.IntRange(-4, 4).Draw(t, "feature"))
			}
			p.Features = append(p.Features, row)
			p.Costs = append(p.Costs, rapid.Float64Range(0.1, 10).Draw(t, "cost"))
		}
		d, err := Solve(p)
		var singular *SingularError
		if errors.As(err, &singular) {
			if singular.Rank >= k || len(singular.Dependent) == 0 {
				t.Fatalf("%+v", singular)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		optimal(t, p, d)
		if again, _ := Solve(p); !reflect.DeepEqual(d, again) {
			t.Fatalf("%+v, then %+v", d, again)
		}
		// With a budget for all, all are run.
		p.Budget = 1000
		if d, err = Solve(p); err != nil || slices.Min(d.Weights) < 1-1e-9 && d.Gap > 1e-6*d.Objective {
			t.Fatalf("%v, %v", d, err)
		}
	})
}

// Units of features and costs that differ by many powers of ten are solved all the same.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(8, 60).Draw(t, "candidates"), rapid.IntRange(1, 8).Draw(t, "features")
		power := func(low, high float64) float64 { return math.Pow(10, rapid.Float64Range(low, high).Draw(t, "power")) }
		p := &Problem{Budget: power(-3, 4)}
		for range n {
			var row []float64
			for j := range k {
				row = append(row, math.Pow(10, float64(2*j-8))*power(-1, 1))
			}
			p.Features = append(p.Features, row)
			p.Costs = append(p.Costs, power(-3, 3))
		}
		d, err := Solve(p)
		var singular *SingularError
		if errors.As(err, &singular) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.Gap > 1e-6*d.Objective || d.Cost > p.Budget*(1+1e-9) || slices.Min(d.Weights) < 0 ||
			slices.Max(d.Weights) > 1 {
			t.Fatalf("%+v", d)
		}
	})
}

func TestEvaluate(t *testing.T) {
	p := candidates(8, 6, 4)
	best, err := Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Evaluate(p, best.Weights)
	if err != nil || math.Abs(same.Objective/best.Objective-1) > 1e-12 {
		t.Errorf("%v, %v, want %v", same, err, best)
	}
	equal := make([]float64, len(p.Costs))
	for i := range equal {
		equal[i] = 0.01
	}
	d, err := Evaluate(p, equal)
	if err != nil || !(d.Objective > best.Objective) || !(d.Objective-d.Gap <= best.Objective) {
		t.Errorf("equal weights: %+v, %v: the bound is not below %v", d, err, best.Objective)
	}
	one := make([]float64, len(p.Costs))
	one[0], one[1] = 1, 1
	var singular *SingularError
	if _, err := Evaluate(p, one); !errors.As(err, &singular) || singular.Rank != 2 {
		t.Errorf("two experiments: %v", err)
	}
}

func TestErrors(t *testing.T) {
	p := func(features [][]float64, costs []float64, budget float64) error {
		_, err := Solve(&Problem{features, costs, budget})
		if err == nil {
			t.Errorf("%v: no error", features)
			return errors.New("none")
		}
		return err
	}
	two := [][]float64{{1, 2}, {1, 3}}
	for want, err := range map[string]error{
		"no candidates: give at least one experiment":                                                                   p(nil, nil, 1),
		"2 candidates with 1 costs: give each one":                                                                      p(two, []float64{1}, 1),
		"a budget of NaN: give a number above 0":                                                                        p(two, []float64{1, 1}, math.NaN()),
		"candidate 2: a cost of 0: give a number above 0":                                                               p(two, []float64{1, 0}, 1),
		"candidate 2: feature 1 is NaN: give a finite number":                                                           p([][]float64{{1}, {math.NaN()}}, []float64{1, 1}, 1),
		"candidate 2: 1 features, where the first has 2":                                                                p([][]float64{{1, 2}, {1}}, []float64{1, 1}, 1),
		"candidate 1: 0 features: from 1 to 16 can be solved":                                                           p([][]float64{{}}, []float64{1}, 1),
		"candidate 1: a cost of 1e+308 with a budget of 1e-10: give both in the same unit":                              p([][]float64{{1}}, []float64{1e308}, 1e-10),
		"feature 1 is 1e+300 at most: give it in another unit":                                                          p([][]float64{{1e300}}, []float64{1}, 1),
		"100001 candidates: at most 100000; make the grid coarser":                                                      p(make([][]float64, 100_001), nil, 1),
		"the experiments tell only 0 of 1 features apart (dependent: [0], counted from 0): vary what these are made of": p([][]float64{{0}}, []float64{1}, 1),
	} {
		if err.Error() != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
	// One machine count: 1, machines and ln(machines) are the same (docs/facts/ernest.md a.1).
	one := candidates(1, 9, 3)
	for i, row := range one.Features {
		one.Features[i] = []float64{row[0], row[1], row[2], 2.5}
	}
	_, err := Solve(one)
	if want := (&SingularError{Features: 4, Rank: 2, Dependent: []int{0, 2, 3}}); !reflect.DeepEqual(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

func BenchmarkSolve(b *testing.B) {
	p := candidates(100, 100, 4)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Solve(p); err != nil {
			b.Fatal(err)
		}
	}
}
