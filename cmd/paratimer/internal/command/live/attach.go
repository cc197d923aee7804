package live

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// attach watches a query on a live cluster.
func attach(c *cli.Context) error {
	return attachQuery(c, c.Args().First())
}

// attachQuery watches the query with an id, at the address of a driver, or the newest one.
func attachQuery(c *cli.Context, typed string) (err error) {
	every := c.Duration("every")
	if every < input.MinEvery {
		return command.Usage("--every %v: less than %v is too much for a cluster", every, input.MinEvery)
	}
	if err := cmp.Or(input.CheckUnit(c), input.CheckRecord(c)); err != nil {
		return err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	var target yarn.Target
	if !input.IsDriver(typed) {
		if target, err = yarn.TargetOf(typed, input.UserName(c)); err != nil {
			return command.Usage("%w", err)
		}
	}
	var client *engine.Client
	var tap rest.Layer
	answers, done, err := input.Answers(c, func() dag.Instant { return client.Now() })
	if err != nil {
		return err
	}
	defer done(&err)
	if answers != nil {
		tap = answers.Layer
	}
	driver, err := input.NewDriver(c.Context, c, typed, tap)
	switch {
	case err != nil:
		return err
	case driver != nil:
		client = driver.Client
	default:
		if client, err = input.NewClient(c, tap); err != nil {
			return err
		}
	}
	defer client.Close()
	keys, err := collecting(c.Context, c)
	if err != nil {
		return err
	}
	defer keys.close()
	if c.Bool("session") && input.ObservationsFile(c) != "" {
		return command.Usage("--session: a recording holds one workflow; add --raw to record a session")
	}
	ctx, cancel := command.Limited(c)
	defer cancel()
	c.Context = ctx
	id := target.ID
	start := func(id string) watching {
		target.ID = id
		return input.NewWorkflow(c, client, target)
	}
	if driver != nil {
		id = ""
		start = func(id string) watching { return driver.Source(id).Peek() }
	}
	what := ""
	for failed := error(nil); ; {
		query := start(id)
		err := attachTo(c, query, target, keys, profiles, every)
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
		command.Tell(c)("waiting for the next " + what)
		if id, err = following(ctx, query.After, every); err != nil || id == "" {
			return cmp.Or(err, failed)
		}
	}
}

// A watching source may be followed by another one of its application.
type watching interface {
	watch.Source
	engine.Follower
}

// An after is engine.Follower.After.
type after func(context.Context) (id string, over bool, err error)

// attachTo watches one workflow to its end.
func attachTo(c *cli.Context, query watch.Source, target yarn.Target, keys *collector, profiles []*dag.Plan,
	every time.Duration,
) (err error) {
	grouped, leave := keys.source(query)
	defer leave()
	src, done, err := input.Recorded(c, grouped)
	if err != nil {
		return err
	}
	defer done(&err)
	if keys != nil && target.ID == "" {
		src = &awaiting{Source: src, every: every, say: command.Tell(c)}
	}
	rec := input.Recorder(c, profiles)
	told, finish, err := follow.Notifying(c)
	if err != nil {
		return err
	}
	defer finish()
	return follow.Run(c, &input.Profiled{Source: src, Profiles: rec.Profiles}, follow.Pace{Every: every},
		input.Remembering(rec), told)
}

// following waits for what comes next, and returns its id; "" if the session has ended.
func following(ctx context.Context, next after, every time.Duration) (id string, err error) {
	for wait := every; ; wait = min(2*wait, sessionWait) {
		id, over, err := next(ctx)
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
