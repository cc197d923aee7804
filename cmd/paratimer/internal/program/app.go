// Package program is the program: its tree of commands, the order of their arguments, exit codes.
package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/admin"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/live"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/past"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/plan"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/complete"
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
	app := New(in, out, tty.NewAside(err))
	command.Adopt(app, env)
	defer command.CloseLog(app)
	if last := len(args) - 1; last > 0 && args[last] == complete.Ask {
		for _, word := range complete.Offers(admin.Manual(app), args[1:last]) {
			fmt.Fprintln(out, word)
		}
		return ExitOK
	}
	return whole.code(code(live.Plugged(app, app.RunContext(ctx, reorder(app, args))), err), err)
}

// New returns the whole command tree.
func New(in io.Reader, out, err io.Writer) *cli.App {
	app := &cli.App{
		Name:           "paratimer",
		Usage:          "when will my query end, what does it wait for, and how sure is that?",
		HideVersion:    true,
		HideHelp:       true,
		Reader:         in,
		Writer:         out,
		ErrWriter:      err,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   command.OnUsageError,
		Before:         command.FromEnvironment,
		Action:         admin.NoCommand,
		Commands: slices.Concat(
			grouped(slices.Concat([]*cli.Command{plan.Demo()}, live.Commands(), past.Commands(),
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
	{"Live", []string{"watch", "list", "status", "wait", "run", "check", "collect"}},
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
