package models

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A design is a design of training runs with the result of two independent solvers, which agree
// (docs/facts/ernest.md a.3).
type design struct {
	name      string
	space     ernest.Space
	objective float64
	selected  int
}

var allDesigns = []design{
	{"documented: 4 to 32 of 256 parts, 1 to 8 machines of 4 cores", ernest.Space{
		MinParts: 4, MaxParts: 32,
		TotalParts: 256, MinMachines: 1, MaxMachines: 8, CoresPerMachine: 4,
	}, 5.617273088, 7},
	{"4 to 32 of 640 parts, 2 to 8 machines of 2 cores, 16 sizes", ernest.Space{
		MinParts: 4, MaxParts: 32,
		TotalParts: 640, MinMachines: 2, MaxMachines: 8, Interpolate: 16,
	}, 20.524521426, 15},
	{"4 to 32 of 256 parts, 1 to 16 machines of 2 cores", ernest.Space{
		MinParts: 4, MaxParts: 32, TotalParts: 256,
		MinMachines: 1, MaxMachines: 16,
	}, 2.962425177, 13},
	{
		"2 to 8 of 16 parts, 1 to 4 machines of 1 core, 4 sizes, budget 6",
		ernest.Space{
			MinParts: 2, MaxParts: 8,
			TotalParts: 16, MinMachines: 1, MaxMachines: 4, CoresPerMachine: 1, Budget: 6, Interpolate: 4,
		},
		26.503848590,
		6,
	},
}

// documented are the runs that the authors' program chose for the first design, from its collect_data.sh: machines
// and fraction of the input.
var documented = [][2]float64{
	{8, .125},
	{1, .015625},
	{1, .021382},
	{3, .050164},
	{3, .055921},
	{3, .061678},
	{4, .061678},
}

func designs() section {
	return section{"Ernest: the design of training runs", func(p printer) error {
		head(p, "runs to choose from", "candidates", "objective, reference", "ours", "proven gap",
			"runs chosen, reference", "ours")
		for _, d := range allDesigns {
			plan, err := ernest.Design(d.space)
			if err != nil {
				return err
			}
			p("%s", line(d.name, fmt.Sprint(plan.Candidates), fmt.Sprintf("%.6f", d.objective),
				fmt.Sprintf("%.6f", plan.Objective), upTo(plan.Gap),
				fmt.Sprint(d.selected), fmt.Sprint(len(plan.Rows))))
		}
		p("")
		plan, err := ernest.Design(allDesigns[0].space)
		if err != nil {
			return err
		}
		p("The documented example's rows, as the original's repository has them:")
		p("")
		head(p, "machines", "fraction", "parts", "weight of ours")
		found := 0
		for _, want := range documented {
			weight, parts := "not chosen", ""
			for _, r := range plan.Rows {
				if float64(r.Machines) == want[0] && fmt.Sprintf("%.6f", r.Scale) == fmt.Sprintf("%.6f", want[1]) {
					weight, parts = fmt.Sprintf("%.4f", r.Weight), fmt.Sprint(r.Parts)
					found++
				}
			}
			p("%s", line(fmt.Sprint(want[0]), fmt.Sprintf("%.6f", want[1]), parts, weight))
		}
		p("")
		p("%d of %d are chosen, and %d others. %s", found, len(documented), len(plan.Rows)-found, designsWords)
		return nil
	}}
}
