// Package past has the commands for past runs: report, replay, compare, score and history.
package past

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		command.New("report", "[FILE|ID|NAME]",
			"explain a run in one HTML file: what happened, where the time went, what was predicted, what would have helped",
			report),
		command.New("replay", "FILE", "play a recorded run, - from stdin: on a screen, in lines, or as frames", replay),
		command.New("compare", "RUN RUN...",
			"compare runs of one script: which jobs became slower, by more data or by more time a record",
			compared),
		command.New("score", "FILE...", "compare every estimator with what happened in recorded runs", score),
		historyCommand(),
	}
}

// replay plays a recording: it gives the same frames as the live watch.
func replay(c *cli.Context) (err error) {
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	speed, err := follow.SpeedOf(c)
	if err != nil {
		return err
	}
	path := c.Args().First()
	src, file, err := opened(c, path)
	if err != nil {
		return err
	}
	defer command.Closing(file, path, &err)
	printed, err := follow.Printing(c)
	if err != nil {
		return err
	}
	err = follow.Run(c, input.WithProfiles(src, profiles), follow.Pace{Speed: speed}, printed)
	if errors.As(err, new(*recording.LineError)) || errors.Is(err, spark.ErrNoTasks) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// opened opens the recording to replay: a file, or stdin for "-".
func opened(c *cli.Context, path string) (watch.Source, io.Closer, error) {
	if path != "-" {
		return input.OpenToShow(c, path)
	}
	workflow, every := input.WorkflowID(c), c.Duration("every")
	if every < 0 {
		return nil, nil, command.Usage("--every %v: it is 0 or more", every)
	}
	src, err := input.PlayStdin(c.App.Reader, recording.Options{Workflow: workflow, Every: every})
	return src, io.NopCloser(nil), err
}
