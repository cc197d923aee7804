package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/lab/page"
)

// An exampleRun is the example of the authors' program (amplab/ernest): its training runs, on cores in place of
// machines (examples/rcv1-parsed.csv), and the times of the whole input in examples/mllib_rcv1.md. scipy's nnls,
// Octave's lsqnonneg and an enumeration of active sets agree on the coefficients, in the order of ernest.BaseTerms, and
// on the norm of the residuals (docs/facts/ernest.md a.2).
type exampleRun struct {
	Runs         []ernest.Row
	Coefficients []float64
	Residual     float64
	Predicted    []ernest.Row
}

// Example is the table of the example in the authors' repository.
func (tables) Example() (string, error) {
	e := &published.Example
	m, err := ernest.Fit(e.Runs, ernest.FitOptions{})
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
		add(fmt.Sprintf("coefficient of %s", term), e.Coefficients[i], m.Coefficients[i])
	}
	add("norm of the residuals, s", e.Residual, m.Residual)
	for _, r := range e.Predicted {
		add(fmt.Sprintf("whole input on %v cores, s", r.Machines), r.Seconds,
			m.Predict(ernest.Point{Machines: r.Machines, Scale: 1}).Seconds)
	}
	return page.Table([]any{"figure", "published", "ours", "difference"}, rows), nil
}

// A design is a choice of training runs, with the result of two independent solvers, which agree
// (docs/facts/ernest.md a.3). Documented are runs that the authors' program chose (collect_data.sh): machines and
// fraction of the input.
type design struct {
	Name       string
	Space      ernest.Space
	Objective  float64
	Runs       int
	Documented [][2]float64
}

// Designs is the table of designs. It fails if a documented run is not chosen.
func (tables) Designs() (string, error) {
	var rows [][]any
	for _, d := range published.Designs {
		plan, err := ernest.Design(d.Space)
		if err != nil {
			return "", err
		}
		greedy, err := ernest.Greedy(d.Space)
		if err != nil {
			return "", err
		}
		rows = append(rows, []any{
			d.Name, plan.Candidates, fmt.Sprintf("%.6f", d.Objective), fmt.Sprintf("%.6f", plan.Objective),
			upTo(float64(plan.Gap)), d.Runs, len(plan.Rows), fmt.Sprintf("%.1f times", greedy.Objective/plan.Objective),
		})
		for _, want := range d.Documented {
			if !slices.ContainsFunc(plan.Rows, func(r ernest.DesignRow) bool {
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
