package live

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// observe observes the query of the command's argument until its remaining time is known, or half of within has
// passed.
func observe(c *cli.Context, f *follow.Flags, within time.Duration) (frame.Frame, error) {
	began := time.Now()
	w, _, err := f.Query(c, c.Args().First())
	if err != nil {
		return frame.Frame{}, err
	}
	last, err := follow.Look(c.Context, w, func(tick frame.Tick) bool {
		return tick.Frame.Headline.RemainingSeconds != nil || time.Since(began)+input.LookEvery > within/2
	})
	var none *yarn.NoWorkflowError
	if errors.As(err, &none) && none.Target.ID == "" {
		err = input.ErrIdle // no workflow was named
	}
	return last.Frame, err
}

// lookIn returns the newest frame of a recording at --at, or at its end. It evaluates a few observations, as far apart
// as polls of a cluster: all of them take too long.
func lookIn(c *cli.Context, f *follow.Flags, file string) (frame.Frame, error) {
	src, err := input.OpenRecording(file, recording.Options{Workflow: c.Args().First()})
	if err != nil {
		return frame.Frame{}, err
	}
	src.UntilAfter(c.Duration("at"))
	var few observations
	if _, err := input.Played(c.Context, file, src, func(s *dag.Snapshot) {
		if n := len(few); n > 1 && s.At.Sub(few[n-2].At) < input.LookEvery {
			few = few[:n-1]
		}
		few = append(few, s)
		few = few[max(0, len(few)-fewLooks):]
	}); err != nil {
		return frame.Frame{}, err
	}
	last, err := follow.Look(c.Context, f.Watch(c, &few, nil), func(frame.Tick) bool { return false })
	return last.Frame, err
}

// fewLooks is how many observations of a recording are evaluated.
const fewLooks = 3

// observations is a source of existing snapshots.
type observations []*dag.Snapshot

func (o *observations) Next(context.Context) (*dag.Snapshot, error) {
	if len(*o) == 0 {
		return nil, io.EOF
	}
	s := (*o)[0]
	*o = (*o)[1:]
	return s, nil
}
