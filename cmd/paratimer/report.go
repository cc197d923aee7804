package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/tape"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	page "github.com/paratimer/paratimer/cmd/paratimer/internal/report"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/story"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

func reportFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		outputFlag("html", "json"),
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, EnvVars: env("out"), Usage: "write to `FILE`, - for stdout (default: the run's name with .html, here; of JSON, stdout)"},
		&cli.BoolFlag{Name: "live", EnvVars: env("live"), Usage: "serve the report as a page that follows the run, and print its address; a recording is played"},
		&cli.StringFlag{Name: "listen", EnvVars: env("listen"), Value: "0", Usage: "with --live, serve at `ADDRESS`: a port, such as 9189, is this machine's own only; 0 is any that is free"},
		&cli.Float64Flag{Name: "speed", EnvVars: env("speed"), Value: 1, Usage: "with --live, play a recording `N` times as fast as the run was; 0 is as fast as can be"},
		&cli.DurationFlag{Name: "timeout", EnvVars: env("timeout"), Usage: "give up after `TIME`, with exit code 124"},
		deltaFlag(), profileFlag(),
	}, boundFlags(), recordingFlags(), clusterFlags(), historyFlags(), serveFlags())
}

// report writes what a run tells afterwards, or so far.
func report(c *cli.Context) error {
	if c.Bool("live") {
		return reportLive(c)
	}
	for _, name := range []string{"listen", "speed"} {
		if c.IsSet(name) {
			return usage("--%s goes with --live", name)
		}
	}
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	ctx, cancel := limited(c)
	defer cancel()
	g, err := gathered(ctx, c, c.Args().First())
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	s, err := unlessInterrupted(ctx, g.Story)
	if err != nil {
		return err
	}
	if c.String("output") == "json" {
		return write(c, cmp.Or(c.String("out"), "-"), s.JSON)
	}
	return write(c, cmp.Or(c.String("out"), reportName(c.Args().First())), func(w io.Writer) error { return page.Write(w, s) })
}

// gathered plays a recording to its end, or to where it is torn, or looks at a query of the cluster.
func gathered(ctx context.Context, c *cli.Context, name string) (g *story.Gatherer, err error) {
	held, err := bounds(c)
	if err != nil {
		return nil, err
	}
	src, done, recorded, err := reported(ctx, c, name)
	if err != nil {
		return nil, err
	}
	defer done(&err)
	every := lookEvery
	if recorded {
		every = 0
	} else {
		src = &looks{Source: src, left: whatIfLooks} // rates take two observations
	}
	g = story.Gather(name, src, modelOf(c))
	g.Recorded = recorded
	w := watch.Watch{Source: g, Panel: panelOf(modelOf(c), battery{}, 0), Sinks: []watch.Sink{g}, Bounds: held, Every: every, Log: logger(c)}
	if recorded {
		w.Sinks = append(w.Sinks, &patience{say: tell(c)})
	}
	_, err = w.Run(ctx)
	if torn := new(capture.CutOffError); errors.As(err, &torn) && g.Seen() > 0 {
		log := logger(c)
		log.Warn().Msgf("%s: %v; the report tells of what is before that", name, err)
		return g, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// patience says how far a recording has been played, where that takes long: after each so many tasks that were predicted.
type patience struct {
	say         func(string)
	seen, tasks int
}

// mostSilent is half a minute or so of a machine's time.
const mostSilent = 500_000

// Show counts what a frame has cost.
func (p *patience) Show(f frame.Frame) error {
	p.seen++
	for i := range f.Jobs {
		for _, n := range []*int{f.Jobs[i].Maps.Total, f.Jobs[i].Reduces.Total} {
			if n != nil {
				p.tasks += *n
			}
		}
	}
	if p.tasks >= mostSilent && f.ElapsedSeconds != nil && !f.Workflow.State.Ended() {
		p.tasks = 0
		p.say(fmt.Sprintf("observation %d, %s into the run, is predicted again; a query of so many tasks takes its time", p.seen, view.Exact(f.ElapsedSeconds.Duration())))
	}
	return nil
}

// reported is what a report is about: a recording if there is a file of the name, else a query of the cluster.
func reported(ctx context.Context, c *cli.Context, name string) (src watch.Source, done func(*error), recorded bool, err error) {
	profiles, err := readProfiles(c)
	if err != nil {
		return nil, nil, false, err
	}
	kind, exists, err := fileKind(name)
	switch {
	case err != nil:
		return nil, nil, false, err
	case exists && kind == tape.Unknown && isPlan(name):
		return nil, nil, false, usage("%s is no recording: a report tells of a run; `paratimer estimate` and `paratimer whatif` tell of a plan", name)
	case exists:
		src, file, err := openRecording(name, c.String("workflow"), c.Duration("every"))
		if err != nil {
			return nil, nil, false, err
		}
		return withProfiles(src, profiles), func(err *error) { closing(file, name, err) }, true, nil
	}
	client, err := newClient(c, nil)
	if err != nil {
		return nil, nil, false, err
	}
	target, err := pick(ctx, client, name, userName(c))
	if err != nil {
		client.Close()
		return nil, nil, false, err
	}
	rec := &history.Recorder{Source: hadoop.NewSource(client, target), Store: stateOrNone(c, logger(c)), Given: profiles, Log: zerolog.Nop()}
	return rec, func(*error) { client.Close() }, false, nil
}

// looks ends a source after so many observations.
type looks struct {
	watch.Source
	left int
}

// Next observes, unless that was done often enough.
func (l *looks) Next(ctx context.Context) (*dag.Snapshot, error) {
	if l.left == 0 {
		return nil, io.EOF
	}
	s, err := l.Source.Next(ctx)
	if err == nil {
		l.left--
	}
	return s, err
}

// reportName is the name of a report: that of the recording or query, with .html, in the current folder.
func reportName(of string) string {
	base := filepath.Base(filepath.Clean(of))
	for _, ext := range []string{".gz", ".jsonl", ".tape", ".jhist", ".json"} {
		base = strings.TrimSuffix(base, ext)
	}
	return strings.TrimSuffix(tapeName(base, map[string]bool{}), ".tape.gz") + ".html"
}
