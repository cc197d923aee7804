package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/estimators/whatif"
)

func whatifFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringSliceFlag{Name: "slots", EnvVars: env("slots"), Usage: "with `N` slots (64, +2, 2x, inf), of one kind after map= or reduce=; may be repeated"},
		&cli.StringSliceFlag{Name: "scale", EnvVars: env("scale"), Usage: "with an input `N` times as large; may be repeated"},
		&cli.StringSliceFlag{Name: "fail", EnvVars: env("fail"), Usage: "with a failure at the worst moment of `WHAT`: task, node, a job, or a task of it (JOB:m3); may be repeated"},
		choice("skew", "with the work of each job's reduces spread evenly", "as-is", "none"),
		&cli.StringSliceFlag{Name: "policy", EnvVars: env("policy"), Usage: "under another scheduler `NAME`: fifo, yarn, ideal; may be repeated"},
		&cli.StringFlag{Name: "slowstart", EnvVars: env("slowstart"), Usage: "with reduces asked for when this `RATIO` of the maps is done (YARN)"},
		&cli.StringSliceFlag{Name: "pace", EnvVars: env("pace"), Usage: "with records that take `R` times as long, in one job after JOB=; may be repeated"},
		profileFlag(),
		outputFlag("text", "json"),
		&cli.StringFlag{Name: "svg", EnvVars: env("svg"), Usage: "draw time against slots to `FILE`, as SVG"},
		&cli.StringFlag{Name: "at", EnvVars: env("at"), Usage: "of a recording, ask at `TIME` (90s) of the run, or at a part of it (0.5, 50%) (default: about all of it)"},
		&cli.DurationFlag{Name: "timeout", EnvVars: env("timeout"), Usage: "give up after `TIME`, with exit code 124"},
		deltaFlag(),
	}, whatIfModelFlags(), recordingFlags(), clusterFlags(), historyFlags())
}

// whatIf says when a query would end under changes.
func whatIf(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	changes, err := changesOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := limited(c)
	defer cancel()
	v, replay, err := whatIfSubject(ctx, c)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	v.Room, v.Elapsed = replay.Room(), replay.Elapsed()
	models, err := whatIfModels(c, v, replay)
	if err != nil {
		return err
	}
	scene := whatif.Scene{Models: models, Room: v.Room, Tasks: replay.Tasks()}
	v.Report, err = unlessInterrupted(ctx, func() (*whatif.Report, error) { return whatif.Ask(scene, changes) })
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return usage("%w", err)
	}
	for _, said := range v.Said {
		v.Report.Warnings = append(v.Report.Warnings, whatif.Warning{Code: whatif.WarnObservation, Text: said.Text})
	}
	if path := c.String("svg"); path != "" {
		if err := writeFile(path, v.SVG); err != nil {
			return usage("--svg: %w", err)
		}
	}
	if c.String("output") == "json" {
		return v.JSON(c.App.Writer)
	}
	return v.Text(c.App.Writer)
}

// changesOf reads the flags, each value a change of its own.
func changesOf(c *cli.Context) (all []whatif.Change, err error) {
	add := func(flag string, read func(text string) (whatif.Change, error)) {
		for _, text := range c.StringSlice(flag) {
			change, e := read(text)
			if e != nil && err == nil {
				err = usage("--%s: %w", flag, e)
			}
			all = append(all, change)
		}
	}
	add("slots", func(text string) (whatif.Change, error) {
		s, err := whatif.ParseSlots(text)
		return whatif.Change{Slots: []whatif.Slots{s}}, err
	})
	add("scale", func(text string) (whatif.Change, error) {
		v, err := whatif.ParseScale(text)
		return whatif.Change{Scale: v}, err
	})
	add("fail", func(text string) (whatif.Change, error) {
		f, err := whatif.ParseFailure(text)
		return whatif.Change{Failures: []whatif.Failure{f}}, err
	})
	if c.String("skew") == "none" {
		all = append(all, whatif.Change{Even: true})
	}
	add("policy", func(text string) (whatif.Change, error) {
		p, err := whatif.ParsePolicy(text)
		return whatif.Change{Policy: p}, err
	})
	if text := c.String("slowstart"); text != "" {
		v, e := whatif.ParseSlowStart(text)
		if e != nil && err == nil {
			err = usage("--slowstart: %w", e)
		}
		all = append(all, whatif.Change{SlowStart: &v})
	}
	add("pace", func(text string) (whatif.Change, error) {
		p, err := whatif.ParsePace(text)
		return whatif.Change{Pace: []whatif.Pace{p}}, err
	})
	return all, err
}
