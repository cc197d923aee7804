package live

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/livepage"
	"github.com/paratimer/paratimer/estimators/cost"
)

// serveBoard returns a board of all queries, for the screen or for the page of --listen; nil without both. It logs
// the page's address.
func serveBoard(ctx context.Context, c *cli.Context, every time.Duration, onScreen bool) (b *livepage.Board,
	stop func(), err error,
) {
	typed := c.String("listen")
	switch {
	case typed == "" && onScreen:
		return livepage.NewBoard(cost.Costs, every, command.Zone(c)), func() {}, nil
	case typed == "":
		return nil, func() {}, nil
	}
	listener, door, err := command.Listen(ctx, c, "listen", typed)
	if err != nil {
		return nil, nil, err
	}
	log := command.Logger(c)
	log.Info().Msgf("all queries at %s://%s/", door.Scheme(), listener.Addr())
	b = livepage.NewBoard(cost.Costs, every, command.Zone(c))
	return b, b.Serve(listener, door, func(err error) { log.Error().Err(err).Msg("the page is not served any more") }),
		nil
}
