package command

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
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
func Logger(c *cli.Context) zerolog.Logger {
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
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// Notice returns a function that prints a line to the user on stderr. It also prints at the default level of
// warnings, but obeys --log-level.
func Notice(c *cli.Context) func(string) {
	log := Logger(c)
	if !c.IsSet("log-level") {
		log = log.Level(zerolog.InfoLevel)
	}
	return func(line string) { log.Info().Msg(line) }
}
