package plan

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/whatifview"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// whatIfSubject returns the subject of the prediction: a plan or a recording if there is a file with the name, else
// a query of the cluster.
func whatIfSubject(ctx context.Context, c *cli.Context) (*whatifview.View, *whatif.Replay, error) {
	path := c.Args().First()
	when, err := input.ParseMoment(c.String("at"))
	if err != nil {
		return nil, nil, err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return nil, nil, err
	}
	isRecording, exists, err := input.IsRecording(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !isRecording && when != (input.Moment{}):
		return nil, nil, command.Usage("--at goes with a recording")
	case !exists:
		run, err := whatIfNow(ctx, c, path, profiles)
		if err != nil {
			return nil, nil, err
		}
		return whatIfOf(c, run, true)
	case !isRecording:
		plan, err := planfile.ReadFile(path, planfile.Options{})
		if err != nil {
			return nil, nil, input.NotAPlan(path, "plan or recording", err)
		}
		v := &whatifview.View{Name: plan.Name, At: dag.NoInstant, Miss: math.NaN()}
		return v, whatif.NewReplay(dag.Run{}.Append(planview.Before(plan, profiles)), follow.ModelOf(c)), nil
	}
	open := func() (watch.Source, io.Closer, error) {
		src, file, err := input.Open(c, path)
		return input.WithProfiles(src, profiles), file, err
	}
	run, err := runUntil(ctx, path, open, when)
	if err != nil {
		return nil, nil, err
	}
	return whatIfOf(c, run, when == input.Moment{})
}

// runUntil reads a recording up to a moment; the zero moment is its end.
func runUntil(ctx context.Context, path string, open func() (watch.Source, io.Closer, error),
	when input.Moment,
) (run dag.Run, err error) {
	until, err := when.Until(ctx, path, open)
	if err != nil {
		return run, err
	}
	err = input.EachSnapshot(ctx, path, open, func(s *dag.Snapshot) (bool, error) {
		run = run.Append(s)
		since := s.Origin()
		return until > 0 && since.Known() && s.At.Sub(since) >= until, nil
	})
	if err == nil && len(run.Window) == 0 {
		err = command.Usage("%s: the recording holds no observation", path)
	}
	return run, err
}

// whatIfOf returns a replay of a run: of the rest of it, or, if it has ended, of all of it again.
func whatIfOf(c *cli.Context, run dag.Run, whole bool) (*whatifview.View, *whatif.Replay, error) {
	s := run.Now()
	v := &whatifview.View{
		Name: s.Plan.Name, ID: s.ID, State: s.State, At: s.At, Warnings: s.Warnings, Miss: math.NaN(),
	}
	if !s.State.Ended() {
		return v, whatif.NewReplay(run, follow.ModelOf(c)), nil
	}
	if !whole {
		return nil, nil, command.Usage("the query has ended by then: ask without --at what it would have taken")
	}
	if s.State != dag.Succeeded {
		return nil, nil, command.Usage(
			"the query did not succeed (%s), and what did not run is unknown: ask about a moment before its end with --at", s.State)
	}
	past, ok := whatif.Again(run)
	if !ok {
		return nil, nil, command.Usage("no job has run in it: there is nothing to learn")
	}
	replay, err := whatif.NewReplayOf(past, follow.ModelOf(c))
	if err != nil {
		return nil, nil, command.Usage("%w", err)
	}
	v.Took, v.Miss = past.Took, replay.Miss()
	return v, replay, nil
}

// whatIfNow polls a query of the cluster until its remaining time is known. Rates need two observations.
func whatIfNow(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan) (dag.Run, error) {
	looks := 0
	return input.Look(ctx, c, name, profiles, whatIfPolls, func(run dag.Run) (bool, error) {
		looks++
		e, err := estimators.New(estimators.Scenarios()[0], follow.ModelOf(c), estimators.Options{}).Estimate(run)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		return e.Remaining != nil && looks > 1, nil
	})
}

// whatIfPolls is the number of polls of a running query: the first one may be too early.
const whatIfPolls = 3
