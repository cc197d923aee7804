package command

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// busyKey is the metadata key of the stop of an app's newest Busy.
const busyKey = "busy"

// Busy shows on stderr what a command works on, with the time so far, in a line that is replaced every second. stop
// removes the line, and may be called again. Busy shows nothing unless stderr is a terminal with control sequences,
// nor with --quiet or --plain.
func Busy(c *cli.Context, what string) (stop func()) {
	if c.Bool("quiet") || c.Bool("plain") || !view.Terminal(c.App.ErrWriter) || Getenv(c)("TERM") == "dumb" {
		return func() {}
	}
	stop = busy(c.Context, c.App.ErrWriter, what, time.Second)
	c.App.Metadata[busyKey] = stop
	return stop
}

func busy(ctx context.Context, out io.Writer, what string, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		n := 0
		for ; watch.Sleep(ctx, every) == nil; n++ {
			// a closed terminal is not an error of the command
			_, _ = fmt.Fprintf(out, "\r\x1b[K%s: %v", view.Escape(what), every*time.Duration(n+1))
		}
		if n > 0 {
			_, _ = io.WriteString(out, "\r\x1b[K")
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// endBusy removes the line of a command that ends early. It is a cli.AfterFunc.
func endBusy(c *cli.Context) error {
	if stop, ok := c.App.Metadata[busyKey].(func()); ok {
		stop()
	}
	return nil
}
