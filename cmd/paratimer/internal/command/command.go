// Package command is shared by all commands of paratimer: flags, environment and settings, errors, log and files,
// and servers. It has nothing about queries.
package command

import (
	"cmp"
	"context"
	"os"
	"os/signal"

	"github.com/urfave/cli/v2"
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

// New returns a command. Equip adds its settings, from flags, the environment and the configuration file.
func New(name, args, does string, action cli.ActionFunc) *cli.Command {
	return &cli.Command{
		Name: name, Usage: does, ArgsUsage: args, Action: action,
		HideHelp:     true,
		Before:       prepare,
		After:        removeProgress,
		OnUsageError: OnUsageError,
	}
}

// Group returns a command with subcommands. Without one the program shows its help.
func Group(name, does string, commands ...*cli.Command) *cli.Command {
	return &cli.Command{
		Name: name, Usage: does, Subcommands: commands,
		HideHelp:     true,
		OnUsageError: OnUsageError,
	}
}

// OnUsageError is a cli.OnUsageErrorFunc. It returns a UsageError that explains what is wrong with a flag, and how
// to get help.
func OnUsageError(c *cli.Context, err error, _ bool) error {
	name := "paratimer"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		name += " " + fullName(c)
	}
	return Usage("%s; see `%s --help`", explain(c, err), name)
}

// Plain makes a command read no settings: it must work even if they are invalid.
func Plain(c *cli.Command) *cli.Command {
	c.Before = nil
	return c
}

// prepare reads settings, counts arguments and opens the log, before a command.
func prepare(c *cli.Context) error {
	if err := cmp.Or(Configure(c), arguments(c)); err != nil {
		return err
	}
	path := c.String("log-file")
	if path == "" || c.App.Metadata[logKey] != nil {
		return nil
	}
	l, err := OpenLog(path)
	if err != nil {
		return Usage("--log-file: %w", err)
	}
	c.App.Metadata[logKey] = l
	return nil
}

// Limited returns the command's context with its --timeout.
func Limited(c *cli.Context) (context.Context, context.CancelFunc) {
	if d := c.Duration("timeout"); d > 0 {
		return context.WithTimeoutCause(c.Context, d, ErrTimeout)
	}
	return context.WithCancel(c.Context)
}
