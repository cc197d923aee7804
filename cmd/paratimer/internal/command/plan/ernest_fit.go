package plan

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ernestFit fits a model to a table or recordings of runs, or reads a saved one, and predicts. Without --at, predict
// shows usual points.
func ernestFit(c *cli.Context) error {
	in, name, err := openRuns(c)
	if err != nil {
		return err
	}
	defer in.Close()
	m, err := modelOf(c, in, name, columnsOf(c))
	if err != nil {
		return err
	}
	shown := ernestview.Fitted{Name: name, Model: m, Force: c.Bool("force")}
	if shown.Points, err = pointsOf(c, m.Iterative()); err != nil {
		return err
	}
	columns := []string{"MACHINES", "SCALE", "ITERATIONS", "SECONDS"}
	if !m.Iterative() {
		columns = slices.Delete(columns, 2, 3)
	}
	ran, err := tuplesOf(c, "ran", columns...)
	if err != nil {
		return err
	}
	for _, r := range ran {
		row := ernest.Row{Machines: r[0], Scale: r[1], Seconds: r[len(r)-1]}
		if m.Iterative() {
			row.Iterations = int(r[2])
		}
		shown.Ran = append(shown.Ran, row)
	}
	path := c.String("save")
	switch {
	case path != "":
		if err := command.WriteFile(path, func(w io.Writer) error { return ernestmodel.Write(w, m) }); err != nil {
			return command.Usage("--save: %w", err)
		}
		shown.Next = "paratimer ernest predict " + quoted(path)
	case len(shown.Points)+len(ran) > 0:
	case c.Command.Name == "predict":
		shown.Points = usualPoints(m)
	default:
		shown.Next = "--at MACHINES,SCALE predicts a run, --save FILE keeps the model"
	}
	return printed(c, &shown)
}

// A printable can be written as text and as JSON.
type printable interface {
	Text(io.Writer) error
	JSON(io.Writer) error
}

// printed writes the format of --output.
func printed(c *cli.Context, v printable) error {
	if c.String("output") == "json" {
		return v.JSON(c.App.Writer)
	}
	return v.Text(c.App.Writer)
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
