package follow

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify/sinks"
)

// Lineage returns the sink of openlineage; nil if it is not set, or with --dry-run. finish closes it, after at
// most drain.
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
		return nil, nil, command.Usage("openlineage: %w", err)
	}
	return o, func() {
		if lost := o.Close(c.Duration("drain")); lost > 0 {
			log.Warn().Int("lost", lost).Msg("not all events could be sent to OpenLineage within drain")
		}
	}, nil
}
