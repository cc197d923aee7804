// Package live has the commands for running queries on a cluster: attach, watch with its rules, check, skew and doctor.
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
		command.New("watch", "[RECORDING...]",
			"watch all queries of a cluster that match a rule, and alert before one is late", watchMany),
		checkCommand(),
		listCommand(),
		statusCommand(),
		waitCommand(),
		runCommand(),
		command.New("doctor", "",
			"check which services of a cluster or a Spark driver answer, or the sinks of alerts, and suggest fixes", doctor),
	}
}
