package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/tape"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

func skewFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		outputFlag("text", "json"),
		&cli.StringFlag{Name: "at", EnvVars: env("at"), Usage: "of a recording, how it stood at `TIME` (90s) of the run, or at a part of it (0.5, 50%) (default: when the delay was greatest)"},
		&cli.DurationFlag{Name: "timeout", EnvVars: env("timeout"), Usage: "give up after `TIME`, with exit code 124"},
		deltaFlag(), profileFlag(),
	}, recordingFlags(), clusterFlags(), historyFlags())
}

// skew says which reduces hold a query back, by which keys, and what another dealing would gain.
func skew(c *cli.Context) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	when, err := parseMoment(c.String("at"))
	if err != nil {
		return err
	}
	profiles, err := readProfiles(c)
	if err != nil {
		return err
	}
	ctx := c.Context
	if d := c.Duration("timeout"); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, errTimeout)
		defer cancel()
	}
	run, err := skewedRun(ctx, c, c.Args().First(), when, profiles)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	r, err := skewReport(modelOf(c), run)
	if err != nil {
		return err
	}
	if c.String("output") == "json" {
		return view.SkewJSON(c.App.Writer, r)
	}
	return view.SkewText(c.App.Writer, r)
}

// skewedRun is what is looked at: a plan or a recording if there is a file of the name, else a query of the cluster.
func skewedRun(ctx context.Context, c *cli.Context, path string, when moment, profiles []*dag.Plan) (dag.Run, error) {
	kind, exists, err := fileKind(path)
	if err != nil {
		return dag.Run{}, err
	}
	switch {
	case (!exists || kind == tape.Unknown) && when != (moment{}):
		return dag.Run{}, usage("--at goes with a recording")
	case !exists:
		return skewedNow(ctx, c, path, profiles)
	case kind == tape.Unknown:
		plan, err := planfile.ReadFile(path, planfile.Options{})
		if err != nil {
			return dag.Run{}, usage("%s is no recording, and no plan: %w", path, err)
		}
		plan.Profiles = profiles
		return dag.Run{}.Append(planview.Before(plan)), nil
	}
	open := func() (watch.Source, io.Closer, error) {
		src, file, err := openRecording(path, c.String("workflow"), c.Duration("every"))
		return withProfiles(src, profiles), file, err
	}
	return skewedThen(ctx, modelOf(c), path, open, when)
}

// fileKind says what is in the file of a name, if there is one. A folder holds history.
func fileKind(path string) (kind tape.Kind, exists bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && isPath(path):
		return tape.Unknown, false, usage("%w", err)
	case err != nil:
		return tape.Unknown, false, nil // it names a query
	}
	if info.IsDir() {
		return tape.History, true, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return tape.Unknown, true, usage("%w", err)
	}
	defer f.Close()
	if kind, _, err = tape.Sniff(f); err != nil {
		return kind, true, usage("%s: %w", path, err)
	}
	return kind, true, nil
}

// isPath says that a name is one of a file, not of a query.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || slices.Contains([]string{".tape", ".yaml", ".yml", ".json", ".jsonl", ".gz", ".jhist"}, filepath.Ext(name))
}

// A moment is when a recording is looked at; the zero one is when the delay was greatest.
type moment struct {
	after time.Duration // since the first submission
	part  float64       // of the whole run
}

func parseMoment(s string) (m moment, err error) {
	if s == "" {
		return m, nil
	}
	number, isPercent := strings.CutSuffix(strings.TrimSpace(s), "%")
	if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
		if isPercent {
			v /= 100
		}
		if v > 0 && v <= 1 {
			return moment{part: v}, nil
		}
		return m, usage("--at %s: a part of the run is more than 0, and 1 or 100%% at most; times have a unit, such as 90s", s)
	}
	if m.after, err = time.ParseDuration(s); err != nil || m.after <= 0 {
		return m, usage("--at %s: it is a time of the run, such as 90s, or a part of it, such as 0.5 or 50%%", s)
	}
	return m, nil
}

// skewedThen reads a recording up to a moment. To find a part of its length it is read twice.
func skewedThen(ctx context.Context, model estimators.Model, path string, open func() (watch.Source, io.Closer, error), when moment) (best dag.Run, err error) {
	if when.part > 0 {
		length, err := lengthOf(ctx, path, open)
		if err != nil {
			return best, err
		}
		when.after = max(time.Duration(when.part*float64(length)), time.Millisecond)
	}
	var run dag.Run
	least := time.Duration(-1)
	err = eachSnapshot(ctx, path, open, func(s *dag.Snapshot) (bool, error) {
		run = run.Append(s)
		if when.after > 0 {
			best = run
			since := s.Origin()
			return since.Known() && s.At.Sub(since) >= when.after, nil
		}
		skew, err := estimators.NewWorld(run, model, estimators.Options{}).Skew(false)
		if err != nil {
			return false, fmt.Errorf("%s, %s: %w", path, s.At.Time().Format(time.RFC3339), err)
		}
		delay := time.Duration(-1)
		switch {
		case len(skew) > 0:
			delay = skew[0].Delay
		case skew != nil:
			delay = 0
		}
		if delay > least || delay <= 0 && delay == least { // where none is delayed, the last that can be told
			best, least = run, delay
		}
		return false, nil
	})
	if err == nil && best.Window == nil {
		err = fmt.Errorf("%s: the recording holds no observation", path)
	}
	return best, err
}

// lengthOf is how long a recorded run took.
func lengthOf(ctx context.Context, path string, open func() (watch.Source, io.Closer, error)) (length time.Duration, err error) {
	err = eachSnapshot(ctx, path, open, func(s *dag.Snapshot) (bool, error) {
		if since := s.Origin(); since.Known() {
			length = s.At.Sub(since)
		}
		return false, nil
	})
	return length, err
}

// eachSnapshot visits the observations of a recording until visit has seen enough.
func eachSnapshot(ctx context.Context, path string, open func() (watch.Source, io.Closer, error), visit func(*dag.Snapshot) (enough bool, err error)) (err error) {
	src, file, err := open()
	if err != nil {
		return err
	}
	defer closing(file, path, &err)
	for {
		s, err := src.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*dag.MissedError)):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		if enough, err := visit(s); enough || err != nil {
			return err
		}
	}
}

// skewedNow looks at a query of the cluster, a second time where the first look tells nothing.
func skewedNow(ctx context.Context, c *cli.Context, name string, profiles []*dag.Plan) (run dag.Run, err error) {
	client, err := newClient(c, nil)
	if err != nil {
		return run, err
	}
	defer client.Close()
	target, err := pick(ctx, client, name, userName(c))
	if err != nil {
		return run, err
	}
	rec := &history.Recorder{Source: hadoop.NewSource(client, target), Store: stateOrNone(c, logger(c)), Given: profiles, Log: zerolog.Nop()}
	for look := range 2 {
		s, err := rec.Next(ctx)
		var missed *dag.MissedError
		switch {
		case errors.Is(err, io.EOF) && look > 0:
			return run, nil
		case errors.As(err, &missed):
			return run, missed.Err
		case err != nil:
			return run, err
		}
		run = run.Append(s)
		skew, err := estimators.NewWorld(run, modelOf(c), estimators.Options{}).Skew(false)
		if err != nil || skew != nil || s.State.Ended() {
			return run, err
		}
		if look == 0 {
			if err := watch.Sleep(ctx, lookEvery); err != nil {
				return run, err
			}
		}
	}
	return run, nil
}

// skewReport is how the reduces stand at the end of a run.
func skewReport(model estimators.Model, run dag.Run) (frame.SkewReport, error) {
	s := run.Now()
	w := estimators.NewWorld(run, model, estimators.Options{})
	r := frame.SkewReport{
		SchemaVersion:  frame.SchemaVersion,
		Workflow:       frame.Workflow{ID: frame.Text(s.ID), Name: frame.Text(s.Plan.Name), State: dag.Blocked},
		ElapsedSeconds: frame.Since(s.At, s.Origin()),
	}
	submitted := s.Origin().Known()
	if submitted {
		r.At, r.Workflow.State = frame.TimeOf(s.At), s.State
	}
	skew, err := w.Skew(true)
	if err != nil || s.State.Ended() {
		return r, err
	}
	sch, err := w.Schedule()
	if err != nil {
		return r, err
	}
	remaining := sch.Remaining()
	if skew != nil {
		r.RemainingSeconds = frame.SecondsIn(&remaining)
	}
	if skew != nil && submitted {
		r.EndAt = frame.TimeOf(sch.End)
	}
	r.Skew = watch.Skew(s, skew, &remaining)
	return r, nil
}
