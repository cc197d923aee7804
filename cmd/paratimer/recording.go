package main

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/adapters/tape"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// recordingFlags choose what of a recording is played.
func recordingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "workflow", EnvVars: env("workflow"), Usage: "of a capture with several, the `ID` of a workflow, application or job"},
		&cli.DurationFlag{Name: "every", EnvVars: env("every"), Usage: "thin the ticks of a capture to one each `TIME`"},
	}
}

// openRecording opens a tape or a capture; which of them it is, its first line tells.
func openRecording(path, workflow string, every time.Duration) (watch.Source, io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, usage("cannot read the recording: %w", err)
	}
	src, err := playRecording(f, workflow, every)
	if err != nil {
		f.Close()
		return nil, nil, usage("%s: %w", path, err)
	}
	return src, f, nil
}

func playRecording(f io.Reader, workflow string, every time.Duration) (watch.Source, error) {
	kind, in, err := tape.Sniff(f)
	switch {
	case err != nil:
		return nil, err
	case kind == tape.Tape && workflow != "":
		return nil, errors.New("--workflow chooses in a capture: a tape holds one workflow only")
	case kind == tape.Tape:
		return tape.NewReader(in)
	case kind == tape.Unknown:
		return nil, errors.New("neither a tape nor a capture: record one with `paratimer attach --tape FILE` or `--capture FILE`")
	}
	rec, err := capture.Read(in)
	if err != nil {
		return nil, err
	}
	return capture.NewSource(rec, capture.Options{Workflow: workflow, Every: every})
}

// taped records a source to the file of --tape, where one is asked for. done closes it.
func taped(c *cli.Context, src watch.Source) (recorded watch.Source, done func(*error), err error) {
	path := c.String("tape")
	if path == "" {
		return src, func(*error) {}, nil
	}
	f, err := tape.Create(path)
	if err != nil {
		return nil, nil, usage("--tape: %w", err)
	}
	return tape.Tee(src, f), func(err *error) { closing(f, path, err) }, nil
}
