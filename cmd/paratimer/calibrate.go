package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/calibrate"
	"github.com/paratimer/paratimer/estimators"
)

func calibrateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "runs", EnvVars: env("runs"), Value: 2000, Usage: "simulate `N` runs, of some dozens of workflows"},
		&cli.Uint64Flag{Name: "seed", EnvVars: env("seed"), Value: 1, Usage: "draw everything that is random from `N`: the same seed, the same numbers"},
		outputFlag("text", "json"),
	}
}

// maxCalibrated bounds --runs: what each run said is kept until the end.
const maxCalibrated = 100_000

// calibration tries on simulated runs whether ranges hold as often as they say.
func calibration(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	runs := c.Int("runs")
	if runs < 1 || runs > maxCalibrated {
		return usage("--runs %d: it is a number from 1 to %d", runs, maxCalibrated)
	}
	report, err := calibrate.Run(c.Context, calibrate.Options{
		Runs: runs, Seed: c.Uint64("seed"), Workers: runtime.GOMAXPROCS(0),
		Estimator: func() estimators.Estimator { return panel(false).Sampled },
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
		fmt.Fprintf(w, "%.0f %%\t%.0f %%\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t\n", 100*b.AtRatio, 100*b.RangeRatio,
			b.Runs, percent(b.HeldRatio), percent(b.MeanWidthRatio), percent(b.RawHeldRatio), percent(b.RawMeanWidthRatio),
			rough.Runs, percent(rough.HeldRatio), percent(rough.MeanWidthRatio))
	}
	return w.Flush()
}

func percent(ratio *float64) string {
	if ratio == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f %%", 100**ratio)
}
