package past

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/livepage"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
)

// liveEvery is the interval at which a query is observed for a page, and at which the page reloads.
const liveEvery = 3 * time.Second

// reportLive serves a page that follows a run. It continues after the run's end, until it is interrupted, so that
// the page can still be read.
func reportLive(c *cli.Context) (err error) {
	for _, name := range []string{"out", "output", "skew"} {
		if c.IsSet(name) {
			return command.Usage("--%s goes without --live: a page is served, and nothing is written", name)
		}
	}
	speed, err := follow.SpeedOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := command.Limited(c)
	defer cancel()
	name := c.Args().First()
	w, isQuery, done, err := watched(ctx, c, name)
	if err != nil {
		return err
	}
	defer done(&err)
	asks := liveEvery
	if !isQuery {
		w.Speed, asks = speed, time.Second
	} else if w.Every, err = observedEvery(c); err != nil {
		return err
	}
	page := livepage.New(runreport.NewCollector(name, follow.ModelOf(c)), asks, command.Zone(c))
	w.Sinks = append(w.Sinks, page)
	stop, err := servePage(ctx, c, page.Serve)
	if err != nil {
		return err
	}
	defer stop()
	state, err := w.Run(ctx)
	if err != nil {
		return err
	}
	log := command.Tell(c)
	log(fmt.Sprintf("the run is %s; the page stays until Ctrl-C", state))
	<-ctx.Done()
	return follow.Ended(state)
}

// observedEvery returns the interval at which a query of the cluster is observed for a page.
func observedEvery(c *cli.Context) (time.Duration, error) {
	if !c.IsSet("every") {
		return liveEvery, nil
	}
	every := c.Duration("every")
	if every < input.MinEvery {
		return 0, command.Usage("--every %v: less than %v is too much for a cluster", every, input.MinEvery)
	}
	return every, nil
}

// servePage serves at the address of --listen, and prints the address.
func servePage(ctx context.Context, c *cli.Context, answer func(net.Listener, serve.Door, func(error)) func()) (
	stop func(), err error,
) {
	listener, door, err := command.Listen(ctx, c, "listen", c.String("listen"))
	if err != nil {
		return nil, err
	}
	log := command.Logger(c)
	if _, err := fmt.Fprintf(c.App.Writer, "%s://%s/\n", door.Scheme(), listener.Addr()); err != nil {
		_ = listener.Close() // it has had no requests
		return nil, fmt.Errorf("cannot say where the page is: %w", err)
	}
	return answer(listener, door, func(err error) { log.Error().Err(err).Msg("the page is not served any more") }), nil
}
