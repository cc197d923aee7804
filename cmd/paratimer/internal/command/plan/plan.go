// Package plan has the commands that need no run: plan and the demo, whatif, ernest and model.
package plan

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		planCommand(),
		formerSimulate(),
		command.New("whatif", "[PLAN|FILE|ID|NAME]",
			"predict a query with other slots, more data, a failure, or no skew", whatIf),
		ernestCommand(),
		command.New("model", "JOB.yaml",
			"predict jobs that compete for a cluster's CPUs, disks and network, before anything runs", model),
	}
}

// planCommand returns `paratimer plan`: an estimate of a plan, or a simulated run of it.
func planCommand() *cli.Command {
	c := command.New("plan", "PLAN", "predict a plan before anything runs, or watch a simulated run of it", planned)
	c.Aliases = []string{"estimate"} // its name in earlier versions
	return c
}

// formerSimulate returns `paratimer simulate`, which is now `paratimer plan --simulate`.
func formerSimulate() *cli.Command {
	c := command.New("simulate", "PLAN", "watch a simulated run of a plan", simulated)
	c.Hidden = true
	return c
}

// planned estimates a plan or simulates it. A flag of the other is an error, because it would have no effect.
func planned(c *cli.Context) error {
	action, other, output, word := estimate, settings.SimulationSubject, "ndjson", "with"
	if c.Bool("simulate") {
		action, other, output, word = simulated, settings.EstimateSubject, "json", "without"
	}
	for _, s := range settings.Of("plan") {
		if s.Subject == other && c.IsSet(s.Name) {
			return command.Usage("%s goes %s --simulate", s.Spellings()[0], word)
		}
	}
	if c.String("output") == output {
		return command.Usage("--output %s goes %s --simulate: an estimate is one JSON document, a simulated run prints "+
			"a frame a line", output, word)
	}
	return action(c)
}
