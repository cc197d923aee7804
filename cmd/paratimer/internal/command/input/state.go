package input

import (
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// StateFlag is --state-dir: where it is remembered what earlier runs taught.
func StateFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "state-dir", EnvVars: command.Env("state-dir"),
		Usage: "keep the history in `DIR` (default: paratimer in the XDG state folder, ~/.local/state)",
	}
}

// HistoryFlags are the flags of commands that watch and remember.
func HistoryFlags() []cli.Flag {
	return command.About("Earlier runs", StateFlag(), &cli.BoolFlag{
		Name: "no-history", EnvVars: command.Env("no-history"),
		Usage: "neither use nor extend the history",
	})
}

// OpenState opens the folder of what is remembered.
func OpenState(c *cli.Context) (*state.Store, error) {
	dir := c.String("state-dir")
	if dir == "" {
		var err error
		if dir, err = state.Dir(command.Getenv(c)); err != nil {
			return nil, err
		}
	}
	return state.Open(dir)
}

// StateOrNone is OpenState for a watch, which goes on without: nil is none, which has been said, or was asked for.
func StateOrNone(c *cli.Context, log zerolog.Logger) *state.Store {
	if c.Bool("no-history") {
		return nil
	}
	store, err := OpenState(c)
	if err != nil {
		log.Warn().Err(err).Msg("nothing is remembered of this run, and nothing of earlier ones is used")
		return nil
	}
	return store
}

// Recorder remembers a run, and knows the profile of earlier ones. profiles go before that.
func Recorder(c *cli.Context, profiles []*dag.Plan) *history.Recorder {
	log := command.Logger(c)
	return &history.Recorder{Store: StateOrNone(c, log), Given: profiles, Log: log, Tell: command.Tell(c)}
}

// Remembering is an option of follow.Run: the run is remembered, and bounds on the usual length get to know it.
func Remembering(r *history.Recorder) func(*watch.Watch) {
	return func(w *watch.Watch) {
		r.Join(w)
		r.Known = func(usual time.Duration, _ int) { SetUsual(w.Bounds, usual) }
	}
}

// SetUsual tells bounds on the usual length what that is, unless they know.
func SetUsual(all []alert.Bound, usual time.Duration) {
	for i := range all {
		if b := &all[i]; b.Kind == alert.LongerThanUsual && b.Usual == 0 {
			b.Usual = usual
		}
	}
}

// WorkflowOf is the workflow that a user names, by its name or a script's path.
func WorkflowOf(store *state.Store, name string) (*state.Workflow, error) {
	w, err := store.Read(history.Key(name))
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	if len(w.Runs) > 0 {
		return w, nil
	}
	names, _ := store.List() // what cannot be read is not what is looked for
	if len(names) == 0 {
		return nil, command.Usage("no run of %q is remembered, nor of any other workflow", name)
	}
	return nil, command.Usage("no run of %q is remembered; there are runs of %s", name,
		strings.Join(names[:min(len(names), 20)], ", "))
}
