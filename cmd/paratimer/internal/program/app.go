// Package program is the program: its tree of commands, the order of their arguments, exit codes.
package program

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/live"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/past"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/plan"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
)

// Main runs the program with this process's arguments, environment and streams, and returns its exit code. Garbage is
// collected after a growth of 40% instead of 100%: a watch runs for hours beside other programs, and a fifth of the
// memory of a large application is worth a tenth more CPU time (docs/evidence/benchmarks.md). GOGC sets another growth.
func Main() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40)
	}
	return Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr)
}

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
	if last := len(args) - 1; last > 0 && args[last] == Completing {
		Offer(app, args[1:last])
		return ExitOK
	}
	return whole.code(code(app.RunContext(ctx, reorder(app, args)), err), err)
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
		Action:         NoCommand,
		Commands:       grouped(slices.Concat(live.Commands(), past.Commands(), plan.Commands(), Commands())),
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
	{"This program", []string{"help", "config", "completion", "man", "version"}},
}

// grouped puts commands under their headings, in the order of groups. TestManualWhole checks that none is left out.
func grouped(all []*cli.Command) []*cli.Command {
	var out []*cli.Command
	for _, g := range groups {
		for _, name := range g.names {
			if i := slices.IndexFunc(all, func(c *cli.Command) bool { return c.Name == name }); i >= 0 {
				all[i].Category = g.heading
				out = append(out, all[i])
			}
		}
	}
	return out
}

// shells are those that have a completion script.
const shells = "bash|zsh|fish"

// Commands returns the commands of this package.
func Commands() []*cli.Command {
	return []*cli.Command{
		hidden(command.Plain(command.New("help", "[all] [COMMAND]", "show the help of a command; all: with every flag", help))),
		command.Plain(command.New("config", "[COMMAND]", "show the settings of a command, or of all", configShow)),
		hidden(command.Plain(command.New("completion", shells,
			"print a script that completes commands, flags and files in a shell", completion))),
		hidden(command.Plain(command.New("man", "[COMMAND]", "print a command's man page, or write all of them", man))),
		hidden(command.New("version", "", "print the version", version)),
	}
}

// hidden leaves a command out of the list of commands: the text of the program's manual names it.
func hidden(c *cli.Command) *cli.Command {
	c.Hidden = true
	return c
}

// version prints the version of the program.
func version(c *cli.Context) error {
	b := command.ThisBuild()
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(b)
	}
	_, err := fmt.Fprintf(c.App.Writer, "paratimer %s (%s, %s)\n", b.Version, b.Go, b.Platform)
	return err
}
