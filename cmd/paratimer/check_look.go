package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// checkBoundFlags are the bounds that a single look can tell of. The others need somebody who watches: --metrics-url.
func checkBoundFlags() []cli.Flag {
	var out []cli.Flag
	for _, f := range boundFlags() {
		switch f.Names()[0] {
		case "deadline", "within", "longer-than-usual", "usual", "on", "risk":
			out = append(out, f)
		}
	}
	// Not to flap is the monitoring system's part, by its number of attempts.
	return append(out, &cli.IntFlag{Name: "hold", Value: 1, Hidden: true})
}

// looker is how check sees the query: in a recording, through a watcher, or at the cluster.
func looker(c *cli.Context, q question) (func(context.Context) (frame.Frame, error), error) {
	held, err := bounds(c)
	if err != nil {
		return nil, err
	}
	file, url := c.String("recording"), c.String("metrics-url")
	switch {
	case file != "" && url != "":
		return nil, usage("--recording and --metrics-url: one of them says where to look")
	case c.IsSet("at") && file == "":
		return nil, usage("--at goes with --recording")
	case url != "" && len(held) > 0:
		return nil, usage("--metrics-url: the watcher has the bounds; give --%s to it", held[0].Name)
	case url == "" && len(held) == 0 && (q.limits.Late.Warning != nil || q.limits.Late.Critical != nil):
		return nil, usage("a risk in percent is one of breaking a bound: give --deadline, --within or --longer-than-usual")
	}
	for i := range held {
		held[i].Hold = 1
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return nil, err
	}
	switch {
	case url != "":
		v, err := visiting(c)
		return func(ctx context.Context) (frame.Frame, error) { return askWatcher(ctx, v, url, c.Args().First()) }, err
	case file != "":
		return func(ctx context.Context) (f frame.Frame, err error) {
			src, closer, err := openRecording(file, c.Args().First(), 0)
			if err != nil {
				return f, err
			}
			defer closing(closer, file, &err)
			few, err := newest(ctx, src, c.Duration("at"))
			if err != nil {
				return f, err
			}
			return lookThrough(ctx, withProfiles(few, profiles), held, 0, func(frame.Frame) bool { return false })
		}, nil
	}
	client, err := newClient(c, nil)
	if err != nil {
		return nil, err
	}
	name, user := c.Args().First(), userName(c)
	store := stateOrNone(c, logger(c))
	return func(ctx context.Context) (frame.Frame, error) {
		defer client.Close()
		began := time.Now()
		target, err := pick(ctx, client, name, user)
		if err != nil {
			return frame.Frame{}, err
		}
		// Not shown the frames, and left before the end, it remembers nothing.
		rec := &history.Recorder{Source: hadoop.NewSource(client, target), Store: store, Given: profiles, Log: zerolog.Nop()}
		return lookThrough(ctx, rec, held, lookEvery, func(f frame.Frame) bool {
			return f.Headline.RemainingSeconds != nil || time.Since(began)+lookEvery > q.within/2
		})
	}, nil
}

// lookEvery is the wait before a second look, which has speeds that a single one may not have: they take 4 s of samples,
// which are a report of each 3 s old.
const lookEvery = 3 * time.Second

// newest reads a recording up to a time of the run, 0: to its end, and returns the newest observations of that, as far apart and
// as few as looks at a cluster are. To estimate at each one before would take longer than anybody waits.
func newest(ctx context.Context, src watch.Source, until time.Duration) (watch.Source, error) {
	var few observations
	for {
		s, err := src.Next(ctx)
		switch {
		case errors.As(err, new(*dag.MissedError)):
			continue
		case errors.Is(err, io.EOF):
			return &few, nil
		case err != nil:
			return nil, err
		}
		if n := len(few); n > 1 && s.At.Sub(few[n-2].At) < lookEvery {
			few = few[:n-1]
		}
		few = append(few, s)
		few = few[max(0, len(few)-fewLooks):]
		if since := s.Origin(); until > 0 && since.Known() && s.At.Sub(since) >= until {
			return &few, nil
		}
	}
}

// fewLooks is how many observations of a recording are looked at.
const fewLooks = 3

// observations are a source of what was observed already.
type observations []*dag.Snapshot

func (o *observations) Next(context.Context) (*dag.Snapshot, error) {
	if len(*o) == 0 {
		return nil, io.EOF
	}
	s := (*o)[0]
	*o = (*o)[1:]
	return s, nil
}

// lookThrough watches until enough is seen, and returns the last frame.
func lookThrough(ctx context.Context, src watch.Source, held []alert.Bound, every time.Duration, enough func(frame.Frame) bool) (frame.Frame, error) {
	var last lastFrame
	if rec, ok := src.(*history.Recorder); ok {
		rec.Known = func(usual time.Duration, _ int) { setUsual(held, usual) }
	}
	_, err := watch.Watch{
		Source: glance{src, every > 0, func() bool { return last.seen && enough(last.Frame) }},
		Panel:  panel(false), Sinks: []watch.Sink{&last}, Bounds: held, Every: every, Log: zerolog.Nop(),
	}.Run(ctx)
	switch {
	case last.seen: // a look that was interrupted has seen something as well
		return last.Frame, nil
	case errors.As(err, new(*hadoop.NoWorkflowError)):
		return last.Frame, idle(err)
	case err == nil:
		err = errors.New("the recording holds no observation")
	}
	return last.Frame, err
}

// idle makes the absence of any workflow what it is; of one that was named it is an error.
func idle(err error) error {
	var none *hadoop.NoWorkflowError
	if errors.As(err, &none) && none.Target.ID == "" {
		return errIdle
	}
	return err
}

// lastFrame is a sink that keeps the newest frame.
type lastFrame struct {
	frame.Frame
	seen bool
}

func (l *lastFrame) Show(f frame.Frame) error {
	l.Frame, l.seen = f, true
	return nil
}

// A glance is a source that ends when enough was seen. At a live one a missed observation ends it too: the monitoring
// system will try again.
type glance struct {
	watch.Source
	live   bool
	enough func() bool
}

func (g glance) Next(ctx context.Context) (*dag.Snapshot, error) {
	if g.enough() {
		return nil, io.EOF
	}
	s, err := g.Source.Next(ctx)
	var missed *dag.MissedError
	if g.live && errors.As(err, &missed) {
		return nil, missed.Err
	}
	return s, err
}

// pick finds what check was asked for: an id as attach takes it, or the name of a workflow, which stays the same from
// run to run; of several that run, the newest.
func pick(ctx context.Context, client *hadoop.Client, typed, user string) (hadoop.Target, error) {
	target, err := hadoop.TargetOf(typed, user)
	if err != nil {
		return target, usage("%w", err)
	}
	if !isName(target.ID) {
		return target, nil
	}
	hub := hadoop.NewHub(client)
	if err := hub.Refresh(ctx); err != nil {
		return target, err
	}
	running := slices.DeleteFunc(hub.Running(), func(s hadoop.Submitted) bool { return !goesBy(typed, s.Name) })
	if len(running) == 0 {
		return target, fmt.Errorf("%w that is called %s", errIdle, typed)
	}
	newest := slices.MaxFunc(running, func(a, b hadoop.Submitted) int { return cmp.Compare(a.At, b.At) })
	return hadoop.Target{ID: newest.App}, nil
}

// isName says that a target is not one of the engine's ids.
func isName(id string) bool {
	for _, prefix := range []string{"application_", "job_", "pig_"} {
		if strings.HasPrefix(id, prefix) {
			return false
		}
	}
	return id != ""
}

// goesBy says whether a pattern, such as nightly_*, is for a name, with the engine's prefix or without it.
func goesBy(pattern, name string) bool {
	plain := strings.TrimPrefix(name, "PigLatin:")
	if pattern == name || pattern == plain {
		return true
	}
	// In a pattern of files * stops at a slash; names have no folders.
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	for _, n := range []string{name, plain} {
		if ok, err := path.Match(flat(pattern), flat(n)); err == nil && ok {
			return true
		}
	}
	return false
}
