// Package live has the commands for running queries on a cluster: attach, watch, check and skew, rules for them,
// and the test of alert delivery.
package live

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		command.New("attach", "[APP_ID|JOB_ID|WORKFLOW_ID]",
			"watch a running query to its end: the newest, or the named one", attach),
		command.New("watch", "",
			"watch all queries of a cluster that match a rule, and alert before one is late", watchMany),
		checkCommand(),
		listCommand(),
		statusCommand(),
		waitCommand(),
		runCommand(),
		rulesCommand(),
		notifyCommand(),
	}
}
