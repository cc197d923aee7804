package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

func waitCommand() *cli.Command {
	return command.New("wait", "[APP_ID|JOB_ID|WORKFLOW_ID]",
		"wait for the end of a query, and exit with its result (0 succeeded, 1 failed)", func(c *cli.Context) error {
			if err := c.Set("quiet", "true"); err != nil {
				return fmt.Errorf("--quiet: %w", err)
			}
			return attach(c)
		})
}

func runCommand() *cli.Command {
	return command.New("run", "-- COMMAND [ARGUMENT]...",
		"run a command that submits a query, watch the query, and exit with the command's exit code", run)
}

// A CommandExit has the exit code of a command that has run.
type CommandExit struct{ Code int }

func (e CommandExit) Error() string {
	return fmt.Sprintf("the command ended with exit code %d", e.Code)
}

// run runs a command and watches the query whose id its output shows. Without a cluster it looks for a new Spark
// driver on this machine as well. Lines about the query go to stderr: stdout is the command's.
func run(c *cli.Context) error {
	if err := command.Arguments(c, 1, -1); err != nil {
		return err
	}
	//nolint:gosec // G204: it is the user's command
	child := exec.CommandContext(c.Context, c.Args().First(), c.Args().Tail()...)
	child.Cancel = func() error { return nil } // it gets the terminal's interrupt itself
	found := make(chan string, 1)
	out, errs := &idFinder{to: c.App.Writer, found: found}, &idFinder{to: c.App.ErrWriter, found: found}
	child.Stdin, child.Stdout, child.Stderr = c.App.Reader, out, errs
	local := !input.HasCluster(c)
	var earlier map[string]bool
	if local {
		earlier = driverURLs(c.Context, c, nil)
	}
	if err := child.Start(); err != nil {
		return command.Usage("cannot run %s: %w", c.Args().First(), err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	ctx, cancel := context.WithCancel(c.Context)
	defer cancel()
	watched := make(chan error, 1)
	go func() {
		typed, err := firstQuery(ctx, c, found, local, earlier)
		if err == nil {
			inner := *c
			app := *c.App
			inner.App, inner.Context = &app, ctx
			app.Writer = struct{ io.Writer }{c.App.ErrWriter} // not a terminal, so lines and no screen
			err = attachQuery(&inner, typed)
		}
		watched <- err
	}()
	log := command.Logger(c)
	var result error
	select {
	case result = <-ended:
		// The history server may have the end a little later than the command.
		grace := time.AfterFunc(endGrace, cancel)
		if err := <-watched; err != nil { // the command's own result counts
			log.Info().Err(err).Msg("the end of the query was not observed")
		}
		grace.Stop()
	case err := <-watched:
		if err != nil && !errors.Is(err, command.ErrQueryFailed) {
			log.Warn().Err(err).Msg("the query is not watched any more; the command runs on")
		}
		result = <-ended
	}
	var exit *exec.ExitError
	switch {
	case result == nil:
		return nil
	case errors.As(result, &exit) && exit.ExitCode() > 0:
		return CommandExit{exit.ExitCode()}
	}
	return fmt.Errorf("%s: %w", c.Args().First(), result)
}

// endGrace is how long the watch may go on after the command has ended.
const endGrace = 30 * time.Second

// firstQuery waits for an id in the command's output, or for a driver on this machine that is not in earlier.
func firstQuery(
	ctx context.Context, c *cli.Context, found <-chan string, local bool, earlier map[string]bool,
) (typed string, err error) {
	for {
		select {
		case typed = <-found:
			return typed, nil
		default:
		}
		if local {
			for url := range driverURLs(ctx, c, earlier) {
				return url, nil
			}
		}
		if err := watch.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
	}
}

// driverURLs returns the pages of the drivers on this machine that are not in earlier.
func driverURLs(ctx context.Context, c *cli.Context, earlier map[string]bool) map[string]bool {
	urls := map[string]bool{}
	drivers, _, _ := input.LocalDrivers(ctx, c) // an error shows when a driver is watched
	for _, d := range drivers {
		if !d.Starting && !earlier[d.URL] {
			urls[d.URL] = true
		}
	}
	return urls
}

// idOfQuery matches the ids that clients print when they have submitted a query.
var idOfQuery = regexp.MustCompile(`\b((?:application|job)_\d{10,}_\d{4,})[^\d]`)

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
