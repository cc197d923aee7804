package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/dag"
)

// The back-off after missed observations doubles the wait, up to maxWait. Before the first snapshot there is nothing to
// repeat, so patience ends after firstMisses.
const (
	maxWait     = time.Minute
	firstMisses = 5
)

// A Watch is a query watched: where snapshots come from, who estimates, who is shown.
type Watch struct {
	Source Source
	Panel  Panel
	Sinks  []Sink
	// Every is the wait between observations; 0 does not wait.
	Every time.Duration
	// Speed waits as long as the query took between two snapshots, divided by Speed; 0 does not wait.
	Speed float64
	Log   zerolog.Logger
}

// Run watches until the source is over, and returns the query's last state. An error is the context's cause, a sink's,
// or a source's that is final.
func (w Watch) Run(ctx context.Context) (dag.State, error) {
	var t ticker
	misses := 0
	for {
		before := t.at
		s, err := w.Source.Next(ctx)
		var missed *dag.MissedError
		switch {
		case ctx.Err() != nil:
			return t.state, context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return t.state, nil
		case errors.As(err, &missed):
			misses++
			w.Log.Warn().Err(missed.Err).Int("misses", misses).Msg("cannot observe now; trying again")
			if t.run.Window == nil && misses >= firstMisses {
				return t.state, fmt.Errorf("no observation in %d attempts: %w", misses, missed.Err)
			}
			if t.run.Window != nil {
				err = w.show(t.repeat(missed))
			} else {
				err = nil
			}
		case err == nil:
			misses = 0
			err = w.show(t.tick(w.Panel, s))
		}
		if err != nil {
			return t.state, err
		}
		if err := sleep(ctx, w.wait(before, t.at, misses)); err != nil {
			return t.state, err
		}
	}
}

func (w Watch) show(f Frame) error {
	for _, s := range w.Sinks {
		if err := s.Show(f); err != nil {
			return fmt.Errorf("cannot show a frame: %w", err)
		}
	}
	return nil
}

// wait is how long to wait before the next observation.
func (w Watch) wait(before, at dag.Instant, misses int) time.Duration {
	switch {
	case w.Speed > 0 && before.Known():
		return time.Duration(float64(at.Sub(before)) / w.Speed)
	case misses > 0:
		return max(w.Every, min(w.Every<<min(misses, 10), maxWait))
	}
	return w.Every
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
