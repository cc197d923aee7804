// Package past has the commands for past runs: report, replay, compare, score and history.
package past

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		follow.Command("report", "[FILE|ID|NAME]",
			"explain a run in one HTML file: what happened, where the time went, what was predicted, what would have helped",
			report),
		follow.Command("replay", "FILE", "play a recorded run, - from stdin: on a screen, in lines, or as frames", replay),
		command.New("compare", "RUN RUN...",
			"compare runs of one script: which jobs became slower, by more data or by more time a record",
			compared),
		follow.Command("score", "FILE...", "compare every estimator with what happened in recorded runs", score),
		command.Group("history", "what is remembered of earlier runs: their profiles, their usual length",
			command.New("list", "", "list the remembered workflows", historyList),
			command.New("show", "NAME", "list the runs of a workflow, and why some do not count", historyShow),
			command.New("forget", "[NAME]", "forget a workflow, one run of it, or all workflows", historyForget),
			command.New("profile", "NAME|FILE...",
				"write the profile of a workflow's next run, or of recorded runs of one script, for --profile", profileOf),
			command.New("add", "PATH...",
				"remember past runs, or write their recordings with --out: recordings, job history, event logs, folders, webhdfs://",
				historyAdd),
		),
	}
}

// replay plays a recording: it gives the same frames as the live watch.
func replay(c *cli.Context, f *follow.Flags) error {
	path := c.Args().First()
	src, err := input.OpenToShow(c, path)
	if err != nil {
		return err
	}
	w := f.Watch(c, src, nil)
	w.Speed = c.Float64("speed")
	if err := follow.Preview(c, &w); err != nil {
		return err
	}
	err = follow.Run(c, w)
	if errors.As(err, new(*recording.LineError)) || errors.Is(err, spark.ErrNoTasks) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// compared compares recorded runs of one script.
func compared(c *cli.Context) error {
	var runs []*compare.Run
	for _, path := range c.Args().Slice() {
		r, err := comparedRun(c, path)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	found, err := compare.Compare(runs, c.Int("base"))
	if err != nil {
		return command.Usage("%w", err)
	}
	found.Zone = command.Zone(c)
	if err := command.Show(c, c.String("out"), found); err != nil {
		return err
	}
	if c.Bool("fail-on-regression") && found.Regressed {
		return command.ErrQueryFailed // the comparison shows it
	}
	return nil
}

// comparedRun plays a recording to its end, or to where it is cut off. The run has a chart only if the output is a page
// and the chart can be drawn.
func comparedRun(c *cli.Context, path string) (r *compare.Run, err error) {
	src, err := input.Open(c, path)
	if err != nil {
		return nil, err
	}
	var all compare.Collector
	run, err := input.Played(c.Context, path, src, all.See)
	if err != nil {
		return nil, err
	}
	r, err = all.Run(path, run, cost.With(cost.Options{DeltaBytes: nearestfit.Default().DeltaBytes}))
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	if command.Format(c) == "html" {
		if g, _, err := runreport.ChartOf(run, cost.Costs); err == nil { // the rest of the comparison does not need it
			r.Chart = &g
		}
	}
	return r, nil
}
