package plan

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/whatifview"
	"github.com/paratimer/paratimer/estimators/ernest"
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
	scene := whatif.Scene{Models: models, Room: v.Room, Wanted: replay.Wanted()}
	v.Report, err = command.UnlessInterrupted(ctx, func() (*whatif.Report, error) { return whatif.Ask(scene, changes) })
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return command.Usage("%w", err)
	}
	for _, observed := range v.Warnings {
		v.Report.Warnings = append(v.Report.Warnings, whatif.Warning{Code: whatif.WarnObservation, Text: observed.Text})
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
	add := func(flag string, read func(text string) (whatif.Change, error)) {
		for _, text := range c.StringSlice(flag) {
			change, e := read(text)
			if e != nil && err == nil {
				err = command.Usage("--%s: %w", flag, e)
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
			err = command.Usage("--slowstart: %w", e)
		}
		all = append(all, whatif.Change{SlowStart: &v})
	}
	add("pace", func(text string) (whatif.Change, error) {
		p, err := whatif.ParsePace(text)
		return whatif.Change{Pace: []whatif.Pace{p}}, err
	})
	return all, err
}

// whatIfModels returns the predictors, the most trusted one first.
func whatIfModels(c *cli.Context, v *whatifview.View, replay *whatif.Replay) ([]whatif.Predictor, error) {
	only := c.String("model")
	wanted := func(model string) bool { return only == "all" || only == model }
	if c.String("ernest") == "" && c.IsSet("ernest-at") {
		return nil, command.Usage("--ernest-at goes with --ernest FILE")
	}
	var out []whatif.Predictor
	if wanted(whatif.ModelReplay) {
		out = append(out, replay)
	}
	for _, m := range []struct {
		name, flag string
		read       func(*cli.Context, *whatif.Replay) (whatif.Predictor, error)
	}{
		{whatif.ModelQueueing, "demands", whatIfQueueing},
		{whatif.ModelErnest, "ernest", whatIfErnest},
	} {
		given := c.String(m.flag) != ""
		switch {
		case only == m.name && !given:
			return nil, command.Usage("--model %s needs --%s FILE", m.name, m.flag)
		case !given || !wanted(m.name):
			continue
		case v.Elapsed > 0:
			return nil, command.Usage(
				"--%s: the %s model tells of whole runs, not of what is left of one; ask about the plan, or the finished run", m.flag, m.name)
		}
		p, err := m.read(c, replay)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func whatIfQueueing(c *cli.Context, replay *whatif.Replay) (whatif.Predictor, error) {
	file, _, err := jobfile.ReadFile(c.String("demands"), c.App.Reader)
	if err != nil {
		if other := input.WrongKind(c.String("demands"), "job file"); other != nil {
			err = other
		}
		return nil, command.Usage("--demands: %w", err)
	}
	q, err := whatif.NewQueueing(&file.Spec, replay.Plan(), replay.Room())
	if err != nil {
		return nil, command.Usage("--demands: this cannot be modelled: %w", err)
	}
	return q, nil
}

func whatIfErnest(c *cli.Context, replay *whatif.Replay) (whatif.Predictor, error) {
	m, err := readModel(c, c.String("ernest"), ernestmodel.Columns{
		Machines: "machines", Scale: "scale",
		Seconds: "seconds", Whole: true,
	})
	if err != nil {
		return nil, fmt.Errorf("--ernest: %w", err)
	}
	if m.Iterative() {
		return nil, command.Usage("--ernest: that is a model of iterations: a query has none")
	}
	at, err := tuplesOf(c, "ernest-at", "MACHINES", "SCALE")
	if err != nil {
		return nil, err
	}
	machines, scale := float64(replay.Nodes()), 1.0
	switch {
	case len(at) > 1:
		return nil, command.Usage("--ernest-at: this query is one run")
	case len(at) == 1:
		machines, scale = at[0][0], at[0][1]
	case machines == 0:
		return nil, command.Usage("--ernest: how many machines the query has is not known: say it with --ernest-at " +
			"MACHINES,SCALE")
	}
	predict := func(machines, scale float64) ernest.Prediction {
		return m.Predict(ernest.Point{Machines: machines, Scale: scale})
	}
	return whatif.NewErnest(predict, machines, scale, replay.Room(), c.Bool("force")), nil
}
