package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/capture"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A Moment is when a recording is looked at; the zero one is when the delay was greatest.
type Moment struct {
	after time.Duration // since the first submission
	part  float64       // of the whole run
}

// ParseMoment reads --at: a length of time such as 90s, or a part of the run such as 0.5 or 50%. An empty text is the
// zero Moment.
func ParseMoment(s string) (m Moment, err error) {
	if s == "" {
		return m, nil
	}
	number, isPercent := strings.CutSuffix(strings.TrimSpace(s), "%")
	if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
		if isPercent {
			v /= 100
		}
		if v > 0 && v <= 1 {
			return Moment{part: v}, nil
		}
		return m, command.Usage(
			"--at %s: a part of the run is more than 0, and 1 or 100%% at most; times have a unit, such as 90s", s)
	}
	if m.after, err = time.ParseDuration(s); err != nil || m.after <= 0 {
		return m, command.Usage("--at %s: it is a time of the run, such as 90s, or a part of it, such as 0.5 or 50%%",
			s)
	}
	return m, nil
}

// Until is how long after the first submission of a recorded run the moment is, 0 where it is the zero one. To find a
// part of the run's length the recording is read.
func (m Moment) Until(ctx context.Context, path string, open func() (watch.Source, io.Closer, error)) (time.Duration,
	error,
) {
	if m.part <= 0 {
		return m.after, nil
	}
	length, err := lengthOf(ctx, path, open)
	return max(time.Duration(m.part*float64(length)), time.Millisecond), err
}

// lengthOf is how long a recorded run took.
func lengthOf(ctx context.Context, path string, open func() (watch.Source, io.Closer, error)) (length time.Duration,
	err error,
) {
	short := func() (watch.Source, io.Closer, error) {
		src, file, err := open()
		AtMost(src, 1)
		return src, file, err
	}
	err = EachSnapshot(ctx, path, short, func(s *dag.Snapshot) (bool, error) {
		if since := s.Origin(); since.Known() {
			length = s.At.Sub(since)
		}
		return false, nil
	})
	return length, err
}

// EachSnapshot visits the observations of a recording until visit has seen enough.
func EachSnapshot(ctx context.Context, path string, open func() (watch.Source, io.Closer, error),
	visit func(*dag.Snapshot) (enough bool, err error),
) (err error) {
	src, file, err := open()
	if err != nil {
		return err
	}
	defer command.Closing(file, path, &err)
	seen := false
	for {
		s, err := src.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*dag.MissedError)):
			continue
		case errors.Is(err, io.EOF), seen && errors.As(err, new(*capture.CutOffError)):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		seen = true
		if enough, err := visit(s); enough || err != nil {
			return err
		}
	}
}
