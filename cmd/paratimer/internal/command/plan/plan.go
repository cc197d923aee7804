// Package plan has the commands that need no run: estimate, simulate and the demo, whatif, ernest and model.
package plan

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		command.New("estimate", "PLAN", "predict a plan before anything runs", estimate,
			estimateFlags()...),
		command.New("simulate", "PLAN", "watch a simulated run of a plan, with noise, slow nodes, failures and skew",
			simulated,
			simulateFlags()...),
		command.New("whatif", "[PLAN|FILE|ID|NAME]",
			"predict a query with other slots, more data, a failure, or another scheduler", whatIf,
			whatifFlags()...),
		ernestCommand(),
		command.New("model", "JOB.yaml",
			"predict jobs that compete for a cluster's CPUs, disks and network, before anything runs", model,
			queueingFlags()...),
	}
}
