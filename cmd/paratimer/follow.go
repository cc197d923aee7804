package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/observed"
)

// pace is when frames come: every so often, or as fast as the query's own time divided by speed.
type pace struct {
	every time.Duration
	speed float64
}

// followFlags are the flags of all commands that print frames.
func followFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		outputFlag("text", "ndjson"),
		estimatorsFlag("which estimators are shown", ownEstimators),
		deltaFlag(),
		linesFlag("plain", "print lines of words, on a terminal as well, for those who hear them: no screen, no colour, no symbols"),
		linesFlag("quiet", "print only what must be heard: alerts that fire and how they go on, failures, lost nodes, and the end"),
		&cli.DurationFlag{Name: "timeout", EnvVars: env("timeout"), Usage: "give up after `TIME`, with exit code 124"},
	}, slices.Concat(boundFlags(), metricsFlags(), more)...)
}

// linesFlag says how lines are printed. On a command line it contradicts frames; as a setting it gives way to them.
func linesFlag(name, does string) cli.Flag {
	return &cli.BoolFlag{Name: name, EnvVars: env(name), Usage: does, Action: func(c *cli.Context, on bool) error {
		if on && c.String("output") == "ndjson" && processOf(c.App).set(env(name)) == "" {
			return usage("--%s is about lines for people: it does not go with --output ndjson, which prints frames", name)
		}
		return nil
	}}
}

// speedFlag is --speed: how many times as fast as it came a past or simulated run is played; 0 does not wait.
func speedFlag(value float64) cli.Flag {
	does := "play `N` times as fast as the run was; 0 is as fast as can be"
	if value == 0 {
		does += " (default: 0; on a screen, so that the run takes half a minute)"
	}
	return &cli.Float64Flag{Name: "speed", EnvVars: env("speed"), Value: value, Usage: does}
}

// speedOf is --speed.
func speedOf(c *cli.Context) (float64, error) {
	v := c.Float64("speed")
	if !(v >= 0) {
		return 0, usage("--speed %v: it is 0 or more", v)
	}
	return v, nil
}

// follow watches a source to its end and prints its frames. Options may change the watch before it begins.
func follow(c *cli.Context, src watch.Source, p pace, options ...func(*watch.Watch)) error {
	held, err := bounds(c)
	if err != nil {
		return err
	}
	shown, err := batteryOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := limited(c)
	defer cancel()
	var sinks []watch.Sink
	meter, done, err := serveMetrics(ctx, c)
	if err != nil {
		return err
	}
	if meter != nil {
		sinks = append(sinks, meter)
	}
	defer done()
	w := watch.Watch{
		Source: src, Panel: panelOf(modelOf(c), shown, 0), Sinks: sinks,
		Bounds: held, Every: p.every, Speed: p.speed, Log: logger(c),
	}
	for _, option := range options {
		option(&w)
	}
	state, err := watchOn(ctx, c, w)
	if err != nil {
		return err
	}
	return ended(state)
}

// watchOn runs a watch that shows its frames on a screen, or in lines. A terminal that takes nothing holds up no live watch, whose alerts
// must go on; a pipe does, for what reads it must miss nothing.
func watchOn(ctx context.Context, c *cli.Context, w watch.Watch) (state dag.State, err error) {
	if fullScreen(c) {
		return watchOnScreen(ctx, c, w)
	}
	shown := sink(c)
	if w.Every > 0 && view.Terminal(c.App.Writer) {
		unheld := tty.NewUnheld(shown.Show)
		defer func() {
			if e := unheld.Close(); err == nil {
				err = e
			}
		}()
		shown = unheld
	}
	w.Sinks = append([]watch.Sink{shown}, w.Sinks...)
	return w.Run(ctx)
}

// sink is the view that --output asks for.
func sink(c *cli.Context) watch.Sink {
	if c.String("output") == "ndjson" {
		return view.NewNDJSON(c.App.Writer)
	}
	lines := view.NewText(c.App.Writer, view.Colour(c.App.Writer, getenv(c)))
	if c.Bool("plain") {
		lines.Plain()
	}
	if c.Bool("quiet") {
		lines.Quiet()
	}
	return lines
}

// logger talks on stderr or into the file of --log-file: in lines for people on a terminal, in JSON elsewhere unless asked.
func logger(c *cli.Context) zerolog.Logger {
	level, err := zerolog.ParseLevel(c.String("log-level"))
	if err != nil {
		level = zerolog.WarnLevel
	}
	w := talk(c.App)
	if format := c.String("log-format"); format == "console" || format == "auto" && view.Terminal(w) {
		w = zerolog.ConsoleWriter{Out: w, NoColor: !view.Colour(w, getenv(c)), TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// profiled is a source whose plans carry profiles of earlier runs. They are arguments, not observations: no tape holds
// them.
type profiled struct {
	watch.Source
	profiles []*dag.Plan
	was, is  *dag.Plan
}

func withProfiles(src watch.Source, profiles []*dag.Plan) watch.Source {
	if len(profiles) == 0 {
		return src
	}
	return &profiled{Source: src, profiles: profiles}
}

// Next hands the snapshot on with the profiles in its plan. Snapshots that share a plan still do.
func (p *profiled) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := p.Source.Next(ctx)
	if s == nil || err != nil {
		return s, err
	}
	with := observed.Attach(s, p.profiles)
	if s.Plan != p.was {
		p.was, p.is = s.Plan, with.Plan
	}
	with.Plan = p.is
	return with, nil
}

// closing closes c and adds its error to a command's.
func closing(c io.Closer, what string, err *error) {
	if e := c.Close(); e != nil && *err == nil {
		*err = fmt.Errorf("cannot close %s: %w", what, e)
	}
}
