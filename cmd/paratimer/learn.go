package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/observed"
)

// learn makes a profile, a plan file with costs, of recorded runs of one script; or, with --demands, a job file.
func learn(c *cli.Context) error {
	if err := arguments(c, 1, -1); err != nil {
		return err
	}
	if c.Bool("demands") {
		return learnDemands(c)
	}
	var runs []*dag.Plan
	for _, path := range c.Args().Slice() {
		plan, err := learnFile(c, path)
		if err != nil {
			return err
		}
		runs = append(runs, plan)
	}
	profile, ok := observed.Merge(runs, nil)
	if !ok {
		return usage("these recordings are of different scripts: make a profile of each")
	}
	return writeProfile(c, profile)
}

func learnFile(c *cli.Context, path string) (plan *dag.Plan, err error) {
	src, file, err := openRecording(path, c.String("workflow"), c.Duration("every"))
	if err != nil {
		return nil, err
	}
	defer closing(file, path, &err)
	if src, err = spooled(c, src); err != nil {
		return nil, err
	}
	run, err := wholeRun(c.Context, src)
	log := logger(c)
	var cut *capture.CutOffError
	switch {
	case len(run.Window) == 0 && err != nil:
		return nil, usage("%s: %w", path, err)
	case err != nil && !errors.As(err, &cut):
		return nil, usage("%s: %w", path, err)
	case !run.Now().State.Ended():
		log.Warn().Str("file", path).Msg("the recording ends before the query: what did not run is not learned")
	case run.Now().State != dag.Succeeded:
		log.Warn().Str("file", path).Stringer("state", run.Now().State).Msg("the query did not succeed: what did not run is not learned")
	}
	plan = observed.Learn(run)
	for _, j := range plan.Jobs {
		if j.Map.Known || j.Reduce.Known {
			return plan, nil
		}
	}
	return nil, usage("%s: no job has run in it: there is nothing to learn", path)
}

// wholeRun plays a source to its end.
func wholeRun(ctx context.Context, src watch.Source) (dag.Run, error) {
	var run dag.Run
	for {
		s, err := src.Next(ctx)
		var missed *dag.MissedError
		switch {
		case ctx.Err() != nil:
			return run, context.Cause(ctx)
		case errors.Is(err, io.EOF) && len(run.Window) == 0:
			return run, errors.New("no observation in it")
		case errors.Is(err, io.EOF):
			return run, nil
		case errors.As(err, &missed):
		case err != nil:
			return run, fmt.Errorf("cannot play it to its end: %w", err)
		default:
			run = run.Append(s)
		}
	}
}
