package plan

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// whatIf predicts the end of a query under changes.
func whatIf(c *cli.Context, f *follow.Flags) error {
	changes, err := changesOf(c)
	if err != nil {
		return err
	}
	// A plan, a recording, or a query of the cluster.
	run, err := f.Subject(c, c.Args().First())
	if err != nil {
		return err
	}
	shown, replay, err := whatIfOf(c, run, c.String("at") == "")
	if err != nil {
		return err
	}
	v, err := watch.UnlessDone(c.Context, func() (*planview.WhatIf, error) {
		return planview.Ask(shown, replay, changes)
	})
	switch {
	case context.Cause(c.Context) != nil:
		return context.Cause(c.Context)
	case err != nil:
		return command.Usage("%w", err)
	}
	return command.Show(c, "", v)
}

// changesOf parses the flags; each value is a separate change.
func changesOf(c *cli.Context) (all []whatif.Change, err error) {
	for _, name := range []string{"slots", "scale", "fail", "skew", "policy", "slowstart", "pace"} {
		values := c.StringSlice(name)
		if values == nil && c.IsSet(name) {
			values = []string{c.String(name)}
		}
		for _, text := range values {
			if text == "as-is" {
				continue
			}
			change, err := whatif.Parse(strings.Replace(name, "slowstart", "slow start", 1), text)
			if err != nil {
				return nil, command.Usage("--%s: %w", name, err)
			}
			all = append(all, change)
		}
	}
	return all, nil
}

// whatIfOf returns a replay of a run: of the rest of it, or, if it has ended, of all of it again.
func whatIfOf(c *cli.Context, run dag.Run, whole bool) (*dag.Snapshot, *whatif.Replay, error) {
	s := run.Now()
	switch {
	case !s.Origin().Known(): // a plan, before it runs
		plan := *s
		plan.State, plan.At = dag.Blocked, dag.NoInstant
		s = &plan
	case s.State.Ended() && !whole:
		return nil, nil, command.Usage("the query has ended by then: leave --at out for the length of the whole run")
	case s.State.Ended() && s.State != dag.Succeeded:
		return nil, nil, command.Usage(
			"the query did not succeed (%s), and the work that did not run is unknown: give a time before its end with --at", s.State)
	}
	replay, err := whatif.Of(run, follow.ModelOf(c))
	if err != nil {
		return nil, nil, command.Usage("%w", err)
	}
	return s, replay, nil
}
