// Package follow watches a query for a command: its estimators, its bounds, the sinks of alerts, and whether frames
// are drawn on a screen or printed. It has the flags for these.
package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// Run watches to the end of a source and prints the frames.
func Run(c *cli.Context, w watch.Watch) error {
	for _, name := range []string{"plain", "quiet"} {
		if c.Bool(name) && c.String("output") != "text" {
			return command.Usage("--%s is about lines for people: it does not go with --output %s, which prints frames",
				name, c.String("output"))
		}
	}
	meter, done, err := command.ServeMetrics(c.Context, c)
	if err != nil {
		return err
	}
	defer done()
	if meter != nil {
		w.Sinks = append([]watch.Sink{meter}, w.Sinks...)
	}
	state, err := watchOn(c.Context, c, w)
	if err != nil {
		return err
	}
	return Ended(state)
}

// watchOn runs a watch that shows its frames on a screen, or in lines. A blocked terminal does not block a live
// watch, since alerts must go on. A pipe does, since its reader must miss nothing.
func watchOn(ctx context.Context, c *cli.Context, w watch.Watch) (state dag.State, err error) {
	if FullScreen(c) {
		return watchOnScreen(ctx, c, w)
	}
	shown := Lines(c)
	if w.Every > 0 && view.Terminal(c.App.Writer) {
		unheld := tty.NewUnheld(shown.Show)
		defer command.Closing(unheld, "the output", &err)
		shown = unheld
	}
	w.Sinks = append([]watch.Sink{shown}, w.Sinks...)
	return w.Run(ctx)
}

// Lines returns the view for --output: lines for people, or frames.
func Lines(c *cli.Context) watch.Sink {
	if c.String("output") != "text" {
		return view.NDJSON{Writer: c.App.Writer}
	}
	env := command.Getenv(c)
	lines := view.NewText(c.App.Writer, view.Colour(c.App.Writer, env))
	lines.ASCII = cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")) != "" && !tty.UTF8(env)
	lines.Plain, lines.Quiet, lines.Zone = c.Bool("plain"), c.Bool("quiet"), command.Zone(c)
	return lines
}

// Ended returns the command's error for a query's last state.
func Ended(s dag.State) error {
	switch s {
	case dag.Succeeded:
		return nil
	case dag.Failed, dag.Killed:
		return command.ErrQueryFailed
	case dag.EndedUnconfirmed:
		return errors.New("it is not known whether the query succeeded: the end of a job was not reported, or jobs never came")
	}
	return fmt.Errorf("the observations end while the query is %s", s)
}
