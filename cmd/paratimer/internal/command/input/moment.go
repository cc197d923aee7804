package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A Moment is a point of a recording; the zero one is the point of the greatest delay.
type Moment struct {
	after time.Duration // after the first submission
	part  float64       // fraction of the whole run
}

// ParseMoment parses --at: a length of time such as 90s, or a fraction of the run such as 0.5 or 50%. An empty text
// is the zero Moment.
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

// Until returns the moment as a time after the first submission of a recorded run; 0 for the zero Moment. For a
// fraction it reads the recording to find the run's length.
func (m Moment) Until(ctx context.Context, path string, open func() (watch.Source, io.Closer, error)) (time.Duration,
	error,
) {
	if m.part <= 0 {
		return m.after, nil
	}
	length, err := lengthOf(ctx, path, open)
	return max(time.Duration(m.part*float64(length)), time.Millisecond), err
}

// lengthOf returns how long a recorded run took.
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

// EachSnapshot visits the observations of a recording until visit returns true.
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
		case errors.Is(err, io.EOF), seen && errors.As(err, new(*recording.CutOffError)):
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
