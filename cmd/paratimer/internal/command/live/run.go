package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// wait is attach without lines in between. Frames are not lines.
func wait(c *cli.Context, f *follow.Flags) error {
	_ = c.Set("quiet", strconv.FormatBool(c.Bool("quiet") || c.String("output") == "text")) // the flag takes it
	return attach(c, f)
}

// run runs a command and watches the query whose id its output shows. Without a cluster it looks for a new Spark
// driver on this machine as well. Lines about the query go to stderr: stdout is the command's.
func run(c *cli.Context) error {
	f, err := follow.FlagsOf(c)
	if err != nil {
		return err
	}
	//nolint:gosec // G204: it is the user's command
	child := exec.CommandContext(c.Context, c.Args().First(), c.Args().Tail()...)
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	found := make(chan string, 1)
	child.Stdin, child.Stdout = c.App.Reader, &idFinder{to: c.App.Writer, found: found}
	child.Stderr = &idFinder{to: c.App.ErrWriter, found: found}
	var earlier map[string]bool
	if !input.HasCluster(c) && !c.Bool("kubernetes") {
		earlier = map[string]bool{}
		newDriver(c.Context, c, earlier)
	}
	if err := child.Start(); err != nil {
		return command.Usage("cannot run %s: %w", c.Args().First(), err)
	}
	ctx, cancel := command.Limited(c) // the watch, not the command
	defer cancel()
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := child.Wait()
		stop()
		time.AfterFunc(endGrace, cancel)
		ended <- err
	}()
	var watched error
	if typed := firstQuery(running, c, found, earlier); typed != "" {
		inner, app := *c, *c.App
		inner.App, inner.Context = &app, ctx
		app.Writer = struct{ io.Writer }{c.App.ErrWriter} // not a terminal, so lines and no screen
		watched = attachQuery(&inner, f, typed)
		if watched != nil && !errors.Is(watched, command.ErrQueryFailed) && c.Context.Err() == nil {
			command.Logger(c).Warn().Err(watched).Msg("the query was not watched to its end")
		}
	}
	err = <-ended
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
		return command.Exit{Code: exit.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Args().First(), err)
	}
	// In cluster mode on Kubernetes spark-submit ends with 0 also if the driver has failed.
	if c.Bool("kubernetes") && errors.Is(watched, command.ErrQueryFailed) {
		return watched
	}
	return nil
}

// endGrace is how long the watch may go on after the command has ended: the history server may have the end a little
// later.
const endGrace = 30 * time.Second

// firstQuery waits for an id in the command's output or, unless earlier is nil, for a new driver on this machine. It
// returns "" if neither has come when the command has ended.
func firstQuery(running context.Context, c *cli.Context, found <-chan string, earlier map[string]bool) string {
	for {
		hasEnded := running.Err() != nil // checked first: the last output may have the id
		select {
		case id := <-found:
			return id
		default:
		}
		if hasEnded {
			return ""
		}
		if earlier != nil {
			if url := newDriver(running, c, earlier); url != "" {
				return url
			}
		}
		_ = watch.Sleep(running, time.Second) // the end of the command is checked above
	}
}

// newDriver returns the page of a driver on this machine that is not in earlier, by its application, and adds all to
// it; "" if there is none.
func newDriver(ctx context.Context, c *cli.Context, earlier map[string]bool) (url string) {
	drivers, _ := input.LocalDrivers(ctx, c) // an error shows when a driver is watched
	for _, d := range drivers {
		if !earlier[d.ID] {
			earlier[d.ID], url = true, d.URL
		}
	}
	return url
}

// idOfQuery matches the ids that clients print when they have submitted a query. The last form is that of an
// application on Kubernetes.
var idOfQuery = regexp.MustCompile(`\b((?:application|job)_\d{10,}_\d{4,}|spark-[0-9a-f]{32})[^\da-f]`)

// An idFinder copies the output of a command, and sends the first id of a query in it.
type idFinder struct {
	to    io.Writer
	found chan<- string
	mu    sync.Mutex
	tail  []byte // the end of what was written
}

// longestID is more than the bytes of an id.
const longestID = 64

// Write copies p, and looks for an id.
func (f *idFinder) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := append(f.tail, p...)
	if id := idOfQuery.FindSubmatch(text); id != nil {
		select {
		case f.found <- string(id[1]):
		default: // another one was first
		}
	}
	f.tail = append([]byte(nil), text[max(0, len(text)-longestID):]...)
	return f.to.Write(p)
}
