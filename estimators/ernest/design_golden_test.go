package ernest

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// goldenDesign is a case of expt_design*.json: a barrier method and SLSQP, which agree (facts/ernest.md a.3).
type goldenDesign struct {
	Args struct {
		MinParts    int     `json:"min_parts"`
		MaxParts    int     `json:"max_parts"`
		TotalParts  int     `json:"total_parts"`
		MinMachines int     `json:"min_mcs"`
		MaxMachines int     `json:"max_mcs"`
		Cores       int     `json:"cores_per_mc"`
		Budget      float64 `json:"budget"`
		Interpolate int     `json:"num_parts_interpolate"`
	} `json:"args"`
	N         int       `json:"n"`
	Means     []float64 `json:"col_means"`
	Objective float64   `json:"obj"`
	Cost      float64   `json:"cost"`
	Support   []struct {
		Index    int     `json:"index"`
		Scale    float64 `json:"scale"`
		Machines int     `json:"machines"`
		Cores    int     `json:"cores"`
		Parts    int     `json:"parts"`
		Cost     float64 `json:"cost"`
		Weight   float64 `json:"lam"`
	} `json:"support"`
}

func (g *goldenDesign) space() Space {
	a := g.Args
	return Space{
		a.MinParts, a.MaxParts, a.TotalParts, a.MinMachines, a.MaxMachines, a.Cores, a.Budget, a.Interpolate,
		nil,
	}
}

func TestGoldenDesign(t *testing.T) {
	cases, figures := goldenCases[goldenDesign](t, "expt_design*.json"), 0
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			near := func(what string, got, want, tolerance float64) {
				t.Helper()
				figures++
				if !(math.Abs(got-want) <= tolerance) {
					t.Errorf("%s: %.12g, want %.12g within %.2g", what, got, want, tolerance)
				}
			}
			space := c.space()
			rows, problem, err := space.experiments()
			if err != nil {
				t.Fatal(err)
			}
			near("candidates", float64(len(rows)), float64(c.N), 0)
			last := len(rows) - 1 // of more than one machine
			for j, term := range BaseTerms() {
				near("mean of "+term.String(), term.At(float64(rows[last].Machines),
					rows[last].Scale)/problem.features[last][j], c.Means[j], 1e-12*c.Means[j])
			}
			p, err := Design(c.space())
			if err != nil {
				t.Fatal(err)
			}
			near("objective", float64(p.Objective), c.Objective, 1e-6*c.Objective)
			near("gap", float64(p.Gap), 0, 1e-6*c.Objective)
			near("cost", p.Cost, c.Cost, 1e-9*c.Cost)
			if p.Cost > c.Args.Budget*(1+1e-9) {
				t.Errorf("costs %.12g of a budget of %g", p.Cost, c.Args.Budget)
			}
			selected := map[int]bool{}
			for _, want := range c.Support {
				r := rows[want.Index]
				near("scale", r.Scale, want.Scale, 0)
				near("machines", float64(r.Machines), float64(want.Machines), 0)
				near("cores", float64(r.Cores), float64(want.Cores), 0)
				near("parts", float64(r.Parts), float64(want.Parts), 0)
				near("cost", r.Cost, want.Cost, 1e-12*want.Cost)
				at := slices.IndexFunc(p.Support, func(s DesignRow) bool {
					return s.Machines == r.Machines &&
						s.Scale == r.Scale
				})
				if at < 0 {
					t.Errorf("%d machines, scale %g: not in the design, weight %g wanted", want.Machines, want.Scale,
						want.Weight)
					continue
				}
				near("weight", p.Support[at].Weight, want.Weight, 1e-5)
				if want.Weight > MinWeight {
					selected[want.Index] = true
				}
			}
			near("runs", float64(len(p.Rows)), float64(len(selected)), 0)
			for i, r := range p.Rows {
				if !(r.Weight > MinWeight) || i > 0 && r.Weight > p.Rows[i-1].Weight {
					t.Errorf("run %d has weight %g after %g", i, r.Weight, p.Rows[max(0, i-1)].Weight)
				}
			}
		})
	}
	t.Logf("%d cases, %d figures compared", len(cases), figures)
	if figures == 0 {
		t.Fatal("nothing was compared")
	}
}
