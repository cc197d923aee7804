package plan

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// whatIf predicts the end of a query under changes.
func whatIf(c *cli.Context) error {
	if err := command.Arguments(c, 0, 1); err != nil {
		return err
	}
	changes, err := changesOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := command.Limited(c)
	defer cancel()
	shown, replay, err := whatIfSubject(ctx, c)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	v, err := command.UnlessInterrupted(ctx, func() (*planview.WhatIf, error) {
		return planview.Ask(shown, replay, changes)
	})
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return command.Usage("%w", err)
	}
	if path := c.String("svg"); path != "" {
		if err := command.WriteFile(path, v.SVG); err != nil {
			return command.Usage("--svg: %w", err)
		}
	}
	if c.String("output") == "json" {
		return v.JSON(c.App.Writer)
	}
	return v.Text(c.App.Writer)
}

// changesOf parses the flags; each value is a separate change.
func changesOf(c *cli.Context) (all []whatif.Change, err error) {
	for _, flag := range []struct {
		name, kind string
		values     []string
	}{
		{"slots", "slots", c.StringSlice("slots")},
		{"scale", "scale", c.StringSlice("scale")},
		{"fail", "fail", c.StringSlice("fail")},
		{"skew", "skew", []string{c.String("skew")}},
		{"policy", "policy", []string{c.String("policy")}},
		{"slowstart", "slow start", []string{c.String("slowstart")}},
		{"pace", "pace", c.StringSlice("pace")},
	} {
		for _, text := range flag.values {
			if text == "" && !c.IsSet(flag.name) || text == "as-is" {
				continue
			}
			change, err := whatif.Parse(flag.kind, text)
			if err != nil {
				return nil, command.Usage("--%s: %w", flag.name, err)
			}
			all = append(all, change)
		}
	}
	return all, nil
}
