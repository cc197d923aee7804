// Package command is what every command of paratimer is made of: its flags, environment and settings, its errors, log
// and files, and what it serves. It knows nothing of queries.
package command

import (
	"context"
	"os"
	"os/signal"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/outfile"
)

// Interrupts cancels with ErrInterrupted at the first of some signals; the second ends the process as usual.
func Interrupts(cancel context.CancelCauseFunc, signals ...os.Signal) (stop func()) {
	ch := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(ch, signals...)
	go func() {
		select {
		case <-ch:
			signal.Stop(ch)
			cancel(ErrInterrupted)
		case <-done:
		}
	}()
	return func() { signal.Stop(ch); close(done) }
}

// New is a command whose settings come from flags, the environment and the configuration file.
func New(name, args, does string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: does, ArgsUsage: args, Flags: flags, Action: action,
		HideHelpCommand: true,
		Before:          prepare,
		OnUsageError:    OnUsageError,
	}
}

// Group is a command that has commands of its own. What it does without one of them, the help adds.
func Group(name, does string, commands ...*cli.Command) *cli.Command {
	return &cli.Command{
		Name: name, Usage: does, Subcommands: commands,
		HideHelpCommand: true,
		OnUsageError:    OnUsageError,
	}
}

// OnUsageError is a cli.OnUsageErrorFunc. It returns a UsageError that says what is wrong with a flag, and where its
// help is.
func OnUsageError(c *cli.Context, err error, _ bool) error {
	name := "paratimer"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		name += " " + fullName(c)
	}
	return Usage("%s; see `%s --help`", explain(c, err), name)
}

// Plain is a command that reads no settings: it must work where they are broken.
func Plain(c *cli.Command) *cli.Command {
	c.Before = nil
	return c
}

// prepare reads settings and opens the log, before a command.
func prepare(c *cli.Context) error {
	if err := FromEnvironment(c); err != nil {
		return err
	}
	if err := Configure(c); err != nil {
		return err
	}
	path := c.String("log-file")
	if path == "" || c.App.Metadata[logKey] != nil {
		return nil
	}
	l, err := outfile.OpenLog(path)
	if err != nil {
		return Usage("--log-file: %w", err)
	}
	c.App.Metadata[logKey] = l
	return nil
}

// TimeoutFlag is --timeout, which Limited obeys.
func TimeoutFlag() cli.Flag {
	return &cli.DurationFlag{
		Name: "timeout", EnvVars: Env("timeout"),
		Usage: "give up after `TIME`, with exit code 124",
	}
}

// Limited is the command's context with its --timeout.
func Limited(c *cli.Context) (context.Context, context.CancelFunc) {
	if d := c.Duration("timeout"); d > 0 {
		return context.WithTimeoutCause(c.Context, d, ErrTimeout)
	}
	return context.WithCancel(c.Context)
}

// UnlessInterrupted gives a computation up, though it cannot end it, at an interrupt: the process ends then.
func UnlessInterrupted[T any](ctx context.Context, compute func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := compute()
		done <- outcome{v, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	case out := <-done:
		return out.value, out.err
	}
}
