package plan

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/modelview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ernestFit fits a model to a table or recordings of runs, and predicts. Without --at, predict shows usual points.
func ernestFit(c *cli.Context) error {
	m, name, err := modelOf(c, columnsOf(c), c.Args().Slice()...)
	if err != nil {
		return err
	}
	points, err := pointsOf(c, m.Iterative())
	if err != nil {
		return err
	}
	ran, err := typedRuns(c, "ran", m.Iterative(), "MACHINES", "SCALE", "ITERATIONS", "SECONDS")
	if err != nil {
		return err
	}
	next := ""
	switch {
	case len(points)+len(ran) > 0:
	case c.Command.Name == "predict":
		points = usualPoints(m)
	default:
		next = "--at MACHINES,SCALE predicts a run"
	}
	shown := modelview.Predict(name, m, points, ran, c.Bool("force"))
	shown.Next = next
	return printed(c, shown)
}

// printed writes a result in the format of --output: as its own JSON, or as the text of its document.
func printed(c *cli.Context, v interface{ Document() *page.Document }) error {
	if c.String("output") == "json" {
		return view.JSON(c.App.Writer, v, "  ")
	}
	return v.Document().Text(c.App.Writer)
}

// usualPoints returns runs of the whole input, from the smallest number of machines in the training runs to four
// times the largest, doubling. The whole input is scale 1 if scales are fractions, else the largest scale.
func usualPoints(m *ernest.Model) []ernest.Point {
	fewest, most, scale, iterations := m.Rows[0].Machines, 0.0, 1.0, 0
	for _, r := range m.Rows {
		fewest, most, scale = min(fewest, r.Machines), max(most, r.Machines), max(scale, r.Scale)
		iterations = max(iterations, r.Iterations)
	}
	const atMost = 16
	var points []ernest.Point
	for n := fewest; n <= 4*most && len(points) < atMost; n *= 2 {
		points = append(points, ernest.Point{Machines: n, Scale: scale, Iterations: iterations})
	}
	return points
}
