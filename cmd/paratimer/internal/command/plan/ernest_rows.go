package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// ernestRows writes a table of training data from recorded runs.
func ernestRows(c *cli.Context) error {
	if c.NArg() == 0 {
		return command.Usage("ernest rows needs FILE...; see `paratimer ernest rows --help`")
	}
	return writeRecorded(c, c.App.Writer)
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
	var rows bytes.Buffer
	return io.NopCloser(&rows), strings.Join(c.Args().Slice(), " "), writeRecorded(c, &rows)
}

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
	src, file, err := r.Open()
	if err != nil {
		return run, err
	}
	defer file.Close()
	whole, err := input.WholeRun(ctx, src)
	if err != nil {
		return run, err
	}
	last := whole.Now()
	if last.State != dag.Succeeded {
		return run, fmt.Errorf("its state is %s", last.State)
	}
	return ernestmodel.RunOf(strings.TrimSpace(r.Name+" "+last.ID), cost.Learn(whole), input.TotalSeconds(last))
}
