package follow

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify/sinks"
)

// LineageFlag is --openlineage. The other settings are the variables that every client of OpenLineage reads.
func LineageFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "openlineage", EnvVars: command.Env("openlineage"),
		Usage: "post the start, progress and end of runs to the OpenLineage service at `URL`; reads OPENLINEAGE_NAMESPACE and OPENLINEAGE_API_KEY",
	}
}

// Lineage returns the sink of --openlineage; nil if it is not given, or if --dry-run sends nothing. finish ends it,
// after --drain at most.
func Lineage(c *cli.Context) (o *sinks.OpenLineage, finish func(), err error) {
	address := c.String("openlineage")
	if address == "" || c.Bool("dry-run") {
		return nil, func() {}, nil
	}
	client, err := sinkClient(c)
	if err != nil {
		return nil, nil, err
	}
	log, getenv := command.Logger(c), command.Getenv(c)
	o, err = sinks.NewOpenLineage(address, getenv("OPENLINEAGE_API_KEY"), getenv("OPENLINEAGE_NAMESPACE"), client, log)
	if err != nil {
		return nil, nil, command.Usage("--openlineage: %w", err)
	}
	return o, func() {
		if lost := o.Close(c.Duration("drain")); lost > 0 {
			log.Warn().Int("lost", lost).Msg("not all events could be sent to OpenLineage within --drain")
		}
	}, nil
}
