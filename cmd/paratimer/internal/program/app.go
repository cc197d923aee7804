// Package program is the program: its tree of commands, the order of their arguments, exit codes.
package program

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/admin"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/live"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/past"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/plan"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
)

// Run runs the program and returns the exit code.
func Run(ctx context.Context, args, env []string, in io.Reader, out, err io.Writer) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := command.Interrupts(cancel, os.Interrupt, syscall.SIGTERM)
	defer stop()
	whole := &wholeOutput{Writer: out}
	if f, ok := out.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		out = whole // a screen needs the terminal itself
	}
	app := admin.Completing(admin.Helpful(New(in, out, tty.NewAside(err)), args), args)
	command.Adopt(app, env)
	defer command.CloseLog(app)
	return whole.code(code(live.Plugged(app, app.RunContext(ctx, reorder(app, args))), err), err)
}

// A helpFlag wraps the library's help flag, which all runs of the process share. Apply writes into its flag, so
// helpFlag applies a copy: concurrent runs share nothing.
type helpFlag struct{ *cli.BoolFlag }

// Apply implements cli.Flag.
func (h helpFlag) Apply(set *flag.FlagSet) error {
	own := *h.BoolFlag
	return own.Apply(set)
}

// ownHelp replaces the library's flag with helpFlag, once.
var ownHelp = sync.OnceFunc(func() {
	if f, ok := cli.HelpFlag.(*cli.BoolFlag); ok {
		cli.HelpFlag = helpFlag{f}
	}
})

// New returns the whole command tree.
func New(in io.Reader, out, err io.Writer) *cli.App {
	ownHelp()
	app := &cli.App{
		Name:            "paratimer",
		Usage:           "when will my query end, what does it wait for, and how sure is that?",
		UsageText:       "paratimer COMMAND [flags] [arguments]   (flags may stand anywhere)",
		HideVersion:     true,
		HideHelpCommand: true,
		Reader:          in,
		Writer:          out,
		ErrWriter:       err,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    command.OnUsageError,
		Before:          command.FromEnvironment,
		Action:          noCommand,
		Commands: slices.Concat(
			grouped(slices.Concat([]*cli.Command{plan.Demo(), admin.Doctor()}, live.Commands(), past.Commands(),
				plan.Commands())),
			kind("This program", admin.Commands()...),
		),
	}
	command.Equip(app)
	return app
}

// groups are the headings of the help with their commands, in the help's order.
var groups = []struct {
	heading string
	names   []string
}{
	{"Start here", []string{"demo", "attach", "report", "doctor"}},
	{"Live", []string{"watch", "list", "status", "wait", "run", "check", "rules", "notify", "collect"}},
	{"Past", []string{"compare", "replay", "score", "history"}},
	{"Plan", []string{"plan", "whatif", "ernest", "model"}},
}

// grouped puts commands under their headings. A command that no group lists comes last, under the heading of plans.
func grouped(all []*cli.Command) []*cli.Command {
	var out []*cli.Command
	for _, g := range groups {
		for _, name := range g.names {
			for i, c := range all {
				if c != nil && c.Name == name {
					out, all[i] = append(out, kind(g.heading, c)...), nil
				}
			}
		}
	}
	for _, c := range all {
		if c != nil {
			out = append(out, kind(groups[len(groups)-1].heading, c)...)
		}
	}
	return out
}

// kind puts commands under a heading of the help.
func kind(heading string, commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.Category = heading
	}
	return commands
}

// noCommand runs if no command is given, or an unknown one.
func noCommand(c *cli.Context) error {
	switch {
	case c.Bool("version"):
		return admin.Version(c)
	case c.Args().Present():
		names := make([]string, len(c.App.VisibleCommands()))
		for i, cmd := range c.App.VisibleCommands() {
			names[i] = cmd.Name
		}
		return command.UnknownCommand(c.Args().First(), "", names)
	}
	if err := cli.ShowAppHelp(c); err != nil {
		return fmt.Errorf("cannot show the help: %w", err)
	}
	return nil
}
