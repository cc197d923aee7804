package input

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// CheckRecord returns a usage error if the flags contradict each other.
func CheckRecord(c *cli.Context) error {
	switch {
	case c.Bool("raw") && c.String("capture") != "":
		return command.Usage("--raw: the setting capture records the raw answers, too")
	case c.Bool("session") && ObservationsFile(c) != "":
		return command.Usage("--session: a recording has one workflow; add --raw to record a session")
	}
	return nil
}

// ObservationsFile returns the file for observations, "" if there is none.
func ObservationsFile(c *cli.Context) string {
	if c.Bool("raw") {
		return ""
	}
	return c.String("record")
}

// Recorded records a source to the file for observations, if there is one. done closes the file.
func Recorded(c *cli.Context, src watch.Source) (recorded watch.Source, done func(*error), err error) {
	path := ObservationsFile(c)
	if path == "" {
		return src, func(*error) {}, nil
	}
	f, err := recording.Create(path)
	if err != nil {
		return nil, nil, command.Usage("--record: %w", err)
	}
	return recording.Tee(src, f), func(err *error) { command.Closing(f, path, err) }, nil
}

// Answers returns a layer that records raw answers to their file; nil if there is none. done closes it. now is the
// cluster's clock.
func Answers(c *cli.Context, now func() dag.Instant) (tap rest.Layer, done func(*error), err error) {
	path := c.String("capture")
	if c.Bool("raw") {
		path = c.String("record")
	}
	if path == "" {
		return nil, func(*error) {}, nil
	}
	w, err := recording.CreateAnswers(path, now)
	if err != nil {
		return nil, nil, command.Usage("--record: %w", err)
	}
	return w.Layer, func(err *error) { command.Closing(w, path, err) }, nil
}
