package past

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/calibrate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

func calibrateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{
			Name: "runs", EnvVars: command.Env("runs"), Value: 2000,
			Usage: "simulate `N` runs of some dozens of workflows",
		},
		&cli.Uint64Flag{
			Name: "seed", EnvVars: command.Env("seed"), Value: 1,
			Usage: "random seed `N`",
		},
		command.OutputFlag("text", "json"),
	}
}

// maxCalibrated bounds --runs: the results of all runs are kept in memory until the end.
const maxCalibrated = 100_000

// calibration measures on simulated runs whether ranges have their nominal coverage.
func calibration(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	runs := c.Int("runs")
	if runs < 1 || runs > maxCalibrated {
		return command.Usage("--runs %d: it is a number from 1 to %d", runs, maxCalibrated)
	}
	report, err := calibrate.Run(c.Context, calibrate.Options{
		Runs: runs, Seed: c.Uint64("seed"), Workers: runtime.GOMAXPROCS(0),
		Estimator: func() estimators.Estimator { return follow.EstimatorSet(false, 0).Sampled },
	})
	if err != nil {
		return err
	}
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(report)
	}
	return calibrationTable(c.App.Writer, report)
}

func calibrationTable(out io.Writer, r *calibrate.Report) error {
	fmt.Fprintf(out, "%d simulated runs of %d workflows, seed %d: %d did not end well and are left out, %d came too early in their\n",
		r.Runs, r.Workflows, r.Seed, r.FailedRuns, r.RoughRuns)
	fmt.Fprintf(out, "workflow's history for a backed range (80 %%: %d runs, 95 %%: %d) and are rough. Raw is without correction by earlier runs.\n\n",
		estimators.RunsFor(0.8), estimators.RunsFor(0.95))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "of the run\trange\truns\theld\twidth\traw held\traw width\trough runs\theld\twidth\t")
	for i, b := range r.Coverage {
		rough := r.Rough[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t\n", units.Percent(b.AtRatio),
			units.Percent(b.RangeRatio),
			b.Runs, units.Known(b.HeldRatio, units.Tenths), units.Known(b.MeanWidthRatio, units.Tenths),
			units.Known(b.RawHeldRatio, units.Tenths), units.Known(b.RawMeanWidthRatio, units.Tenths),
			rough.Runs, units.Known(rough.HeldRatio, units.Tenths), units.Known(rough.MeanWidthRatio, units.Tenths))
	}
	return w.Flush()
}
