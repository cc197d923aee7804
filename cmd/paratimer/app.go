package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
)

// run is the program: it returns the exit code.
func run(ctx context.Context, args, env []string, in io.Reader, out, err io.Writer) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := interrupts(cancel, os.Interrupt, syscall.SIGTERM)
	defer stop()
	whole := &wholeOutput{Writer: out}
	if f, ok := out.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		out = whole // a screen wants the terminal itself
	}
	app := helpful(newApp(in, out, tty.NewAside(err)))
	(&process{env: env}).adopt(app)
	defer closeLog(app)
	return whole.code(code(plugged(app, app.RunContext(ctx, reorder(app, args))), err), err)
}

// interrupts cancels with errInterrupted at the first of some signals; the second ends the process as usual.
func interrupts(cancel context.CancelCauseFunc, signals ...os.Signal) (stop func()) {
	ch := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(ch, signals...)
	go func() {
		select {
		case <-ch:
			signal.Stop(ch)
			cancel(errInterrupted)
		case <-done:
		}
	}()
	return func() { signal.Stop(ch); close(done) }
}

// newApp is the whole command tree.
func newApp(in io.Reader, out, err io.Writer) *cli.App {
	return &cli.App{
		Name:            "paratimer",
		Usage:           "when will my query be done, what does it wait for, and how sure is that?",
		UsageText:       "paratimer COMMAND [flags] [arguments]   (flags may stand anywhere)",
		HideVersion:     true,
		HideHelpCommand: true,
		Reader:          in,
		Writer:          out,
		ErrWriter:       err,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    onUsageError,
		Before:          fromEnvironment,
		Action:          noCommand,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version and exit"},
			&cli.StringFlag{Name: "config", EnvVars: env("config"), Usage: "read settings from `FILE` (default: paratimer/config.yaml in the XDG configuration folder)"},
			choice("log-level", "talk on stderr from this `LEVEL` on", "warn", "debug", "info", "error"),
			choice("log-format", "talk on stderr in this `FORMAT`; auto is console on a terminal", "auto", "console", "json"),
			logFileFlag(),
		},
		Commands: slices.Concat(
			kind("Start here",
				command("demo", "", "watch the ParaTimer paper's query, simulated: no cluster needed", demo,
					followFlags(speedFlag(60), &cli.Uint64Flag{Name: "seed", EnvVars: env("seed"), Usage: "draw the run's noise from `N`"})...),
				command("doctor", "", "say what of a cluster can be reached, and what to do about the rest", doctor,
					append(clusterFlags(), outputFlag("text", "json"))...)),
			kind("Watch a cluster",
				command("attach", "[APP_ID|JOB_ID|WORKFLOW_ID]", "watch a query on a Hadoop cluster: the newest that runs, or the one that is named", attach,
					attachFlags()...),
				command("watch", "", "watch every workflow on a Hadoop cluster that matches a rule, and tell when one will be late", watchMany,
					watchFlags()...),
				checkCommand(),
				command("skew", "[FILE|ID|NAME]", "say which reduces hold a query back, by which keys, and what another dealing would gain", skew, skewFlags()...),
				rulesCommand()),
			kind("Before it runs",
				command("estimate", "PLAN", "say how long a plan takes, before anything runs", estimate, estimateFlags()...),
				command("simulate", "PLAN", "watch a simulated run of a plan, with noise, slow nodes, failures and skew", simulated,
					simulateFlags()...),
				command("whatif", "[PLAN|FILE|ID|NAME]", "say when a query would end with other slots, more data, a failure, another scheduler", whatIf, whatifFlags()...),
				ernestCommand(),
				command("model", "JOB.yaml", "say how long jobs take that contend for a cluster's CPUs, disks and network, before anything runs", model, queueingFlags()...)),
			kind("Look back at runs",
				command("report", "[FILE|ID|NAME]", "write what happened, where the time went, what was predicted and what would have helped, as one HTML file", report, reportFlags()...),
				command("replay", "FILE", "play a recorded run again: on a screen, in lines, or as frames", replay,
					followFlags(append(append(recordingFlags(), profileFlag(), speedFlag(0)), sinkFlags()...)...)...),
				command("compare", "RUN RUN...", "say what runs of one script differ in: which jobs became slower, by more data or by more time a record", compared, compareFlags()...),
				command("score", "FILE...", "compare every estimator with what happened, along recorded runs", score,
					append(append(recordingFlags(), boundFlags()...), profileFlag(), outputFlag("text", "json"), estimatorsFlag("which estimators are compared", allEstimators), deltaFlag(),
						&cli.DurationFlag{Name: "from", EnvVars: env("from"), Usage: "count only ticks from this `TIME` of the run on"})...),
				command("learn", "FILE...", "make a profile of recorded runs of one script, for later runs of it", learn,
					learnFlags()...),
				historyCommand(),
				command("import", "PATH...", "make tapes of the history of finished jobs: .jhist files, Rumen traces, folders of them, webhdfs:// addresses", importHistory,
					importFlags()...),
				command("calibrate", "", "try on simulated runs whether ranges hold as often as they say", calibration, calibrateFlags()...)),
			kind("This program",
				helpCommand(),
				configCommand(),
				completionCommand(),
				manCommand(),
				command("version", "", "print the version", version,
					outputFlag("text", "json"))),
		),
	}
}

// kind puts commands under a heading of the help.
func kind(heading string, commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.Category = heading
	}
	return commands
}

// command is a command whose settings come from flags, the environment and the configuration file.
func command(name, args, does string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: does, ArgsUsage: args, Flags: flags, Action: action,
		HideHelpCommand: true,
		Before:          prepare,
		OnUsageError:    onUsageError,
	}
}

// group is a command that has commands of its own.
func group(name, does string, commands ...*cli.Command) *cli.Command {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	return &cli.Command{
		Name: name, Usage: does, Subcommands: commands,
		HideHelpCommand: true,
		OnUsageError:    onUsageError,
		Action: func(c *cli.Context) error {
			switch word := c.Args().First(); word {
			case "":
				return showHelp(c)
			case "help":
				return helpOf(c, append([]string{name}, c.Args().Tail()...))
			default:
				return unknownCommand(word, name, names)
			}
		},
	}
}

// env is the environment variable of a flag. PARATIMER_GOLDEN, PARATIMER_RECORDINGS and PARATIMER_FOREIGN belong to the tests: no flag has
// these names.
func env(flag string) []string {
	return []string{"PARATIMER_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	name := "paratimer"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		name += " " + fullName(c)
	}
	return usage("%s; see `%s --help`", explain(c, err), name)
}

// noCommand runs where no command is given, or an unknown one.
func noCommand(c *cli.Context) error {
	switch {
	case c.Bool("version"):
		return version(c)
	case c.Args().Present():
		names := make([]string, len(c.App.VisibleCommands()))
		for i, cmd := range c.App.VisibleCommands() {
			names[i] = cmd.Name
		}
		return unknownCommand(c.Args().First(), "", names)
	}
	if err := cli.ShowAppHelp(c); err != nil {
		return fmt.Errorf("cannot show the help: %w", err)
	}
	return nil
}
