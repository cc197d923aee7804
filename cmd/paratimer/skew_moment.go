package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

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
