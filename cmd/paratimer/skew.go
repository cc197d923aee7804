package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

func skewFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		outputFlag("text", "json"),
		&cli.StringFlag{Name: "at", EnvVars: env("at"), Usage: "of a recording, how it stood at `TIME` (90s) of the run, or at a part of it (0.5, 50%) (default: when the delay was greatest)"},
		&cli.DurationFlag{Name: "timeout", EnvVars: env("timeout"), Usage: "give up after `TIME`, with exit code 124"},
		&cli.StringFlag{Name: "metrics-url", EnvVars: env("metrics-url"), Usage: "ask the watcher that serves its metrics at `URL`, not the cluster: it knows the keys that taps tell it"},
		watcherTokenFlag(), deltaFlag(), profileFlag(),
	}, recordingFlags(), clusterFlags(), historyFlags())
}

// skew says which reduces hold a query back, by which keys, and what another dealing would gain.
func skew(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	when, err := parseMoment(c.String("at"))
	if err != nil {
		return err
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return err
	}
	ctx, cancel := limited(c)
	defer cancel()
	r, err := skewSeen(ctx, c, when, profiles)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	if c.String("output") == "json" {
		return view.SkewJSON(c.App.Writer, r)
	}
	return view.SkewText(c.App.Writer, r)
}

// skewSeen is what a watcher says, or what is made of a run.
func skewSeen(ctx context.Context, c *cli.Context, when moment, profiles []*dag.Plan) (frame.SkewReport, error) {
	name := c.Args().First()
	url := c.String("metrics-url")
	if _, exists, err := fileKind(name); url == "" || exists || err != nil {
		run, err := skewedRun(ctx, c, name, when, profiles)
		if err != nil {
			return frame.SkewReport{}, err
		}
		return skewReport(modelOf(c), run)
	}
	if when != (moment{}) {
		return frame.SkewReport{}, usage("--at goes with a recording")
	}
	v, err := visiting(c)
	if err != nil {
		return frame.SkewReport{}, err
	}
	f, err := askWatcher(ctx, v, url, name)
	return frame.SkewReport{
		SchemaVersion: f.SchemaVersion, At: f.At, Workflow: f.Workflow, ElapsedSeconds: f.ElapsedSeconds,
		RemainingSeconds: f.Headline.RemainingSeconds, EndAt: f.Headline.EndAt, Skew: f.Skew,
	}, err
}

// skewReport is how the reduces stand at the end of a run.
func skewReport(model estimators.Model, run dag.Run) (frame.SkewReport, error) {
	s := run.Now()
	w := estimators.NewWorld(run, model, estimators.Options{})
	r := frame.SkewReport{
		SchemaVersion:  frame.SchemaVersion,
		Workflow:       frame.Workflow{ID: frame.Text(s.ID), Name: frame.Text(s.Plan.Name), State: dag.Blocked},
		ElapsedSeconds: frame.Since(s.At, s.Origin()),
	}
	submitted := s.Origin().Known()
	if submitted {
		r.At, r.Workflow.State = frame.TimeOf(s.At), s.State
	}
	skew, err := w.Skew(true)
	if err != nil || s.State.Ended() {
		return r, err
	}
	sch, err := w.Schedule()
	if err != nil {
		return r, err
	}
	remaining := sch.Remaining()
	if skew != nil {
		r.RemainingSeconds = frame.SecondsIn(&remaining)
	}
	if skew != nil && submitted {
		r.EndAt = frame.TimeOf(sch.End)
	}
	r.Skew = watch.Skew(s, skew, &remaining)
	return r, nil
}
