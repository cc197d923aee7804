package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// limited is the command's context with its --timeout.
func limited(c *cli.Context) (context.Context, context.CancelFunc) {
	if d := c.Duration("timeout"); d > 0 {
		return context.WithTimeoutCause(c.Context, d, errTimeout)
	}
	return context.WithCancel(c.Context)
}

// lookNow looks at a query of the cluster until it has ended or has told enough, so many times at most.
func lookNow(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan, most int, enough func(dag.Run) (bool, error)) (run dag.Run, err error) {
	client, err := newClient(c, nil)
	if err != nil && name != "" {
		return run, fmt.Errorf("there is no file %s here, and for a query of that name: %w", name, err)
	}
	if err != nil {
		return run, err
	}
	defer client.Close()
	target, err := pick(ctx, client, name, userName(c))
	if err != nil {
		return run, err
	}
	rec := &history.Recorder{Source: hadoop.NewSource(client, target), Store: stateOrNone(c, logger(c)), Given: profiles, Log: zerolog.Nop()}
	for look := 1; ; look++ {
		s, err := rec.Next(ctx)
		var missed *dag.MissedError
		switch {
		case errors.Is(err, io.EOF) && look > 1:
			return run, nil
		case errors.As(err, &missed):
			return run, missed.Err
		case err != nil:
			return run, err
		}
		if dag.TooLarge(s.Warnings) {
			return run, errors.New("the query has too many tasks to be estimated: `paratimer attach` shows how many, and how far it is")
		}
		run = run.Append(s)
		told, err := enough(run)
		if err != nil || told || s.State.Ended() || look == most {
			return run, err
		}
		if err := watch.Sleep(ctx, lookEvery); err != nil {
			return run, err
		}
	}
}
