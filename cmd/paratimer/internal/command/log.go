package command

import (
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/outfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// LogFileFlag is --log-file.
func LogFileFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "log-file", EnvVars: Env("log-file"),
		Usage: "log to `FILE`, not to stderr; it is reopened after logrotate, and becomes FILE.1 at 64 MiB",
	}
}

// logKey is where an app keeps its log.
const logKey = "log"

// talk is where an app's log goes.
func talk(app *cli.App) io.Writer {
	if l, ok := app.Metadata[logKey].(*outfile.Log); ok {
		return l
	}
	return app.ErrWriter
}

// LogsToFile says whether an app's log goes to a file.
func LogsToFile(c *cli.Context) bool { return c.App.Metadata[logKey] != nil }

// CloseLog closes an app's log where that is a file.
func CloseLog(app *cli.App) {
	if l, ok := app.Metadata[logKey].(*outfile.Log); ok {
		_ = l.Close() // each line went to the system as it came
	}
}

// Logger talks on stderr or into the file of --log-file: in lines for people on a terminal, in JSON elsewhere unless
// asked.
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

// Tell is how a user is told something in one line on stderr: unless asked to be quiet, also where only warnings are.
func Tell(c *cli.Context) func(string) {
	log := Logger(c)
	if !c.IsSet("log-level") {
		log = log.Level(zerolog.InfoLevel)
	}
	return func(line string) { log.Info().Msg(line) }
}
