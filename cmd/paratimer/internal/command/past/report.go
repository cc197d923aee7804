package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

func reportFlags() []cli.Flag {
	return []cli.Flag{
		command.Choice("output", "write `FORMAT`", "html", "json"),
		&cli.StringFlag{
			Name: "out", Aliases: []string{"o"}, EnvVars: command.Env("out"),
			Usage: "write to `FILE`, - for stdout (default: the run's name with .html; JSON and --skew: stdout)",
		},
		&cli.BoolFlag{
			Name: "skew", EnvVars: command.Env("skew"),
			Usage: "print only the tasks and keys that delay a query, also of a plan, as text or JSON",
		},
		&cli.StringFlag{
			Name: "at", EnvVars: command.Env("at"),
			Usage: "with --skew, show the state of a recording at `TIME` (90s) or at a part of the run (0.5, 50%)",
		},
		&cli.BoolFlag{
			Name: "live", EnvVars: command.Env("live"),
			Usage: "serve the report as a page that follows the run; a recording is played",
		},
		&cli.StringFlag{
			Name: "listen", EnvVars: command.Env("listen"), Value: "0",
			Usage: "with --live, serve at `ADDRESS`; a port alone, such as 9189, is local, 0 is a free one",
		},
		&cli.Float64Flag{
			Name: "speed", EnvVars: command.Env("speed"), Value: 1,
			Usage: "with --live, play a recording `N` times as fast; 0: without waiting",
		},
	}
}

// report writes the report of a past or running query.
func report(c *cli.Context) error {
	for _, f := range [][2]string{{"listen", "live"}, {"speed", "live"}, {"at", "skew"}} {
		if c.IsSet(f[0]) && !c.Bool(f[1]) {
			return command.Usage("--%s goes with --%s", f[0], f[1])
		}
	}
	switch {
	case c.Bool("live"):
		return reportLive(c)
	case c.Bool("skew"):
		return reportSkew(c)
	}
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	switch out := c.String("out"); strings.ToLower(filepath.Ext(out)) {
	case ".pdf", ".png", ".docx":
		return command.Usage("--out %s: a report is HTML, or JSON with --output json: give %s, and print that to PDF in a browser",
			out, strings.TrimSuffix(out, filepath.Ext(out))+".html")
	}
	ctx, cancel := command.Limited(c)
	defer cancel()
	g, err := collected(ctx, c, c.Args().First())
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	s, err := command.UnlessInterrupted(ctx, g.Report)
	if err != nil {
		return err
	}
	if c.String("output") == "json" {
		return command.Write(c, cmp.Or(c.String("out"), "-"), s.JSON)
	}
	return command.Write(c, cmp.Or(c.String("out"), fileName(c.Args().First())+".html"), func(w io.Writer) error {
		return runreport.Of(s, "", command.Zone(c)).HTML(w)
	})
}

// mostTicks is the number of observations of a log in a report: its chart shows no more.
const mostTicks = 150

// mostPolls is the number of polls of a running query: the first one may be too early.
const mostPolls = 3

// collected plays a recording to its end, or to where it is cut off, or polls a query of the cluster.
func collected(ctx context.Context, c *cli.Context, name string) (g *runreport.Collector, err error) {
	held, err := follow.Bounds(c)
	if err != nil {
		return nil, err
	}
	src, rec, done, err := reported(ctx, c, name)
	if err != nil {
		return nil, err
	}
	defer done(&err)
	g = runreport.NewCollector(name, follow.ModelOf(c))
	g.Recorded = rec == nil
	w := watch.Watch{
		Source: src, Estimators: follow.EstimatorSetOf(follow.ModelOf(c), follow.Battery{}, 0),
		Sinks: []watch.Sink{g}, Bounds: held, Log: command.Logger(c),
	}
	polls := math.MaxInt
	if !g.Recorded {
		w.Every, polls = input.LookEvery, mostPolls // rates need two observations
		rec.Join(&w)
	}
	_, err = w.RunUntil(ctx, func(missed error) (bool, error) {
		if missed == nil {
			polls--
		}
		return polls == 0, nil
	})
	if torn := new(recording.CutOffError); errors.As(err, &torn) && g.Seen() > 0 {
		log := command.Logger(c)
		log.Warn().Msgf("%s: %v; the report tells of what is before that", name, err)
		return g, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// reported returns the source of a report: a recording if there is a file with the name, else a query of the
// cluster. rec stores the query's run; it is nil for a recording.
func reported(ctx context.Context, c *cli.Context, name string) (src watch.Source, rec *history.Recorder,
	done func(*error), err error,
) {
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return nil, nil, nil, err
	}
	_, exists, err := input.IsRecording(name)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case exists:
		open := input.Open
		if c.Bool("live") { // a live report prints the page's address, and no progress
			open = func(c *cli.Context, path string) (watch.Source, io.Closer, error) {
				return input.OpenRecording(path, input.WorkflowID(c), c.Duration("every"))
			}
		}
		src, file, err := open(c, name)
		if err != nil {
			return nil, nil, nil, err
		}
		if !c.Bool("live") && c.Duration("every") == 0 {
			input.AtMost(src, mostTicks)
		}
		return input.WithProfiles(src, profiles), nil, func(err *error) { command.Closing(file, name, err) }, nil
	}
	client, err := input.NewClient(c, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	target, err := input.Pick(ctx, client, name, input.UserName(c))
	if err != nil {
		client.Close()
		return nil, nil, nil, err
	}
	rec = &history.Recorder{Store: input.StateOrNone(c, command.Logger(c)), Given: profiles, Log: zerolog.Nop()}
	return &input.Profiled{Source: input.NewWorkflow(c, client, target), Profiles: rec.Profiles}, rec,
		func(*error) { client.Close() }, nil
}
