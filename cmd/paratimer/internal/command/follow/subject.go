package follow

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Subject returns the run that a name stands for: if there is a file with the name, that of a plan before its
// submission, or of a recording until --at, else that of a query of the cluster. The query is polled until enough
// returns true, most times at most.
func Subject(ctx context.Context, c *cli.Context, name string, most int, enough func(dag.Run) (bool, error)) (
	run dag.Run, err error,
) {
	when, err := input.ParseMoment(c.String("at"))
	if err != nil {
		return run, err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return run, err
	}
	isRecording, exists, err := input.IsRecording(name)
	switch {
	case err != nil:
		return run, err
	case !isRecording && when != (input.Moment{}):
		return run, command.Usage("--at goes with a recording")
	case !exists:
		return input.Look(ctx, c, name, profiles, most, enough)
	case !isRecording:
		plan, err := planfile.ReadFile(name, planfile.Options{})
		if err != nil {
			return run, input.NotAPlan(name, "plan or recording", err)
		}
		return run.Append(planview.Before(plan, profiles)), nil
	}
	open := func() (watch.Source, io.Closer, error) {
		src, file, err := input.Open(c, name)
		return input.WithProfiles(src, profiles), file, err
	}
	until, err := when.Until(ctx, name, open)
	if err != nil {
		return run, err
	}
	err = input.EachSnapshot(ctx, name, open, func(s *dag.Snapshot) (bool, error) {
		run = run.Append(s)
		since := s.Origin()
		return until > 0 && since.Known() && s.At.Sub(since) >= until, nil
	})
	if err == nil && len(run.Window) == 0 {
		err = command.Usage("%s: the recording holds no observation", name)
	}
	return run, err
}
