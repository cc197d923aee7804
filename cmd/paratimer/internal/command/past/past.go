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
	w.Speed = f.Speed
	if err := follow.Preview(c, &w); err != nil {
		return err
	}
	err = follow.Run(c, w)
	if errors.As(err, new(*recording.LineError)) || errors.Is(err, spark.ErrNoTasks) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}
