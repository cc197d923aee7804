package live

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/plugin"
)

// A check must respond before the monitoring system times out, after some ten seconds or a minute.
const (
	checkTime    = 10 * time.Second
	maxCheckTime = time.Minute
	// A tenth of the time, at most a second, is reserved for starting and for reporting a timeout.
	checkSpare    = 10
	maxCheckSpare = time.Second
)

// checkCommand returns the monitoring plugin. It has a plugin's exit codes, also for usage errors.
func checkCommand() *cli.Command {
	cmd := command.New("check", "[ID|NAME]", "show the state of a query, as a monitoring plugin (exit codes 0, 1, 2, 3)",
		check)
	prepare := cmd.Before
	cmd.Before = func(c *cli.Context) error {
		c.App.Metadata[pluginKey] = true
		c.App.Metadata[verboseKey] = c.Bool("verbose")
		return prepare(c)
	}
	cmd.OnUsageError = func(c *cli.Context, err error, sub bool) error {
		c.App.Metadata[pluginKey] = true
		return command.OnUsageError(c, err, sub)
	}
	return cmd
}

// pluginKey marks an app that runs as a monitoring plugin, verboseKey one that may print more than a line.
const (
	pluginKey  = "plugin"
	verboseKey = "verbose"
)

// Plugged converts the error of a plugin command to a plugin's result: unknown, in one line on stdout.
func Plugged(app *cli.App, err error) error {
	if app.Metadata[pluginKey] == nil || err == nil || errors.As(err, new(command.Exit)) {
		return err
	}
	return say(app, unknown(err))
}

// unknown returns the verdict for an error: its first line, then the others.
func unknown(err error) plugin.Verdict {
	lines := strings.Split(err.Error(), "\n")
	return plugin.Verdict{State: plugin.Unknown, Text: lines[0], Long: lines[1:]}
}

func say(app *cli.App, v plugin.Verdict) error {
	if app.Metadata[verboseKey] != true {
		v.Long = nil // monitoring systems show, and pagers send, a single line
	}
	if err := v.Print(app.Writer); err != nil {
		return command.Exit{Code: int(plugin.Unknown)}
	}
	if v.State == plugin.OK {
		return nil
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
	for _, w := range []struct {
		flag     string
		critical bool
	}{{"warning", false}, {"critical", true}} {
		if typed := c.String(w.flag); typed != "" {
			if err := q.limits.Set(typed, w.critical); err != nil {
				return q, command.Usage("--%s: %w", w.flag, err)
			}
		}
	}
	if q.within, err = plainTime(c.String("timeout")); err != nil || q.within < time.Second || q.within > maxCheckTime {
		return q, command.Usage("--timeout %s: it is a number of seconds, 1 to %d", c.String("timeout"),
			int(maxCheckTime.Seconds()))
	}
	if q.idle, err = plugin.ParseState(c.String("idle")); err != nil {
		return q, command.Usage("idle: %w", err)
	}
	if q.unreachable, err = plugin.ParseState(c.String("unreachable")); err != nil {
		return q, command.Usage("unreachable: %w", err)
	}
	if q.limits.Unknown, err = plugin.ParseState(c.String("unknown")); err != nil {
		return q, command.Usage("unknown: %w", err)
	}
	return q, nil
}

// plainTime parses a number of seconds, usual for plugins, or a time such as 10s.
func plainTime(s string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 && n < 1e6 {
		return time.Duration(n * float64(time.Second)), nil
	}
	return time.ParseDuration(s)
}

// check prints the state of a query. It responds in time even if a request hangs, which it then abandons.
func check(c *cli.Context) error {
	if err := input.CheckUnit(c); err != nil {
		return err
	}
	q, err := questionOf(c)
	if err != nil {
		return err
	}
	look, err := looker(c, q)
	if err != nil {
		return err
	}
	type sight struct {
		frame frame.Frame
		err   error
	}
	ctx, cancel := context.WithTimeout(c.Context, q.within-min(q.within/checkSpare, maxCheckSpare))
	defer cancel()
	seen := make(chan sight, 1)
	go func() {
		f, err := look(ctx)
		seen <- sight{f, err}
	}()
	var s sight
	select {
	case s = <-seen:
	case <-ctx.Done():
		s.err = context.Cause(ctx)
	}
	return say(c.App, q.answer(s.frame, s.err))
}

// answer returns the verdict for a frame, or for the error that there is none.
func (q question) answer(f frame.Frame, err error) plugin.Verdict {
	var bad command.UsageError
	switch {
	case err == nil:
		return plugin.Of(f, q.limits)
	case errors.Is(err, input.ErrIdle):
		return plugin.Verdict{State: q.idle, Text: err.Error()}
	case errors.Is(err, command.ErrInterrupted):
		return unknown(err)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("no answer within %v", q.within)
	case errors.As(err, &bad):
		return unknown(err)
	}
	v := unknown(err)
	v.State = q.unreachable
	return v
}
