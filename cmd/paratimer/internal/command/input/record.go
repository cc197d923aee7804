package input

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// RecordFlags returns the flag that records observations, and the name that it had until version 0.32.
func RecordFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "record", EnvVars: command.Env("record"),
			Usage: "record the observations to `FILE`, for replay, history and score",
		},
		&cli.StringFlag{Name: "tape", EnvVars: command.Env("tape"), Hidden: true},
	}
}

// AnswerFlags returns the flag that records raw answers, and the name that it had until version 0.32.
func AnswerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{
			Name: "raw", EnvVars: command.Env("raw"),
			Usage: "with --record, record the raw answers without secrets instead, for bug reports",
		},
		&cli.StringFlag{Name: "capture", EnvVars: command.Env("capture"), Hidden: true},
	}
}

// CheckRecord returns a usage error if the flags contradict each other.
func CheckRecord(c *cli.Context) error {
	switch {
	case c.Bool("raw") && c.String("record") == "":
		return command.Usage("--raw: it needs --record FILE")
	case c.String("record") != "" && !c.Bool("raw") && c.String("tape") != "":
		return command.Usage("--tape: it is an older name of --record")
	case c.String("record") != "" && c.Bool("raw") && c.String("capture") != "":
		return command.Usage("--capture: it is an older name of --record with --raw")
	}
	return nil
}

// ObservationsFile returns the file for observations, "" if there is none.
func ObservationsFile(c *cli.Context) string {
	if c.Bool("raw") {
		return c.String("tape")
	}
	return cmp.Or(c.String("record"), c.String("tape"))
}

// answersFile returns the file for raw answers, "" if there is none.
func answersFile(c *cli.Context) string {
	if c.Bool("raw") {
		return c.String("record")
	}
	return c.String("capture")
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

// Answers returns a writer to the file for raw answers; nil if there is none. done closes it. now is the cluster's
// clock.
func Answers(c *cli.Context, now func() dag.Instant) (w *recording.Writer, done func(*error), err error) {
	path := answersFile(c)
	if path == "" {
		return nil, func(*error) {}, nil
	}
	if w, err = recording.CreateAnswers(path, now); err != nil {
		return nil, nil, command.Usage("--record: %w", err)
	}
	return w, func(err *error) { command.Closing(w, path, err) }, nil
}
