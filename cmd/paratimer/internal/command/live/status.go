package live

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// statusTime bounds the time for observations, in which the speed of tasks shows.
const statusTime = 20 * time.Second

// status prints the state of a query in a few lines, or as a frame.
func status(c *cli.Context, f *follow.Flags) error {
	seen, err := observe(c, f, statusTime)
	switch {
	case errors.As(err, new(command.UsageError)):
		return err
	case errors.Is(err, input.ErrIdle):
		return command.Usage("%w: `paratimer list` shows what runs", err)
	case err != nil:
		return err
	}
	err = follow.Lines(c).Show(frame.Tick{Frame: seen})
	if s := seen.Workflow.State; err == nil && (s == dag.Failed || s == dag.Killed) {
		return command.ErrQueryFailed
	}
	return err
}
