package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Query returns a query of the cluster as a source with profiles: those given, then those of the history. rec stores
// its run.
func Query(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan) (src watch.Source,
	rec *history.Recorder, done func(), err error,
) {
	client, err := NewClient(c, nil)
	if err != nil && name != "" {
		err = fmt.Errorf("there is no file %s here, and for a query of that name: %w", name, err)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	target, err := Pick(ctx, client, name, UserName(c))
	if err != nil {
		client.Close()
		return nil, nil, nil, err
	}
	rec = &history.Recorder{Store: StateOrNone(c, command.Logger(c)), Given: profiles, Log: zerolog.Nop()}
	return &Profiled{Source: NewWorkflow(c, client, target), Profiles: rec.Profiles}, rec, client.Close, nil
}

// Look polls a query of the cluster until it has ended or enough returns true, at most most times.
func Look(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan, most int,
	enough func(dag.Run) (bool, error),
) (run dag.Run, err error) {
	src, _, done, err := Query(ctx, c, name, profiles)
	if err != nil {
		return run, err
	}
	defer done()
	for look := 1; ; look++ {
		s, err := src.Next(ctx)
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
			return run, errors.New(
				"the query has too many tasks to be estimated: `paratimer attach` shows how many, and how far it is")
		}
		run = run.Append(s)
		told, err := enough(run)
		if err != nil || told || s.State.Ended() || look == most {
			return run, err
		}
		if err := watch.Sleep(ctx, LookEvery); err != nil {
			return run, err
		}
	}
}

// ErrIdle means that nothing runs.
var ErrIdle = errors.New("nothing runs")

// LookEvery is the wait before a second poll, which may have speeds that the first one lacks: these need samples
// over 4 s, and reports are up to 3 s old.
const LookEvery = 3 * time.Second

// Pick finds the query for check: by an id as for attach, or by the name of a workflow, which stays the same from
// run to run. If several run it is the newest.
func Pick(ctx context.Context, client *engine.Client, typed, user string) (yarn.Target, error) {
	target, err := yarn.TargetOf(typed, user)
	if err != nil {
		return target, command.Usage("%w", err)
	}
	if target.ID == "" || engine.Owns(target.ID) {
		return target, nil
	}
	hub := engine.NewHub(client, client)
	if err := hub.Refresh(ctx); err != nil {
		return target, err
	}
	hub.IdentifyNewest(ctx)
	running := slices.DeleteFunc(hub.Running(), func(s yarn.Submitted) bool {
		return !GoesBy(typed, s.Name) && !(s.Title != "" && GoesBy(typed, s.Title))
	})
	if len(running) == 0 {
		return target, fmt.Errorf("%w that is called %s", ErrIdle, typed)
	}
	newest := slices.MaxFunc(running, func(a, b yarn.Submitted) int { return cmp.Compare(a.At, b.At) })
	if newest.Engine != "" && newest.Workflow != "" {
		return yarn.Target{ID: newest.Workflow}, nil
	}
	return yarn.Target{ID: newest.App}, nil
}

// GoesBy reports whether a pattern, such as nightly_*, matches a name, with the engine's prefix or without it.
func GoesBy(pattern, name string) bool {
	plain := pig.Script(name)
	if pattern == name || pattern == plain {
		return true
	}
	// In path.Match a * stops at a slash, but names have no folders.
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	for _, n := range []string{name, plain} {
		if ok, err := path.Match(flat(pattern), flat(n)); err == nil && ok {
			return true
		}
	}
	return false
}
