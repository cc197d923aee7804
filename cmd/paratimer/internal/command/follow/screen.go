package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// FullScreen reports whether frames are shown full screen: on a capable terminal, unless a flag requests lines.
func FullScreen(c *cli.Context) bool {
	if c.String("output") != "text" || c.Bool("plain") || c.Bool("quiet") || !view.Terminal(c.App.Writer) {
		return false
	}
	out := c.App.Writer.(*os.File)
	width, height, err := term.GetSize(int(out.Fd()))
	return err == nil && tty.Capable(command.Getenv(c), width, height) && keyboard(c.App.Reader)
}

// keyboard reports whether keys can be read: from in, or, if that is not a terminal, from the controlling terminal.
func keyboard(in io.Reader) bool {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return true
	}
	f, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// onScreen returns the options of a screen.
func onScreen(c *cli.Context) tty.Options {
	o := tty.Options{
		Style: screen.Style{
			Colour: view.Colour(c.App.Writer, command.Getenv(c)), ASCII: !tty.UTF8(command.Getenv(c)),
			Zone: command.Zone(c),
		},
		Out: c.App.Writer, Env: command.Environ(c),
	}
	if f, ok := c.App.Reader.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.In = f
	}
	o.Aside, _ = c.App.ErrWriter.(*tty.Aside)
	return o
}

// Fleet returns a full screen of many queries.
func Fleet(c *cli.Context, queries func() []view.Query) *tty.Fleet {
	return tty.NewFleet(onScreen(c), queries)
}

// watchOnScreen runs a watch full screen. After the end it prints a summary in lines.
func watchOnScreen(ctx context.Context, c *cli.Context, w watch.Watch) (dag.State, error) {
	o := onScreen(c)
	// Metrics during a replay must match what is shown, so nothing is read ahead then.
	if o.Play = w.Every == 0 && command.MetricsOf(c) == nil; o.Play {
		if o.Speed = w.Speed; w.Speed == 0 && c.IsSet("speed") {
			o.Speed = math.Inf(1)
		}
		w.Speed = 0
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !signal.Ignored(syscall.SIGHUP) { // ignored e.g. under nohup
		defer command.Interrupts(cancel, syscall.SIGHUP)()
	}
	shown, told := tty.New(o), &summary{standing: tty.NewTail(1), happened: tty.NewTail(mostHappened)}
	told.lines, told.urgent = view.NewText(told.standing, o.Style.Colour), view.NewText(told.happened, o.Style.Colour)
	told.lines.Zone, told.urgent.Zone, told.urgent.Quiet = o.Style.Zone, o.Style.Zone, true
	w.Sinks = append([]watch.Sink{shown, told}, w.Sinks...)
	var state dag.State
	err := shown.Run(ctx, func(ctx context.Context) (err error) {
		state, err = w.Run(ctx)
		return err
	})
	if _, e := io.WriteString(c.App.Writer, told.text(state)); e != nil && err == nil {
		err = fmt.Errorf("cannot print the summary: %w", e)
	}
	return state, err
}

// A summary is a sink that collects the lines to print when the screen has closed: urgent events and the last
// state.
type summary struct {
	lines, urgent      *view.Text
	standing, happened *tty.Tail
}

// mostHappened bounds the lines of a summary, to fit into a terminal of 24 lines.
const mostHappened = 10

// Show implements watch.Sink.
func (s *summary) Show(tick frame.Tick) error {
	return errors.Join(s.lines.Show(tick), s.urgent.Show(tick))
}

// text returns the summary for a state: if the query still runs, it ends with the newest line.
func (s *summary) text(state dag.State) string {
	if state.Ended() {
		return s.standing.First() + s.happened.String()
	}
	return s.standing.First() + s.happened.String() + s.standing.Newest()
}
