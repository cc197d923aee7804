package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/trainrows"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

func ernestRowsFlags() []cli.Flag {
	flags := input.RecordingFlags()
	if f, ok := flags[0].(*cli.StringFlag); ok {
		f.Usage += "; without a FILE, the `NAME` of a workflow whose runs are remembered"
	}
	return append(flags, input.StateFlag(), command.OutputFlag("text", "json"),
		&cli.StringFlag{
			Name: "out", Aliases: []string{"o"}, EnvVars: command.Env("out"),
			Usage: "write the rows to `FILE` (default: stdout)",
		})
}

// ernestRows creates a table of training data from recorded runs, or from a workflow's stored runs.
func ernestRows(c *cli.Context) error {
	table, err := trainingTable(c)
	if err != nil {
		return err
	}
	path := c.String("out")
	if path == "" {
		return printed(c, table)
	}
	content := table.Text
	if c.String("output") == "json" {
		content = table.JSON
	}
	return command.WriteFile(path, content)
}

// trainingTable returns the table of the usable runs.
func trainingTable(c *cli.Context) (table trainrows.Table, err error) {
	runs, err := trainingData(c)
	if err != nil {
		return table, err
	}
	table = trainrows.NewTable(runs)
	for _, r := range table.Left {
		notTrained(c, r.Name, fmt.Errorf("how many %s it read is not known", table.Unit))
	}
	if len(table.Rows) == 0 {
		return table, command.Usage("no run is left to make rows of")
	}
	return table, nil
}

// trainingData returns the usable runs, and reports the others.
func trainingData(c *cli.Context) ([]trainrows.Run, error) {
	name := c.String("workflow")
	switch {
	case c.NArg() > 0:
		return recordedRows(c)
	case name == "":
		return nil, command.Usage(
			"ernest rows needs FILE..., or --workflow NAME of a workflow whose runs are remembered")
	}
	store, err := input.OpenState(c)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	w, err := input.WorkflowOf(store, name)
	if err != nil {
		return nil, err
	}
	return rememberedRows(c, w), nil
}

// recordedRows returns the runs in files and folders.
func recordedRows(c *cli.Context) ([]trainrows.Run, error) {
	recordings, bad := input.RecordedRuns(c, c.Args().Slice())
	if len(bad) > 0 {
		return nil, command.Usage("%w", errors.Join(bad...))
	}
	var runs []trainrows.Run
	for _, r := range recordings {
		run, err := recordedRow(c.Context, r)
		switch {
		case c.Context.Err() != nil:
			return nil, context.Cause(c.Context)
		case err != nil:
			notTrained(c, r.Name, err)
		default:
			runs = append(runs, run)
		}
	}
	return runs, nil
}

func recordedRow(ctx context.Context, r input.RecordedRun) (trainrows.Run, error) {
	src, file, err := r.Open()
	if err != nil {
		return trainrows.Run{}, err
	}
	defer file.Close()
	run, err := input.WholeRun(ctx, src)
	if err != nil {
		return trainrows.Run{}, err
	}
	last := run.Now()
	if last.State != dag.Succeeded {
		return trainrows.Run{}, fmt.Errorf("its state is %s", last.State)
	}
	name := r.Name
	if last.ID != "" {
		name += " " + last.ID
	}
	return trainrows.Of(name, cost.Learn(run), input.TotalSeconds(last))
}

// rememberedRows returns the runs of a workflow that are learned from.
func rememberedRows(c *cli.Context, w *state.Workflow) []trainrows.Run {
	var runs []trainrows.Run
	line := history.Lines(w, "")[0] // of the newest script
	for i := range line {
		run, err := rememberedRow(&line[i])
		if err != nil {
			notTrained(c, line[i].ID, err)
			continue
		}
		runs = append(runs, run)
	}
	return runs
}

func rememberedRow(r *history.Run) (trainrows.Run, error) {
	if r.Why != "" {
		return trainrows.Run{}, errors.New(r.Why)
	}
	if len(r.Profile) == 0 {
		return trainrows.Run{}, errors.New("nothing was learned from it")
	}
	plan, err := planfile.Read(bytes.NewReader(r.Profile), planfile.Options{Name: "profile.json", Profile: true})
	if err != nil {
		return trainrows.Run{}, fmt.Errorf("its profile cannot be read: %w", err)
	}
	return trainrows.Of(r.ID, plan, r.TotalSeconds)
}

func notTrained(c *cli.Context, name string, why error) {
	fmt.Fprintf(c.App.ErrWriter, "paratimer: %s is left out: %s\n", view.Escape(name), view.Escape(why.Error()))
}
