package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Query returns a watch of the running query with an id or a name, with profiles of its history. rec stores its run if
// it joins the watch. The connection ends with the command's context.
func (f *Flags) Query(c *cli.Context, name string) (w watch.Watch, rec *history.Recorder, err error) {
	t, err := input.ConnectByName(c, name)
	if err != nil {
		return w, nil, err
	}
	context.AfterFunc(c.Context, t.Close)
	rec = &history.Recorder{Store: input.StateOrNone(c), Given: f.Profiles, Log: zerolog.Nop()}
	w = f.Watch(c, t.Source(""), rec)
	w.Every = input.LookEvery
	return w, rec, nil
}

// NoFile adds to the error of a query that there is no file with its name.
func NoFile(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("no file %s here, and no query of that name: %w", name, err)
}

// Look watches until enough returns true or the source ends, and returns the last tick that was not missed, also if it
// is interrupted. A missed observation of a query is an error.
func Look(ctx context.Context, w watch.Watch, enough func(frame.Tick) bool) (last frame.Tick, err error) {
	w.Log = zerolog.Nop()
	w.Sinks = append(w.Sinks, watch.SinkFunc(func(tick frame.Tick) error {
		if tick.Snapshot != nil {
			last = tick
		}
		return nil
	}))
	_, err = w.RunUntil(ctx, func(missed error) (bool, error) {
		if missed != nil && w.Every > 0 {
			return false, missed
		}
		return last.Snapshot != nil && enough(last), nil
	})
	if last.Snapshot != nil {
		err = nil
	}
	return last, err
}

// mostLooks is the number of observations of a running query. The first one may be too early: rates need two.
const mostLooks = 3

// Subject returns the run that a name stands for: if there is a file with the name, that of a plan before its
// submission, or of a recording until --at, else that of a query, which is observed until its remaining time is known.
func (f *Flags) Subject(c *cli.Context, name string) (run dag.Run, err error) {
	after, part, err := moment(c.String("at"))
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
		return f.lookAt(c, name)
	case !isRecording:
		plan, err := planfile.ReadFile(name, planfile.Options{})
		if err != nil {
			return run, input.NotAPlan(name, "plan or recording", err)
		}
		return run.Append(planview.Before(plan, f.Profiles)), nil
	}
	run, err = f.played(c, name, after)
	if err == nil && part > 0 {
		s := run.Now()
		run, err = f.played(c, name, max(time.Duration(part*float64(s.At.Sub(s.Origin()))), time.Millisecond))
	}
	return run, err
}

// lookAt observes a query.
func (f *Flags) lookAt(c *cli.Context, name string) (run dag.Run, err error) {
	w, _, err := f.Query(c, name)
	if err != nil {
		return run, NoFile(name, err)
	}
	w.Estimators = watch.EstimatorSet{Scenarios: w.Estimators.Scenarios[:1], Model: w.Estimators.Model}
	looks := 0
	last, err := Look(c.Context, w, func(tick frame.Tick) bool {
		looks++
		isKnown := looks > 1 && tick.Frame.Headline.RemainingSeconds != nil
		return isKnown || looks == mostLooks || tick.Frame.TooLarge()
	})
	if err == nil && last.Frame.TooLarge() {
		err = errors.New("the query has too many tasks to be estimated: `paratimer attach` shows their number and progress")
	}
	return last.Run, cmp.Or(context.Cause(c.Context), err)
}

// played plays a recording until a time of the run; 0: to its end.
func (f *Flags) played(c *cli.Context, path string, until time.Duration) (run dag.Run, err error) {
	src, err := input.Open(c, path)
	if err != nil {
		return run, err
	}
	src.UntilAfter(until)
	return input.Played(c.Context, path, (&history.Recorder{Given: f.Profiles}).Source(src))
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
