// Package plan has the commands that need no run: plan and the demo, whatif, ernest and model.
package plan

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		planCommand(),
		formerSimulate(),
		command.New("whatif", "[PLAN|FILE|ID|NAME]",
			"predict a query with other slots, more data, a failure, or another scheduler", whatIf,
			whatifFlags()...),
		ernestCommand(),
		command.New("model", "JOB.yaml",
			"predict jobs that compete for a cluster's CPUs, disks and network, before anything runs", model,
			queueingFlags()...),
	}
}

// planCommand returns `paratimer plan`: an estimate of a plan, or a simulated run of it.
func planCommand() *cli.Command {
	c := command.New("plan", "PLAN", "predict a plan before anything runs, or watch a simulated run of it", planned,
		slices.Concat([]cli.Flag{
			command.Choice("output", "write `FORMAT`", "text", "json", "ndjson"),
			&cli.BoolFlag{
				Name: "simulate", EnvVars: command.Env("simulate"),
				Usage: "watch a simulated run, with noise, slow nodes, failures and skew",
			},
		}, estimateFlags(), simulateFlags())...)
	c.Aliases = []string{"estimate"} // its name in earlier versions
	return c
}

// formerSimulate returns `paratimer simulate`, which is now `paratimer plan --simulate`.
func formerSimulate() *cli.Command {
	c := command.New("simulate", "PLAN", "watch a simulated run of a plan", simulated, simulateFlags()...)
	c.Hidden = true
	return c
}

// planned estimates a plan or simulates it. A flag of the other is an error, because it would have no effect.
func planned(c *cli.Context) error {
	action, others, output, word := estimate, runFlags(), "ndjson", "with"
	if c.Bool("simulate") {
		action, others, output, word = simulated, estimateFlags(), "json", "without"
	}
	for _, f := range others {
		if name := f.Names()[0]; c.IsSet(name) {
			return command.Usage("--%s goes %s --simulate", name, word)
		}
	}
	if c.String("output") == output {
		return command.Usage("--output %s goes %s --simulate: an estimate is one JSON document, a simulated run prints "+
			"a frame a line", output, word)
	}
	return action(c)
}
