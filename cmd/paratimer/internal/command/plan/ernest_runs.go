package plan

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func fitOptions(c *cli.Context) (o ernest.FitOptions, err error) {
	if o.RefuseAbove, err = refuseAbove(c); err != nil {
		return o, err
	}
	if o.Terms, err = termsOf(c, "terms"); err != nil {
		return o, err
	}
	switch try := c.StringSlice("try"); {
	case len(try) == 1 && try[0] == "all":
		o.Extra = ernest.AllTerms()[len(ernest.BaseTerms()):]
	case len(try) == 1 && try[0] == "none":
		o.Extra = []ernest.Term{}
	default:
		o.Extra, err = termsOf(c, "try")
	}
	return o, err
}

// termsOf returns the terms of a flag; nil if there are none.
func termsOf(c *cli.Context, flag string) (terms []ernest.Term, err error) {
	for _, name := range c.StringSlice(flag) {
		t, err := ernest.ParseTerm(name)
		if err != nil {
			return nil, command.Usage("--%s: %w", flag, err)
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// refuseAbove returns the value of refuse-above; 0, the default of a fit, if the command does not have the flag.
func refuseAbove(c *cli.Context) (float64, error) {
	if c.String("refuse-above") == "" {
		return 0, nil
	}
	text, isPercent := strings.CutSuffix(strings.TrimSpace(c.String("refuse-above")), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if isPercent {
		v /= 100
	}
	const most = 10 // times
	if err != nil || !(v > 0) || v > most {
		return 0, command.Usage("refuse-above %s: it is a share above 0 and up to 1000%%, such as 20%% or 0.2",
			c.String("refuse-above"))
	}
	return v, nil
}

func columnsOf(c *cli.Context) ernestmodel.Columns {
	return ernestmodel.Columns{
		Machines: c.String("machines"), Scale: c.String("scale"), Seconds: c.String("seconds"), Unit: c.String("unit"),
		Iterations: c.String("iterations"), Whole: !c.IsSet("scale"),
	}
}

// openInput opens a file, or returns stdin for "-". name is for messages.
func openInput(c *cli.Context, path string) (in io.ReadCloser, name string, err error) {
	if path == "-" {
		return io.NopCloser(c.App.Reader), inputName(path), nil
	}
	f, err := infile.Open(path)
	if err != nil {
		return nil, path, command.Usage("cannot read the runs: %w", err)
	}
	return f, path, nil
}

// inputName returns the name of an input for messages.
func inputName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}

// fitTable fits a model to a table of runs.
func fitTable(c *cli.Context, in io.Reader, name string, columns ernestmodel.Columns) (*ernest.Model, error) {
	o, err := fitOptions(c)
	if err != nil {
		return nil, err
	}
	runs, err := ernestmodel.ReadRuns(in, name, columns)
	if err != nil {
		if other := input.WrongKind(name, "table of runs"); other != nil {
			return nil, other
		}
		return nil, command.Usage("%w", err)
	}
	m, err := runs.Fit(o)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	return m, nil
}

// pointsOf returns the runs of --at.
func pointsOf(c *cli.Context, iterative bool) ([]ernest.Point, error) {
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
		return nil, command.Usage("--at: %d points are more than %d", len(asked), most)
	}
	var points []ernest.Point
	for _, p := range asked {
		point := ernest.Point{Machines: p[0], Scale: p[1]}
		if iterative {
			point.Iterations = int(p[2])
		}
		points = append(points, point)
	}
	return points, nil
}

// quoted returns a file name quoted for a shell.
func quoted(name string) string {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '/' && r != '-' && r != '_' {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
