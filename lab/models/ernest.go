package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/lab/page"
)

// rcv1 are the training runs in the example of the authors' program (amplab/ernest, examples/rcv1-parsed.csv): cores,
// fraction of the input, seconds.
var rcv1 = []ernest.Row{
	{Machines: 32, Scale: .125, Seconds: 7.94516801834},
	{Machines: 4, Scale: .015625, Seconds: 4.72029209137},
	{Machines: 4, Scale: .021382, Seconds: 4.87661099434},
	{Machines: 12, Scale: .050164, Seconds: 6.71376490593},
	{Machines: 12, Scale: .055921, Seconds: 6.71519398689},
	{Machines: 12, Scale: .061678, Seconds: 6.6739718914},
	{Machines: 16, Scale: .061678, Seconds: 6.83566999435},
}

// printed are the times in examples/mllib_rcv1.md for the whole input, by cores.
var printed = []struct{ cores, seconds float64 }{
	{4, 44.6515640166},
	{8, 25.4777295249},
	{12, 19.36348049},
	{16, 16.4412832993},
	{20, 14.7682298198},
	{24, 13.7061636865},
	{28, 12.9855393036},
}

// The coefficients in the order of ernest.BaseTerms, and the norm of the residuals. scipy's nnls, Octave's lsqnonneg
// and an enumeration of active sets agree on them (docs/facts/ernest.md a.2).
var (
	solvedCoefficients = [...]float64{1.90012687023, 162.19821226, 0, 1.58832362245}
	solvedResidual     = .272974481963
)

// example is the table of the example in the authors' repository.
func example() (string, error) {
	m, err := ernest.Fit(rcv1, ernest.FitOptions{})
	if err != nil {
		return "", err
	}
	var rows [][]any
	add := func(name string, published, ours float64) {
		rows = append(rows, []any{
			name, fmt.Sprintf("%.12g", published), fmt.Sprintf("%.12g", ours), upTo(math.Abs(apart(ours, published))),
		})
	}
	for i, term := range m.Terms {
		add(fmt.Sprintf("coefficient of %s", term), solvedCoefficients[i], m.Coefficients[i])
	}
	add("norm of the residuals, s", solvedResidual, m.Residual)
	for _, c := range printed {
		add(fmt.Sprintf("whole input on %v cores, s", c.cores), c.seconds,
			m.Predict(ernest.Point{Machines: c.cores, Scale: 1}).Seconds)
	}
	return page.Table([]any{"figure", "published", "ours", "difference"}, rows), nil
}

// references are designs of training runs with the result of two independent solvers, which agree
// (docs/facts/ernest.md a.3).
var references = []struct {
	name      string
	space     ernest.Space
	objective float64
	runs      int
}{
	{"documented: 4 to 32 of 256 parts, 1 to 8 machines of 4 cores", ernest.Space{
		MinParts: 4, MaxParts: 32, TotalParts: 256, MinMachines: 1, MaxMachines: 8, CoresPerMachine: 4,
	}, 5.617273088, 7},
	{"4 to 32 of 640 parts, 2 to 8 machines of 2 cores, 16 sizes", ernest.Space{
		MinParts: 4, MaxParts: 32, TotalParts: 640, MinMachines: 2, MaxMachines: 8, Interpolate: 16,
	}, 20.524521426, 15},
	{"4 to 32 of 256 parts, 1 to 16 machines of 2 cores", ernest.Space{
		MinParts: 4, MaxParts: 32, TotalParts: 256, MinMachines: 1, MaxMachines: 16,
	}, 2.962425177, 13},
	{"2 to 8 of 16 parts, 1 to 4 machines of 1 core, 4 sizes, budget 6", ernest.Space{
		MinParts: 2, MaxParts: 8, TotalParts: 16, MinMachines: 1, MaxMachines: 4, CoresPerMachine: 1, Budget: 6,
		Interpolate: 4,
	}, 26.503848590, 6},
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

// designs is the table of designs. It fails if the documented runs are not chosen.
func designs() (string, error) {
	var rows [][]any
	for i, d := range references {
		plan, err := ernest.Design(d.space)
		if err != nil {
			return "", err
		}
		greedy, err := ernest.Greedy(d.space)
		if err != nil {
			return "", err
		}
		rows = append(rows, []any{
			d.name, plan.Candidates, fmt.Sprintf("%.6f", d.objective), fmt.Sprintf("%.6f", plan.Objective),
			upTo(plan.Gap), d.runs, len(plan.Rows), fmt.Sprintf("%.1f times", greedy.Objective/plan.Objective),
		})
		for _, want := range documented {
			if i == 0 && !slices.ContainsFunc(plan.Rows, func(r ernest.DesignRow) bool {
				return float64(r.Machines) == want[0] && math.Abs(r.Scale-want[1]) < 1e-6
			}) {
				return "", fmt.Errorf("the documented run of %g on %g machines is not chosen", want[1], want[0])
			}
		}
	}
	return page.Table([]any{
		"runs to choose from", "candidates", "objective, reference", "ours", "proven gap", "runs, reference", "ours",
		"objective of the cheapest runs",
	}, rows), nil
}
