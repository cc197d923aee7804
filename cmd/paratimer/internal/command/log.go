package command

import (
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/outfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// logKey is the metadata key of an app's log.
const logKey = "log"

// talk returns the writer of an app's log.
func talk(app *cli.App) io.Writer {
	if l, ok := app.Metadata[logKey].(*outfile.Log); ok {
		return l
	}
	return app.ErrWriter
}

// LogsToFile reports whether an app's log goes to a file.
func LogsToFile(c *cli.Context) bool { return c.App.Metadata[logKey] != nil }

// CloseLog closes an app's log if it is a file.
func CloseLog(app *cli.App) {
	if l, ok := app.Metadata[logKey].(*outfile.Log); ok {
		_ = l.Close() // each line was already written
	}
}

// Logger returns a logger to stderr or to the file of --log-file: in lines on a terminal, in JSON elsewhere, unless
// log-format is set.
func Logger(c *cli.Context) zerolog.Logger {
	level, err := zerolog.ParseLevel(c.String("log-level"))
	if err != nil {
		level = zerolog.WarnLevel
	}
	w := talk(c.App)
	if format := c.String("log-format"); format == "console" || format == "auto" && view.Terminal(w) {
		w = zerolog.ConsoleWriter{Out: w, NoColor: !view.Colour(w, Getenv(c)), TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// Tell returns a function that prints a line to the user on stderr. It also prints at the default level of
// warnings, but obeys --log-level.
func Tell(c *cli.Context) func(string) {
	log := Logger(c)
	if !c.IsSet("log-level") {
		log = log.Level(zerolog.InfoLevel)
	}
	return func(line string) { log.Info().Msg(line) }
}
