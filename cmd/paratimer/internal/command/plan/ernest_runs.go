package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func fitOptions(c *cli.Context) (o ernest.FitOptions, err error) {
	o.RefuseAbove = c.Float64("refuse-above")
	if o.Terms, err = command.Each(c, "terms", ernest.ParseTerm); err != nil {
		return o, err
	}
	switch try := c.StringSlice("try"); {
	case len(try) == 1 && try[0] == "all":
		o.Extra = ernest.AllTerms()[len(ernest.BaseTerms()):]
	case len(try) == 1 && try[0] == "none":
		o.Extra = []ernest.Term{}
	default:
		o.Extra, err = command.Each(c, "try", ernest.ParseTerm)
	}
	return o, err
}

func columnsOf(c *cli.Context) training.Columns {
	return training.Columns{
		Machines: c.String("machines"), Scale: c.String("scale"), Seconds: c.String("seconds"), Unit: c.String("unit"),
		Iterations: c.String("iterations"), Whole: !c.IsSet("scale"),
	}
}

// modelOf fits a model to a table of runs or to recordings. name is for messages.
func modelOf(c *cli.Context, columns training.Columns, paths ...string) (m *ernest.Model, name string, err error) {
	o, err := fitOptions(c)
	if err != nil {
		return nil, "", err
	}
	runs, err := runsOf(c, columns, paths)
	if err != nil {
		return nil, "", err
	}
	if m, err = runs.Fit(o); err != nil {
		return nil, "", command.Usage("%w", err)
	}
	return m, runs.File, nil
}

// runsOf returns the runs of a table, "-" for that on stdin, or of recordings.
func runsOf(c *cli.Context, columns training.Columns, paths []string) (*training.Runs, error) {
	if recorded, _, err := input.IsRecording(paths[0]); err == nil && recorded {
		return recordedRuns(c, paths)
	}
	if err := command.Arguments(c, 0, 1); err != nil {
		return nil, err
	}
	text, name, err := infile.ReadSource(paths[0], c.App.Reader, training.MaxTable)
	if err != nil {
		return nil, command.Usage("cannot read the runs: %w", err)
	}
	runs, err := training.ReadRuns(string(text), name, columns)
	if err != nil {
		return nil, cmp.Or(input.WrongKind(name, "table of runs"), command.Usage("%w", err))
	}
	return runs, nil
}

// recordedRuns returns the usable runs in files and folders, and reports the others.
func recordedRuns(c *cli.Context, paths []string) (*training.Runs, error) {
	recordings, bad := input.RecordedRuns(c, paths)
	if len(bad) > 0 {
		return nil, command.Usage("%w", errors.Join(bad...))
	}
	var all []training.Run
	leave := func(name string, why error) {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: %s is left out: %s\n", view.Escape(name), view.Escape(why.Error()))
	}
	for _, r := range recordings {
		run, err := recordedRow(c.Context, r)
		switch {
		case c.Context.Err() != nil:
			return nil, context.Cause(c.Context)
		case err != nil:
			leave(r.Name, err)
		default:
			all = append(all, run)
		}
	}
	runs, left, unit := training.OfRecorded(strings.Join(paths, " "), all)
	for _, r := range left {
		leave(r.Name, fmt.Errorf("the number of %s that it read is unknown", unit))
	}
	if len(runs.Rows) == 0 {
		return nil, command.Usage("no run is left to fit a model to")
	}
	return runs, nil
}

func recordedRow(ctx context.Context, r input.RecordedRun) (run training.Run, err error) {
	whole, err := r.Whole(ctx)
	if err != nil {
		return run, err
	}
	last := whole.Now()
	if last.State != dag.Succeeded {
		return run, fmt.Errorf("its state is %s", last.State)
	}
	return training.RunOf(strings.TrimSpace(r.Name+" "+last.ID), cost.Learn(whole), input.TotalSeconds(last))
}
