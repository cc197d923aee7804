package follow

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// FullScreen reports whether frames are shown full screen: on a capable terminal, unless a flag requests lines.
func FullScreen(c *cli.Context) bool { return fullScreen(c) }

// FleetOnScreen shows many queries full screen while work runs.
func FleetOnScreen(ctx context.Context, c *cli.Context, queries func() []view.Query,
	work func(context.Context) error,
) error {
	o := tty.Options{
		Style: screen.Style{
			Colour: view.Colour(c.App.Writer, command.Getenv(c)), ASCII: !tty.UTF8(command.Getenv(c)),
			Zone: command.Zone(c),
		},
		Out: c.App.Writer, Env: command.Environ(c), Live: true,
	}
	if f, ok := c.App.Reader.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.In = f
	}
	o.Aside, _ = c.App.ErrWriter.(*tty.Aside)
	err := tty.RunFleet(ctx, o, queries, work)
	switch {
	case errors.Is(err, tty.ErrInterrupted):
		return command.ErrInterrupted
	case errors.Is(err, tty.ErrLeft):
		return command.ErrLeft
	}
	return err
}
