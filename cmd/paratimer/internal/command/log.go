package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// logKey is the metadata key of an app's log.
const logKey = "log"

// mostLog is the greatest size of a log in bytes. A full log is renamed to its name plus ".1", replacing an older
// one, and a new file begins: together they take at most twice as much.
const mostLog = 64 << 20

// A Log is a file that lines are appended to, of bounded size. It opens the file for each write, so other programs such
// as logrotate may move or remove it. No signal is needed. It is safe for several goroutines.
type Log struct {
	path string
	most int64
	mu   sync.Mutex
}

// OpenLog returns the log at path. If need be it creates the file, readable by its owner alone.
func OpenLog(path string) (*Log, error) {
	l := &Log{path: path, most: mostLog}
	_, err := l.Write(nil)
	return l, err
}

// Write appends one or more lines.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := os.Stat(l.path)
	if err == nil && now.Mode().IsRegular() && now.Size() > 0 && now.Size()+int64(len(p)) > l.most {
		_ = os.Rename(l.path, l.path+".1") // if this fails, the log grows
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(p)
	return n, errors.Join(err, f.Close())
}

// LogsToFile reports whether an app's log goes to a file.
func LogsToFile(c *cli.Context) bool { return c.App.Metadata[logKey] != nil }

// Logger returns a logger in lines to stderr, or in JSON to the file of --log-file, unless log-format is set.
func Logger(c *cli.Context) *zerolog.Logger {
	level, err := zerolog.ParseLevel(c.String("log-level"))
	if err != nil {
		level = zerolog.WarnLevel
	}
	w := c.App.ErrWriter
	if l, ok := c.App.Metadata[logKey].(*Log); ok {
		w = l
	}
	if format := c.String("log-format"); format == "console" || format == "auto" && !LogsToFile(c) {
		w = zerolog.ConsoleWriter{Out: w, NoColor: !view.Colour(w, Getenv(c)), TimeFormat: time.TimeOnly}
	}
	return new(zerolog.New(w).Level(level).With().Timestamp().Logger())
}

// Notice returns a function that prints a line to the user on stderr. It also prints at the default level of
// warnings, but obeys --log-level.
func Notice(c *cli.Context) func(string) {
	log := Logger(c)
	if !c.IsSet("log-level") {
		log = new(log.Level(zerolog.InfoLevel))
	}
	return func(line string) { log.Info().Msg(line) }
}

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
