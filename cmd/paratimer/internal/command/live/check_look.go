package live

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// looker returns how check observes the query: in a recording, through a watcher, or on the cluster.
func looker(c *cli.Context, q question) (func(context.Context) (frame.Frame, error), error) {
	held, err := follow.Bounds(c)
	if err != nil {
		return nil, err
	}
	file, url := c.String("recording"), c.String("metrics-url")
	switch {
	case file != "" && url != "":
		return nil, command.Usage("--recording and --metrics-url: one of them says where to look")
	case c.IsSet("at") && file == "":
		return nil, command.Usage("--at goes with --recording")
	case url != "" && len(held) > 0:
		return nil, command.Usage("--metrics-url: the watcher has the bounds; give --%s to it", held[0].Name)
	case url == "" && len(held) == 0 && (q.limits.Late.Warning != nil || q.limits.Late.Critical != nil):
		return nil, command.Usage("a risk in percent is one of breaking a bound: give --deadline, --within or " +
			"--longer-than-usual")
	}
	for i := range held {
		held[i].Hold = 1
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return nil, err
	}
	switch {
	case url != "":
		v, err := visiting(c)
		return func(ctx context.Context) (frame.Frame, error) { return askWatcher(ctx, v, url, c.Args().First()) }, err
	case file != "":
		return func(ctx context.Context) (f frame.Frame, err error) {
			src, closer, err := input.OpenRecording(file, c.Args().First(), 0)
			if err != nil {
				return f, err
			}
			defer command.Closing(closer, file, &err)
			few, err := newest(ctx, src, c.Duration("at"))
			if err != nil {
				return f, err
			}
			return lookThrough(ctx, input.WithProfiles(few, profiles), held, 0, func(frame.Frame) bool { return false })
		}, nil
	}
	return func(ctx context.Context) (frame.Frame, error) { return observe(ctx, c, held, profiles, q.within) }, nil
}

// observe observes the query of the command's argument until its remaining time is known, or half of within has
// passed.
func observe(
	ctx context.Context, c *cli.Context, held []alert.Bound, profiles []*dag.Plan, within time.Duration,
) (frame.Frame, error) {
	began := time.Now()
	query, done, err := queryOf(ctx, c, c.Args().First())
	if err != nil {
		return frame.Frame{}, err
	}
	defer done()
	rec := &history.Recorder{
		Store: input.StateOrNone(c, command.Logger(c)), Given: profiles, Log: zerolog.Nop(),
		Known: func(usual time.Duration, _ int) { input.SetUsual(held, usual) },
	}
	src := &input.Profiled{Source: query, Profiles: rec.Profiles}
	return lookThrough(ctx, src, held, input.LookEvery, func(f frame.Frame) bool {
		return f.Headline.RemainingSeconds != nil || time.Since(began)+input.LookEvery > within/2
	})
}

// queryOf returns the query with a name, or the newest one: of a Spark driver, or of a cluster. done closes its
// client.
func queryOf(ctx context.Context, c *cli.Context, name string) (query watch.Source, done func(), err error) {
	driver, err := input.NewDriver(ctx, c, name, nil)
	if err != nil {
		return nil, nil, err
	}
	if driver != nil {
		return driver.Source(""), driver.Client.Close, nil
	}
	client, err := input.NewClient(c, nil)
	if err != nil {
		return nil, nil, err
	}
	target, err := input.Pick(ctx, client, name, input.UserName(c))
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	return input.NewWorkflow(c, client, target), client.Close, nil
}

// newest reads a recording up to a time of the run, 0: to its end or to where it breaks off. It returns the newest
// observations, as far apart and as few as polls of a cluster: estimating at all of them takes too long.
func newest(ctx context.Context, src watch.Source, until time.Duration) (watch.Source, error) {
	var few observations
	for {
		s, err := src.Next(ctx)
		switch {
		case errors.As(err, new(*dag.MissedError)):
			continue
		case errors.Is(err, io.EOF), len(few) > 0 && errors.As(err, new(*recording.CutOffError)):
			return &few, nil
		case err != nil:
			return nil, err
		}
		if n := len(few); n > 1 && s.At.Sub(few[n-2].At) < input.LookEvery {
			few = few[:n-1]
		}
		few = append(few, s)
		few = few[max(0, len(few)-fewLooks):]
		if since := s.Origin(); until > 0 && since.Known() && s.At.Sub(since) >= until {
			return &few, nil
		}
	}
}

// fewLooks is how many observations of a recording are evaluated.
const fewLooks = 3

// observations is a source of existing snapshots.
type observations []*dag.Snapshot

func (o *observations) Next(context.Context) (*dag.Snapshot, error) {
	if len(*o) == 0 {
		return nil, io.EOF
	}
	s := (*o)[0]
	*o = (*o)[1:]
	return s, nil
}

// lookThrough watches until enough returns true, and returns the last frame.
func lookThrough(ctx context.Context, src watch.Source, held []alert.Bound, every time.Duration,
	enough func(frame.Frame) bool,
) (frame.Frame, error) {
	var last lastFrame
	w := watch.Watch{
		Source: src, Estimators: follow.EstimatorSet(false, 0), Sinks: []watch.Sink{&last}, Bounds: held,
		Every: every, Log: zerolog.Nop(),
	}
	_, err := w.RunUntil(ctx, func(missed error) (bool, error) {
		if missed != nil && every > 0 { // on a cluster; the monitoring system will try again
			return false, missed
		}
		return last.seen && enough(last.Frame), nil
	})
	switch {
	case last.seen: // also if it was interrupted
		return last.Frame, nil
	case errors.As(err, new(*yarn.NoWorkflowError)):
		return last.Frame, idle(err)
	case err == nil:
		err = errors.New("the recording holds no observation")
	}
	return last.Frame, err
}

// idle converts the error that there is no workflow to ErrIdle, unless a workflow was named.
func idle(err error) error {
	var none *yarn.NoWorkflowError
	if errors.As(err, &none) && none.Target.ID == "" {
		return input.ErrIdle
	}
	return err
}

// lastFrame is a sink that keeps the newest frame of an observation that was not missed.
type lastFrame struct {
	frame.Frame
	seen bool
}

func (l *lastFrame) Show(tick frame.Tick) error {
	if tick.Snapshot != nil {
		l.Frame, l.seen = tick.Frame, true
	}
	return nil
}
