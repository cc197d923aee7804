package follow

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Subject returns the run that a name stands for: if there is a file with the name, that of a plan before its
// submission, or of a recording until --at, else that of a query of the cluster. The query is polled until enough
// returns true, most times at most.
func Subject(ctx context.Context, c *cli.Context, name string, most int, enough func(dag.Run) (bool, error)) (
	run dag.Run, err error,
) {
	after, part, err := moment(c.String("at"))
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
	case !isRecording && c.String("at") != "":
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
	until := func(end time.Duration) (run dag.Run, err error) {
		src, file, err := input.Open(c, name)
		if err != nil {
			return run, err
		}
		defer command.Closing(file, name, &err)
		return Played(ctx, name, Ending(input.WithProfiles(src, profiles), func(s *dag.Snapshot) bool {
			since := s.Origin()
			return end > 0 && since.Known() && s.At.Sub(since) >= end
		}))
	}
	run, err = until(after)
	if err == nil && part > 0 {
		s := run.Now()
		run, err = until(max(time.Duration(part*float64(s.At.Sub(s.Origin()))), time.Millisecond))
	}
	return run, err
}

// moment parses --at: a length of time after the first submission such as 90s, or a part of the whole run such as 0.5
// or 50%. Both are 0 for an empty text.
func moment(s string) (after time.Duration, part float64, err error) {
	if s == "" {
		return 0, 0, nil
	}
	if share, err := settings.ParseShare(s); err == nil {
		if share > 0 && share <= 1 {
			return 0, share, nil
		}
		return 0, 0, command.Usage(
			"--at %s: a part of the run is more than 0, and 1 or 100%% at most; times have a unit, such as 90s", s)
	}
	if after, err = time.ParseDuration(s); err != nil || after <= 0 {
		return 0, 0, command.Usage("--at %s: it is a time of the run, such as 90s, or a part of it, such as 0.5 or 50%%", s)
	}
	return after, 0, nil
}

// Played plays a recording to its end, or to where it is cut off. The path is its name in errors.
func Played(ctx context.Context, path string, src watch.Source, each ...func(*dag.Snapshot)) (dag.Run, error) {
	run, err := input.WholeRun(ctx, src, each...)
	if ctx.Err() != nil {
		return run, err
	}
	if cut := new(recording.CutOffError); err != nil && (len(run.Window) == 0 || !errors.As(err, &cut)) {
		return run, command.Usage("%s: %w", path, err)
	}
	return run, nil
}

// Ending returns a source that ends after the first snapshot for which isLast is true, whatever follows.
func Ending(src watch.Source, isLast func(*dag.Snapshot) bool) watch.Source {
	return &ending{Source: src, isLast: isLast}
}

type ending struct {
	watch.Source
	isLast func(*dag.Snapshot) bool
	ended  bool
}

func (e *ending) Next(ctx context.Context) (*dag.Snapshot, error) {
	if e.ended {
		return nil, io.EOF
	}
	s, err := e.Source.Next(ctx)
	e.ended = err == nil && e.isLast(s)
	return s, err
}
