// Package command is shared by all commands of paratimer: flags, environment and settings, errors, log and files,
// and servers. It has nothing about queries.
package command

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/units"
)

// Interrupts cancels with ErrInterrupted at the first of some signals; the second ends the process as usual.
func Interrupts(cancel context.CancelCauseFunc, signals ...os.Signal) (stop func()) {
	ctx, release := signal.NotifyContext(context.Background(), signals...)
	forget := context.AfterFunc(ctx, func() {
		release()
		cancel(ErrInterrupted)
	})
	return func() {
		forget()
		release()
	}
}

// New returns a command. Equip adds its settings, from flags, the environment and the configuration file.
func New(name, args, does string, action cli.ActionFunc) *cli.Command {
	return &cli.Command{
		Name: name, Usage: does, ArgsUsage: args, Action: action,
		HideHelp:     true,
		Before:       prepare,
		After:        endBusy,
		OnUsageError: OnUsageError,
	}
}

// Group returns a command with subcommands. Without one the program shows its help.
func Group(name, does string, commands ...*cli.Command) *cli.Command {
	c := Plain(New(name, "", does, nil))
	c.Subcommands = commands
	return c
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

// prepare runs before a command: it reads settings, checks the number of arguments and opens the log.
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

// arguments returns an error if a command has too few or too many arguments. Each word of its usage is one: in brackets
// it may be absent, and after dots there may be more.
func arguments(c *cli.Context) error {
	usage := c.Command.ArgsUsage
	least, most := 0, 0
	for _, word := range strings.Fields(strings.TrimPrefix(usage, "--")) {
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	if strings.Contains(usage, "...") {
		most = -1
	}
	return Arguments(c, least, most)
}

// Arguments returns an error if a command has too few or too many arguments; most is -1 for no limit.
func Arguments(c *cli.Context, least, most int) error {
	n, name := c.NArg(), fullName(c)
	switch {
	case n < least:
		return Usage("%s needs %s; see `paratimer %s --help`", name, strings.Trim(c.Command.ArgsUsage, "[]"), name)
	case most >= 0 && n > most:
		return Usage("%s: %q is too much: it takes %s", name, c.Args().Get(most), cmp.Or(c.Command.ArgsUsage, "no arguments"))
	}
	return nil
}

// fullName returns a command's name with its group, e.g. "history list".
func fullName(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.HelpName+" ")
}

// Each returns the values of a repeatable setting.
func Each[T any](c *cli.Context, name string, parse func(text string) (T, error)) (all []T, err error) {
	for _, text := range c.StringSlice(name) {
		v, err := parse(text)
		if err != nil {
			return nil, Usage("--%s %s: %w", name, text, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// Equip gives the program and its commands their settings.
func Equip(app *cli.App) {
	app.Flags = flagsOf("")
	for _, c := range app.Commands {
		c.Flags = flagsOf(c.Name)
		for _, below := range c.Subcommands {
			below.Flags = flagsOf(c.Name + " " + below.Name)
		}
	}
}

func flagsOf(command string) []cli.Flag {
	return units.Each(settings.Of(command), func(s *settings.Setting) cli.Flag { return s })
}

// build is the output of `paratimer version`.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Day      string `json:"-"` // of the commit, YYYY-MM-DD; "" if unknown
}

// ThisBuild returns the build information of this program, as far as it is recorded.
func ThisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.time":
				b.Day, _, _ = strings.Cut(s.Value, "T")
			}
		}
	}
	return b
}
