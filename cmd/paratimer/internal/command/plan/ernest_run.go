package plan

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ernestRun makes the training runs of a design, and predicts from them.
func ernestRun(c *cli.Context) error {
	for _, name := range []string{"command", "out"} {
		if c.String(name) == "" {
			return command.Usage("run needs --%s; see `paratimer ernest run --help`", name)
		}
	}
	r, err := trainingRuns(c)
	if err != nil {
		return err
	}
	points, err := pointsOf(c, false)
	if err != nil {
		return err
	}
	if r.File, err = training.Open(c.String("out"), r.Command, command.WriteFile); err != nil {
		return command.Usage("%w", err)
	}
	if c.Bool("dry-run") {
		_, err := io.WriteString(c.App.Writer, r.Preview())
		return err
	}
	if err := r.File.Save(); err != nil { // before the first run: nothing is measured in vain
		return command.Usage("%w", err)
	}
	if r.File.Cut != "" {
		command.Logger(c).Warn().Str("file", c.String("out")).Str("cut", r.File.Cut).
			Msg("the last line was cut off: it is left out, and run again")
	}
	failed, err := train(c, r)
	if err != nil {
		return err
	}
	if len(r.File.Rows) > 0 {
		if err := sayTrained(c, points); err != nil {
			return err
		}
	}
	if failed > 0 {
		return command.ErrQueryFailed // each was reported
	}
	return nil
}

// trainingRuns returns the runs of the flags.
func trainingRuns(c *cli.Context) (*training.Runner, error) {
	rows, err := trainingDesign(c)
	if err != nil {
		return nil, err
	}
	r := &training.Runner{
		Design: rows, Repeat: c.Int("repeat"), AtOnce: c.Int("at-once"), Timeout: c.Duration("timeout"),
	}
	if r.Command, err = training.NewTemplate(c.String("command"), rows); err != nil {
		return nil, command.Usage("--command: %w", err)
	}
	return r, nil
}

// trainingDesign returns the design of --design, or of the flags for one.
func trainingDesign(c *cli.Context) ([]ernest.DesignRow, error) {
	if path := c.String("design"); path != "" {
		f, err := infile.Open(path)
		if err != nil {
			return nil, command.Usage("--design: %w", err)
		}
		defer f.Close()
		rows, total, err := training.ReadDesign(f)
		if err != nil {
			return nil, command.Usage("--design %s: %w", path, err)
		}
		return training.Distinct(rows, c.String("command"), total), nil
	}
	if !c.IsSet("min-parts") {
		return nil, command.Usage(
			"which runs? Give --design FILE, or --min-parts, --max-parts, --total-parts, --min-mcs and --max-mcs")
	}
	s, plan, err := designed(c)
	if err != nil {
		return nil, err
	}
	return training.Distinct(plan.Rows, c.String("command"), s.TotalParts), nil
}

// train makes the runs, and writes a line for each.
func train(c *cli.Context, r *training.Runner) (failed int, err error) {
	log := io.Discard
	if path := c.String("log"); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return 0, command.Usage("log: %w", err)
		}
		defer f.Close()
		log = f
	}
	const grace = 5 * time.Second
	r.Run = shell.Shell{Log: log, Env: command.Environ(c), Now: time.Now, Grace: grace}.Run
	r.Show = c.App.ErrWriter
	failed, err = r.Go(c.Context)
	if errors.Is(err, training.ErrHopeless) {
		fmt.Fprintf(c.App.ErrWriter, "paratimer: %v\n", err)
		return failed, command.ErrQueryFailed
	}
	return failed, err
}

// sayTrained fits the rows and predicts, as `paratimer ernest fit` does.
func sayTrained(c *cli.Context, points []ernest.Point) error {
	m, path, err := modelOf(c, training.Columns{Machines: "machines", Scale: "scale", Seconds: "seconds"}, c.String("out"))
	if err != nil {
		return err
	}
	if len(points) == 0 {
		points = usualPoints(m)
	}
	shown := planview.Predict(path, m, points, nil, c.Bool("force"))
	shown.Next = "paratimer ernest fit " + quoted(path)
	return command.Show(c, "", shown)
}
