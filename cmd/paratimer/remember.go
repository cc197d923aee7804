package main

import (
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// stateFlag is --state-dir: where it is remembered what earlier runs taught.
func stateFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "state-dir", EnvVars: env("state-dir"),
		Usage: "remember runs in `DIR` (default: paratimer in the XDG state folder, ~/.local/state)",
	}
}

// historyFlags are the flags of commands that watch and remember.
func historyFlags() []cli.Flag {
	return about("Earlier runs", stateFlag(), &cli.BoolFlag{
		Name: "no-history", EnvVars: env("no-history"), Usage: "use nothing that is remembered of earlier runs, and do not remember this one",
	})
}

// openState opens the folder of what is remembered.
func openState(c *cli.Context) (*state.Store, error) {
	dir := c.String("state-dir")
	if dir == "" {
		var err error
		if dir, err = state.Dir(getenv(c)); err != nil {
			return nil, err
		}
	}
	return state.Open(dir)
}

// stateOrNone is openState for a watch, which goes on without: nil is none, which has been said, or was asked for.
func stateOrNone(c *cli.Context, log zerolog.Logger) *state.Store {
	if c.Bool("no-history") {
		return nil
	}
	store, err := openState(c)
	if err != nil {
		log.Warn().Err(err).Msg("nothing is remembered of this run, and nothing of earlier ones is used")
		return nil
	}
	return store
}

// recorder remembers the run that src watches, and gives it the profile of earlier ones. profiles go before that.
func recorder(c *cli.Context, src watch.Source, profiles []*dag.Plan) *history.Recorder {
	log := logger(c)
	return &history.Recorder{Source: src, Store: stateOrNone(c, log), Given: profiles, Log: log, Tell: tell(c)}
}

// remembering is an option of follow: the recorder sees the frames, and bounds on the usual length get to know it.
func remembering(r *history.Recorder) func(*watch.Watch) {
	return func(w *watch.Watch) {
		w.Sinks = append(w.Sinks, r)
		r.Known = func(usual time.Duration, _ int) { setUsual(w.Bounds, usual) }
	}
}

// setUsual tells bounds on the usual length what that is, unless they know.
func setUsual(all []alert.Bound, usual time.Duration) {
	for i := range all {
		if b := &all[i]; b.Kind == alert.LongerThanUsual && b.Usual == 0 {
			b.Usual = usual
		}
	}
}

// tell is how a user is told something in one line on stderr: unless asked to be quiet, also where only warnings are.
func tell(c *cli.Context) func(string) {
	log := logger(c)
	if !c.IsSet("log-level") {
		log = log.Level(zerolog.InfoLevel)
	}
	return func(line string) { log.Info().Msg(line) }
}
