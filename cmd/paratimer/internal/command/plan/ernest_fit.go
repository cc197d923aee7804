package plan

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func ernestFitFlags() []cli.Flag {
	return append(append(columnFlags(), modelFlags()...),
		&cli.StringFlag{
			Name: "iterations", EnvVars: command.Env("iterations"),
			Usage: "iterative jobs: the number of iterations is in `COLUMN`",
		},
		atFlag(), forceFlag(),
		&cli.StringFlag{
			Name: "save", EnvVars: command.Env("save"),
			Usage: "write the model to `FILE`, for predict and choose",
		},
		&cli.StringSliceFlag{
			Name: "of", EnvVars: command.Env("of"),
			Usage: "the runs are of the program or input in `FILE`: predict warns if it has changed; repeatable",
		},
		command.OutputFlag("text", "json"),
	)
}

// ernestFit fits a model to a table of runs, or to recordings of runs.
func ernestFit(c *cli.Context) error {
	points, err := pointsOf(c, c.String("iterations") != "")
	if err != nil {
		return err
	}
	in, name, err := openRuns(c)
	if err != nil {
		return err
	}
	defer in.Close()
	m, err := fitTable(c, in, name, columnsOf(c))
	if err != nil {
		return err
	}
	for _, file := range c.StringSlice("of") {
		sum, err := ernestmodel.SumOf(file)
		if err != nil {
			return command.Usage("--of: %w", err)
		}
		m.Of = append(m.Of, sum)
	}
	shown := ernestview.Fitted{Name: name, Model: m, Points: points, Force: c.Bool("force")}
	if path := c.String("save"); path != "" {
		if err := command.WriteFile(path, m.Write); err != nil {
			return command.Usage("--save: %w", err)
		}
		shown.Next = "paratimer ernest predict " + quoted(path)
	} else if len(points) == 0 {
		shown.Next = "--at MACHINES,SCALE predicts a run, --save FILE keeps the model"
	}
	return printed(c, &shown)
}

// openRuns opens a table of runs, or creates one from recordings.
func openRuns(c *cli.Context) (in io.ReadCloser, name string, err error) {
	first := c.Args().First()
	recorded := false
	if first != "" && first != "-" {
		recorded, _, err = input.IsRecording(first)
	}
	if err != nil || !recorded {
		if err := command.Arguments(c, 1, 1); err != nil {
			return nil, "", err
		}
		return openInput(c, first)
	}
	table, err := trainingTable(c)
	if err != nil {
		return nil, "", err
	}
	var rows bytes.Buffer
	return io.NopCloser(&rows), strings.Join(c.Args().Slice(), " "), table.Text(&rows)
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

func ernestPredictFlags() []cli.Flag {
	return append(append(columnFlags(), modelFlags()...),
		&cli.StringFlag{
			Name: "iterations", EnvVars: command.Env("iterations"),
			Usage: "iterative jobs: the number of iterations is in `COLUMN`",
		},
		atFlag(), forceFlag(),
		tuplesFlag("ran", "a run of `MACHINES,SCALE,SECONDS` was made: say whether the model still holds; may be repeated, oldest first"),
		command.OutputFlag("text", "json"),
	)
}

// ernestPredict predicts with a saved model, or with one fitted to a table.
func ernestPredict(c *cli.Context) error {
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	ran, err := tuplesOf(c, "ran", "MACHINES", "SCALE", "SECONDS")
	if err != nil {
		return err
	}
	m, err := readModel(c, c.Args().First(), columnsOf(c))
	if err != nil {
		return err
	}
	m.Warnings = append(m.Warnings, ernestmodel.Changed(m.Of)...)
	points, err := pointsOf(c, m.Iterative != nil)
	if err != nil {
		return err
	}
	if len(ran) > 0 && m.Iterative != nil {
		return command.Usage("--ran: whether a model of iterations still holds is not known; fit all runs again")
	}
	if len(points) == 0 && len(ran) == 0 {
		points = usualPoints(m)
	}
	shown := ernestview.Fitted{Name: inputName(c.Args().First()), Model: m, Points: points, Force: c.Bool("force")}
	for _, r := range ran {
		shown.Ran = append(shown.Ran, ernest.Row{Machines: r[0], Scale: r[1], Seconds: r[2]})
	}
	return printed(c, &shown)
}

// usualPoints returns runs of the whole input, from the smallest number of machines in the training runs to four
// times the largest, doubling. The whole input is scale 1 if scales are fractions, else the largest scale.
func usualPoints(m *ernestmodel.Model) []ernestmodel.Point {
	fewest, most, scale, iterations := m.Rows[0].Machines, 0.0, 1.0, 1
	for _, r := range m.Rows {
		fewest, most, scale = min(fewest, r.Machines), max(most, r.Machines), max(scale, r.Scale)
	}
	if m.Iterations != nil {
		iterations = slices.Max(m.Iterations)
	}
	const atMost = 16
	var points []ernestmodel.Point
	for n := fewest; n <= 4*most && len(points) < atMost; n *= 2 {
		points = append(points, ernestmodel.Point{Machines: n, Scale: scale, Iterations: iterations})
	}
	return points
}
