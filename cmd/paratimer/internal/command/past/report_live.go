package past

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/livepage"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

// reportLive serves a page that follows a run. It continues after the run's end, until it is interrupted, so that
// the page can still be read.
func reportLive(c *cli.Context, f *follow.Flags) error {
	for _, name := range []string{"out", "output", "skew"} {
		if c.IsSet(name) {
			return command.Usage("--%s goes without --live: a page is served, and nothing is written", name)
		}
	}
	name := c.Args().First()
	w, isQuery, err := watched(c, f, name)
	if err != nil {
		return err
	}
	reload := input.LookEvery
	switch {
	case !isQuery:
		w.Speed, reload = f.Speed, time.Second
	case c.IsSet("every"):
		if err := input.CheckEvery(c); err != nil {
			return err
		}
		w.Every = c.Duration("every")
	}
	page := livepage.New(runreport.NewCollector(name, follow.ModelOf(c)), reload, command.Zone(c))
	w.Sinks = append(w.Sinks, page)
	url, stop, err := command.Serve(c, "listen", "the page is", page.Serve)
	if err != nil {
		return err
	}
	defer stop()
	if _, err := fmt.Fprintf(c.App.Writer, "%s/\n", url); err != nil {
		return fmt.Errorf("cannot print the page's address: %w", err)
	}
	state, err := w.Run(c.Context)
	if err != nil {
		return err
	}
	log := command.Tell(c)
	log(fmt.Sprintf("the run is %s; the page stays until Ctrl-C", state))
	<-c.Context.Done()
	return follow.Ended(state)
}
