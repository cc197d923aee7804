// The command models compares our figures with those published for Ernest and for the queueing models of MapReduce, and
// the models with the simulator and with runs of other people.

package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// tables makes the tables of docs/evidence/models.md, by that many simulated runs of a configuration.
type tables struct{ runs int }

var publishedModels = func() (p struct {
	Example  exampleRun
	Designs  []design
	Table4   []comparison
	Settings []grid
	Figures  []figure
	Grids    []grid
	Demands  []demand
},
) {
	if err := json.Unmarshal(publishedText, &p); err != nil {
		panic("published.json: " + err.Error())
	}
	return p
}()

// The pages have no numbers beside the tables: these would become outdated.
var (
	//go:embed models.md.tmpl
	modelsPage string
	// publishedText are the published figures that the tables compare ours with.
	//
	//go:embed published.json
	publishedText []byte
)

// runModels writes docs/evidence/models.md.
func runModels(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab models", flag.ContinueOnError)
	runs := flags.Int("runs", 400, "simulated runs of a published configuration")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 48 || *runs > 100_000 {
		return fmt.Errorf("-runs %d: give 48 to 100,000", *runs)
	}
	return Write(out, modelsPage, tables{*runs})
}

// upTo formats a small figure as a power of ten that bounds it. Its digits are rounding errors, which differ between
// machines.
func upTo(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("below 1e%d", int(math.Floor(math.Log10(v)))+1)
}

// apart is the difference of a figure from a published one, as a ratio of the latter if that is not 0.
func apart(ours, published float64) float64 {
	if published == 0 {
		return ours
	}
	return ours/published - 1
}

// percent formats a ratio in percent.
func percent(ratio float64) string { return fmt.Sprintf("%.1f%%", 100*ratio) }

// An exampleRun is the example of the authors' program (amplab/ernest): its training runs, on cores in place of
// machines (examples/rcv1-parsed.csv), and the times of the whole input in examples/mllib_rcv1.md. scipy's nnls,
// Octave's lsqnonneg and an enumeration of active sets agree on the coefficients, in the order of ernest.BaseTerms, and
// on the norm of the residuals (facts/ernest.md a.2).
type exampleRun struct {
	Runs         []ernest.Row
	Coefficients []float64
	Residual     float64
	Predicted    []ernest.Row
}

// Example is the table of the example in the authors' repository.
func (tables) Example() (string, error) {
	e := &publishedModels.Example
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
	return Table([]any{"figure", "published", "ours", "difference"}, rows), nil
}

// A design is a choice of training runs, with the result of two independent solvers, which agree
// (facts/ernest.md a.3). Documented are runs that the authors' program chose (collect_data.sh): machines and
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
	for _, d := range publishedModels.Designs {
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
	return Table([]any{
		"runs to choose from", "candidates", "objective, reference", "ours", "proven gap", "runs, reference", "ours",
		"objective of the cheapest runs",
	}, rows), nil
}
