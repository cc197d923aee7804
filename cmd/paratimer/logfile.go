package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/logfile"
)

func logFileFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "log-file", EnvVars: env("log-file"),
		Usage: "talk into `FILE` in place of stderr; where it was moved, as by logrotate, it is begun anew, and at 64 MiB it becomes FILE.1",
	}
}

// logKey is where an app keeps its log.
const logKey = "log"

// prepare reads settings and opens the log, before a command.
func prepare(c *cli.Context) error {
	if err := fromEnvironment(c); err != nil {
		return err
	}
	if err := configure(c); err != nil {
		return err
	}
	path := c.String("log-file")
	if path == "" || c.App.Metadata[logKey] != nil {
		return nil
	}
	l, err := logfile.Open(path)
	if err != nil {
		return usage("--log-file: %w", err)
	}
	c.App.Metadata[logKey] = l
	return nil
}

// talk is where an app's log goes.
func talk(app *cli.App) io.Writer {
	if l, ok := app.Metadata[logKey].(*logfile.Log); ok {
		return l
	}
	return app.ErrWriter
}

func closeLog(app *cli.App) {
	if l, ok := app.Metadata[logKey].(*logfile.Log); ok {
		_ = l.Close() // each line went to the system as it came
	}
}
