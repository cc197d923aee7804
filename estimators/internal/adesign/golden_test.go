package adesign

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

type reference struct {
	Args struct {
		MinParts    int     `json:"min_parts"`
		MaxParts    int     `json:"max_parts"`
		TotalParts  int     `json:"total_parts"`
		MinMachines int     `json:"min_mcs"`
		MaxMachines int     `json:"max_mcs"`
		Cores       int     `json:"cores_per_mc"`
		Budget      float64 `json:"budget"`
		Steps       int     `json:"num_parts_interpolate"`
	} `json:"args"`
	Candidates int       `json:"n"`
	Means      []float64 `json:"col_means"`
	Objective  float64   `json:"obj"`
	Price      float64   `json:"nu"`
	Cost       float64   `json:"cost"`
	Support    []struct {
		Index  int     `json:"index"`
		Cost   float64 `json:"cost"`
		Lambda float64 `json:"lam"`
	} `json:"support"`
}

// grid makes the candidates of the original's expt_design.py (docs/facts/ernest.md a.1), its features divided by their
// means.
func (r *reference) grid() (p *Problem, means []float64) {
	p = &Problem{Budget: r.Args.Budget}
	total := float64(r.Args.TotalParts)
	low, high := float64(r.Args.MinParts)/total, float64(r.Args.MaxParts)/total
	for k := range r.Args.Steps {
		scale := low + (high-low)*float64(k)/float64(r.Args.Steps-1)
		for m := r.Args.MinMachines; m <= r.Args.MaxMachines; m++ {
			if math.RoundToEven(scale*total) >= float64(r.Args.Cores*m) {
				p.Features = append(p.Features, features(scale, float64(m))[:4])
				p.Costs = append(p.Costs, scale/low/float64(m))
			}
		}
	}
	return p, divide(p)
}

// features are the four of Ernest, then those that it names as further terms (section 3.4).
func features(scale, machines float64) []float64 {
	return []float64{
		1, scale / machines, machines, math.Log(machines),
		math.Sqrt(scale), scale * scale / machines, scale * math.Log(1+1000*scale) / machines, math.Sqrt(machines),
	}
}

// divide divides features by their means, which it returns.
func divide(p *Problem) []float64 {
	means := make([]float64, len(p.Features[0]))
	for _, row := range p.Features {
		for j, v := range row {
			means[j] += v / float64(len(p.Features))
		}
	}
	for _, row := range p.Features {
		for j := range row {
			row[j] /= means[j]
		}
	}
	return means
}

// TestGolden compares with two other solvers (docs/facts/ernest.md a.3), at the tolerances given there.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile(fixtures.Golden("numerics/expt_design.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string]*reference
	if err := json.Unmarshal(data, &examples); err != nil || len(examples) == 0 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	compared := 0
	for name, r := range examples {
		t.Run(name, func(t *testing.T) {
			near := func(what string, got, want, tolerance float64) {
				t.Helper()
				compared++
				if !(math.Abs(got-want) <= tolerance) {
					t.Errorf("%s is %.12g, want %.12g within %.2g", what, got, want, tolerance)
				}
			}
			p, means := r.grid()
			if len(p.Costs) != r.Candidates {
				t.Fatalf("%d candidates, want %d", len(p.Costs), r.Candidates)
			}
			for j, m := range means {
				near("mean", m, r.Means[j], 1e-12*r.Means[j])
			}
			d, err := Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			near("objective", d.Objective, r.Objective, 1e-6*r.Objective)
			near("cost", d.Cost, r.Cost, 1e-9)
			near("price", d.Price, r.Price, 1e-6*r.Price)
			want := make([]float64, r.Candidates)
			for _, s := range r.Support {
				want[s.Index] = s.Lambda
				near("cost of a candidate", p.Costs[s.Index], s.Cost, 1e-12*s.Cost)
			}
			for i, w := range d.Weights {
				near("weight", w, want[i], 1e-5)
			}
			optimal(t, p, d)
		})
	}
	t.Logf("%d figures of %d examples compared", compared, len(examples))
}
