package plan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func fitOptions(c *cli.Context) (o ernest.FitOptions, err error) {
	if text := c.String("refuse-above"); text != "" { // some commands do not have it
		const most = 10 // times
		share, err := settings.ParseShare(text)
		if err != nil || !(share > 0) || share > most {
			return o, command.Usage("refuse-above %s: it is a share above 0 and up to 1000%%, such as 20%% or 0.2", text)
		}
		o.RefuseAbove = share
	}
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

func columnsOf(c *cli.Context) ernestmodel.Columns {
	return ernestmodel.Columns{
		Machines: c.String("machines"), Scale: c.String("scale"), Seconds: c.String("seconds"), Unit: c.String("unit"),
		Iterations: c.String("iterations"), Whole: !c.IsSet("scale"),
	}
}

// modelOf fits a model to a table of runs or to recordings. name is for messages.
func modelOf(c *cli.Context, columns ernestmodel.Columns, paths ...string) (m *ernest.Model, name string, err error) {
	in, name, err := openRuns(c, paths)
	if err != nil {
		return nil, name, err
	}
	defer in.Close()
	o, err := fitOptions(c)
	if err != nil {
		return nil, name, err
	}
	runs, err := ernestmodel.ReadRuns(in, name, columns)
	if err != nil {
		return nil, name, cmp.Or(input.WrongKind(name, "table of runs"), command.Usage("%w", err))
	}
	if m, err = runs.Fit(o); err != nil {
		return nil, name, command.Usage("%w", err)
	}
	return m, name, nil
}

// openRuns opens a table of runs, "-" for that on stdin, or creates one from the recordings of the command's arguments.
func openRuns(c *cli.Context, paths []string) (in io.ReadCloser, name string, err error) {
	if paths[0] == "-" {
		return io.NopCloser(c.App.Reader), "stdin", nil
	}
	if recorded, _, err := input.IsRecording(paths[0]); err == nil && recorded {
		var rows bytes.Buffer
		return io.NopCloser(&rows), strings.Join(paths, " "), writeRecorded(c, &rows)
	}
	if err := command.Arguments(c, 0, 1); err != nil {
		return nil, "", err
	}
	f, err := infile.Open(paths[0])
	if err != nil {
		return nil, paths[0], command.Usage("cannot read the runs: %w", err)
	}
	return f, paths[0], nil
}

// ernestRows writes a table of training data from recorded runs.
func ernestRows(c *cli.Context) error { return writeRecorded(c, c.App.Writer) }

// writeRecorded writes the table of the usable runs in files and folders, and reports the others.
func writeRecorded(c *cli.Context, w io.Writer) error {
	recordings, bad := input.RecordedRuns(c, c.Args().Slice())
	if len(bad) > 0 {
		return command.Usage("%w", errors.Join(bad...))
	}
	var runs []ernestmodel.Run
	left := func(name string, why error) {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: %s is left out: %s\n", view.Escape(name), view.Escape(why.Error()))
	}
	for _, r := range recordings {
		run, err := recordedRow(c.Context, r)
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil:
			left(r.Name, err)
		default:
			runs = append(runs, run)
		}
	}
	table := ernestmodel.NewTable(runs)
	for _, r := range table.Left {
		left(r.Name, fmt.Errorf("how many %s it read is not known", table.Unit))
	}
	if len(table.Runs) == 0 {
		return command.Usage("no run is left to make rows of")
	}
	return table.Write(w)
}

func recordedRow(ctx context.Context, r input.RecordedRun) (run ernestmodel.Run, err error) {
	whole, err := r.Whole(ctx)
	if err != nil {
		return run, err
	}
	last := whole.Now()
	if last.State != dag.Succeeded {
		return run, fmt.Errorf("its state is %s", last.State)
	}
	return ernestmodel.RunOf(strings.TrimSpace(r.Name+" "+last.ID), cost.Learn(whole), input.TotalSeconds(last))
}
