package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// columnFlags say which columns of a table are what.
func columnFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "machines", EnvVars: env("machines"), Value: "machines", Usage: "machines, cores or containers are in `COLUMN`, a name of the header or a number from 1"},
		&cli.StringFlag{Name: "scale", EnvVars: env("scale"), Value: "scale", Usage: "the input, as a fraction of the whole or in any unit, is in `COLUMN`"},
		&cli.StringFlag{Name: "seconds", EnvVars: env("seconds"), Value: "seconds", Usage: "how long the run took is in `COLUMN`"},
		&cli.StringFlag{Name: "unit", EnvVars: env("unit"), Usage: "times are in `UNIT`: s, ms, min, h (default: s)"},
	}
}

// modelFlags say how a model is fitted.
func modelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "terms", EnvVars: env("terms"), Usage: "fit these `TERMS` instead of 1, scale/machines, machines, log(machines)"},
		&cli.StringSliceFlag{Name: "try", EnvVars: env("try"), Usage: "try `TERMS` beside them, all for every known one, and keep what lowers the error of runs that were left out"},
		&cli.Uint64Flag{Name: "seed", EnvVars: env("seed"), Usage: "draw the ranges' samples from `N`"},
		&cli.IntFlag{Name: "resamples", EnvVars: env("resamples"), Usage: "draw `N` samples (default: 400)"},
	}
}

// maxResamples is what package ernest takes.
const maxResamples = 10_000

func fitOptions(c *cli.Context) (o ernest.FitOptions, err error) {
	if o.Resamples = c.Int("resamples"); o.Resamples < 0 || o.Resamples > maxResamples || c.IsSet("resamples") && o.Resamples == 0 {
		return o, usage("--resamples %d: it is 1 to %d", o.Resamples, maxResamples)
	}
	o.Seed = c.Uint64("seed")
	if o.Terms, err = ernestmodel.Terms(c.StringSlice("terms")); err != nil {
		return o, usage("--terms: %w", err)
	}
	if try := c.StringSlice("try"); len(try) == 1 && try[0] == "all" {
		o.Extra = ernest.AllTerms()[len(ernest.BaseTerms()):]
	} else if o.Extra, err = ernestmodel.Terms(try); err != nil {
		return o, usage("--try: %w", err)
	}
	return o, nil
}

func columnsOf(c *cli.Context) ernestmodel.Columns {
	return ernestmodel.Columns{
		Machines: c.String("machines"), Scale: c.String("scale"), Seconds: c.String("seconds"), Unit: c.String("unit"),
		Job: c.String("job"), Iterations: c.String("iterations"),
	}
}

// openInput opens a file, or takes stdin for "-". Name is what messages call it.
func openInput(c *cli.Context, path string) (in io.ReadCloser, name string, err error) {
	if path == "-" {
		return io.NopCloser(c.App.Reader), inputName(path), nil
	}
	f, err := infile.Open(path)
	if err != nil {
		return nil, path, usage("cannot read the runs: %w", err)
	}
	return f, path, nil
}

// inputName is what messages call an input.
func inputName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}

// fitTable makes a model of a table of runs.
func fitTable(c *cli.Context, in io.Reader, name string, columns ernestmodel.Columns) (*ernestmodel.Model, error) {
	o, err := fitOptions(c)
	if err != nil {
		return nil, err
	}
	runs, err := ernestmodel.ReadRuns(in, name, columns)
	if err != nil {
		return nil, usage("%w", err)
	}
	m, err := ernestmodel.Fit(runs, o)
	if err != nil {
		return nil, usage("%w", err)
	}
	return m, nil
}

// readModel reads a saved model, or fits one to a table: what begins with a brace is none.
func readModel(c *cli.Context, path string, columns ernestmodel.Columns) (m *ernestmodel.Model, err error) {
	f, name, err := openInput(c, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	begin, err := in.Peek(512)
	if err != nil && err != io.EOF { //nolint:errorlint // Peek returns it as it is
		return nil, usage("cannot read %s: %w", name, err)
	}
	if !bytes.HasPrefix(bytes.TrimLeftFunc(begin, unicode.IsSpace), []byte("{")) {
		return fitTable(c, in, name, columns)
	}
	if m, err = ernestmodel.Read(in, name); err != nil {
		return nil, usage("%w", err)
	}
	return m, nil
}

// pointsOf are the runs that --at asks for.
func pointsOf(c *cli.Context, iterative bool) ([]ernestmodel.Point, error) {
	want := []string{"MACHINES", "SCALE"}
	if iterative {
		want = append(want, "ITERATIONS")
	}
	asked, err := tuplesOf(c, "at", want...)
	if err != nil {
		return nil, err
	}
	const most = 10_000
	if len(asked) > most {
		return nil, usage("--at: %d points are more than %d", len(asked), most)
	}
	var points []ernestmodel.Point
	for _, p := range asked {
		point := ernestmodel.Point{Machines: p[0], Scale: p[1]}
		if iterative {
			point.Iterations = int(p[2])
		}
		points = append(points, point)
	}
	return points, nil
}

func atFlag() cli.Flag {
	return tuplesFlag("at", "predict a run of `MACHINES,SCALE`, of an iterative job MACHINES,SCALE,ITERATIONS; may be repeated")
}

func forceFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", EnvVars: env("force"), Usage: "show numbers that the model does not stand for"}
}

// quoted is a file's name as a shell takes it.
func quoted(name string) string {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '/' && r != '-' && r != '_' {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
