package live

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// attach watches a query on a live cluster.
func attach(c *cli.Context, f *follow.Flags) error { return attachQuery(c, f, c.Args().First()) }

// attachQuery watches the query with an id, at the address of a driver, or the newest one.
func attachQuery(c *cli.Context, f *follow.Flags, typed string) (err error) {
	if err := input.CheckRecord(c); err != nil {
		return err
	}
	var target *input.Target
	tap, done, err := input.Answers(c, func() dag.Instant { return target.Now() })
	if err != nil {
		return err
	}
	defer done(&err)
	if target, err = input.Connect(c, typed, tap); err != nil {
		return err
	}
	defer target.Close()
	keys, err := collecting(c)
	if err != nil {
		return err
	}
	defer keys.close()
	id, what := "", ""
	for failed := error(nil); ; {
		query := target.Source(id)
		err := attachTo(c, f, query, target.IsNewest(), keys)
		if failed = cmp.Or(failed, err); err != nil && !errors.Is(err, command.ErrQueryFailed) {
			return err
		}
		if what == "" {
			name, byDefault := query.Follows()
			if c.Bool("session") || byDefault && !c.IsSet("session") && input.ObservationsFile(c) == "" {
				what = name
			}
		}
		if what == "" {
			return failed
		}
		command.Notice(c)("waiting for the next " + what)
		if id, err = following(c.Context, query, c.Duration("every")); err != nil || id == "" {
			return cmp.Or(err, failed)
		}
	}
}

// attachTo watches one workflow to its end.
func attachTo(c *cli.Context, f *follow.Flags, query input.Query, isNewest bool, keys *collector) (err error) {
	grouped, leave := keys.source(query)
	defer leave()
	src, done, err := input.Recorded(c, grouped)
	if err != nil {
		return err
	}
	defer done(&err)
	every := c.Duration("every")
	if keys != nil && isNewest {
		src = &awaiting{Source: src, every: every, say: command.Notice(c)}
	}
	rec := &history.Recorder{
		Store: input.StateOrNone(c), Given: f.Profiles, Log: *command.Logger(c), Report: command.Notice(c),
	}
	w := f.Watch(c, src, rec)
	w.Every = every
	rec.Join(&w)
	finish, err := follow.Notify(c, &w)
	if err != nil {
		return err
	}
	defer finish()
	return follow.Run(c, w)
}

// following waits for what comes next, and returns its id; "" if the session has ended.
func following(ctx context.Context, query input.Query, every time.Duration) (id string, err error) {
	for wait := every; ; wait = min(2*wait, sessionWait) {
		id, over, err := query.After(ctx)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err == nil && (id != "" || over) {
			return id, nil
		}
		if err := watch.Sleep(ctx, wait); err != nil {
			return "", err
		}
	}
}

// sessionWait is the longest wait between two polls for the next DAG of a session, or SQL execution.
const sessionWait = 15 * time.Second
