// Package live has the commands for running queries on a cluster: attach, watch with its rules, check, skew and doctor.
package live

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		follow.Command("attach", "[ID|URL|EVENT_LOG]",
			"watch a running query to its end: the newest, or the named one", attach),
		follow.Command("watch", "[RECORDING...]",
			"watch all queries of a cluster that match a rule, and alert before one is late", watchMany),
		checkCommand(),
		command.New("list", "", "list what runs on the cluster, or the Spark drivers of this machine, with ids", list),
		follow.Command("status", "[ID|NAME]", "show the state of a query once, and exit with 0, 1 if it failed, or 3 if its result is unknown", status),
		follow.Command("wait", "[APP_ID|JOB_ID|WORKFLOW_ID]",
			"wait for the end of a query, and exit with its result (0 succeeded, 1 failed)", wait),
		command.New("run", "-- COMMAND [ARGUMENT]...",
			"run a command that submits a query, watch the query, and exit with the command's exit code", run),
		follow.Command("doctor", "",
			"check which services of a cluster or a Spark driver answer, or the sinks of alerts, and suggest fixes", doctor),
	}
}
