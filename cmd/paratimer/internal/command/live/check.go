package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/plugin"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A check must respond before the monitoring system times out, after some ten seconds or a minute.
const (
	maxCheckTime = time.Minute
	// A tenth of the time, at most a second, is reserved for starting and for reporting a timeout.
	checkSpare    = 10
	maxCheckSpare = time.Second
)

// checkCommand returns the monitoring plugin. It has a plugin's exit codes, also for usage errors.
func checkCommand() *cli.Command {
	cmd := follow.Command("check", "[ID|NAME]", "show the state of a query, as a monitoring plugin (exit codes 0, 1, 2, 3)",
		check)
	prepare, run := cmd.Before, cmd.Action
	cmd.Before = func(c *cli.Context) error { return plugged(c, prepare(c)) }
	cmd.Action = func(c *cli.Context) error { return plugged(c, run(c)) }
	cmd.OnUsageError = func(c *cli.Context, err error, sub bool) error {
		return plugged(c, command.OnUsageError(c, err, sub))
	}
	return cmd
}

// plugged converts an error to a plugin's result: unknown, in one line on stdout.
func plugged(c *cli.Context, err error) error {
	if err == nil || errors.As(err, new(command.Exit)) {
		return err
	}
	return say(c, unknown(err))
}

// unknown returns the verdict for an error: its first line, then the others.
func unknown(err error) plugin.Verdict {
	lines := strings.Split(err.Error(), "\n")
	return plugin.Verdict{State: plugin.Unknown, Text: lines[0], Long: lines[1:]}
}

// say prints a verdict, and returns its exit code.
func say(c *cli.Context, v plugin.Verdict) error {
	var err error
	if c.String("output") == "json" {
		v.Perf, v.Long = view.List(v.Perf), view.List(v.Long)
		err = view.JSON(c.App.Writer, v, "")
	} else {
		if !c.Bool("verbose") {
			v.Long = nil // monitoring systems show, and pagers send, a single line
		}
		err = v.Print(c.App.Writer)
	}
	if err != nil {
		v.State = plugin.Unknown
	}
	return command.Exit{Code: int(v.State)}
}

// A question has the flags of check.
type question struct {
	limits            plugin.Limits
	within            time.Duration
	idle, unreachable plugin.State
}

func questionOf(c *cli.Context) (q question, err error) {
	for _, flag := range []string{"warning", "critical"} {
		if typed := c.String(flag); typed != "" {
			if err := q.limits.Set(typed, flag == "critical"); err != nil {
				return q, command.Usage("--%s: %w", flag, err)
			}
		}
	}
	seconds := c.String("timeout") // usual for plugins, or with a unit
	if q.within, err = time.ParseDuration(seconds); err != nil {
		q.within, err = time.ParseDuration(seconds + "s")
	}
	if err != nil || q.within < time.Second || q.within > maxCheckTime {
		return q, command.Usage("--timeout %s: it is a number of seconds, 1 to %d", seconds,
			int(maxCheckTime.Seconds()))
	}
	state := func(name string) plugin.State { return plugin.StateOf(c.String(name)) }
	q.idle, q.unreachable, q.limits.Unknown = state("idle"), state("unreachable"), state("unknown")
	return q, nil
}

// check prints the state of a query. It responds in time even if a request hangs, which it then abandons.
func check(c *cli.Context, f *follow.Flags) error {
	q, err := questionOf(c)
	if err != nil {
		return err
	}
	if len(f.Bounds) == 0 && (q.limits.Late.Warning != nil || q.limits.Late.Critical != nil) {
		return command.Usage("a risk in percent is one of breaking a bound: give --deadline, --within or " +
			"--longer-than-usual")
	}
	for i := range f.Bounds {
		f.Bounds[i].Hold = 1
	}
	ctx, cancel := context.WithTimeout(c.Context, q.within-min(q.within/checkSpare, maxCheckSpare))
	defer cancel()
	c.Context = ctx
	seen, err := watch.UnlessDone(ctx, func() (frame.Frame, error) {
		if file := c.String("recording"); file != "" {
			return lookIn(c, f, file)
		}
		return observe(c, f, q.within)
	})
	return say(c, q.answer(seen, err))
}

// answer returns the verdict for a frame, or for the error that there is none.
func (q question) answer(f frame.Frame, err error) plugin.Verdict {
	if err == nil {
		return plugin.Of(f, q.limits)
	}
	v := unknown(err)
	switch {
	case errors.Is(err, input.ErrIdle):
		v.State = q.idle
	case errors.Is(err, command.ErrInterrupted), errors.As(err, new(command.UsageError)):
	default:
		v.State = q.unreachable
		if errors.Is(err, context.DeadlineExceeded) {
			v.Text = fmt.Sprintf("no answer within %v", q.within)
		}
	}
	return v
}

// observe observes the query of the command's argument until its remaining time is known, or half of within has
// passed.
func observe(c *cli.Context, f *follow.Flags, within time.Duration) (frame.Frame, error) {
	began := time.Now()
	w, _, err := f.Query(c, c.Args().First())
	if err != nil {
		return frame.Frame{}, err
	}
	last, err := follow.Look(c.Context, w, func(tick frame.Tick) bool {
		return tick.Frame.Headline.RemainingSeconds != nil || time.Since(began)+input.LookEvery > within/2
	})
	if none, ok := errors.AsType[*yarn.NoWorkflowError](err); ok && none.Target.ID == "" {
		err = input.ErrIdle // no workflow was named
	}
	return last.Frame, err
}

// lookIn returns the newest frame of a recording at --at, or at its end. It evaluates a few observations, as far apart
// as polls of a cluster: all of them take too long.
func lookIn(c *cli.Context, f *follow.Flags, file string) (frame.Frame, error) {
	src, err := input.OpenRecording(file, recording.Options{Workflow: c.Args().First()})
	if err != nil {
		return frame.Frame{}, err
	}
	src.UntilAfter(c.Duration("at"))
	var few watch.Snapshots
	if _, err := input.Played(c.Context, file, src, func(s *dag.Snapshot) {
		if n := len(few); n > 1 && s.At.Sub(few[n-2].At) < input.LookEvery {
			few = few[:n-1]
		}
		few = append(few, s)
		few = few[max(0, len(few)-fewLooks):]
	}); err != nil {
		return frame.Frame{}, err
	}
	last, err := follow.Look(c.Context, f.Watch(c, &few, nil), func(frame.Tick) bool { return false })
	return last.Frame, err
}

// fewLooks is how many observations of a recording are evaluated.
const fewLooks = 3
