package watch

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/dag"
)

// A Stepper runs a watch one observation at a time, for callers that wait in their own way.
type Stepper struct {
	w      Watch
	t      ticker
	misses int
	missed error // why the newest observation was missed; nil if it was not
}

// Stepper returns a Stepper that has not observed yet.
func (w Watch) Stepper() *Stepper {
	return &Stepper{w: w, t: ticker{at: dag.NoInstant, alerts: w.Alerts}}
}

// Step observes once and shows the frame. over means that the source has ended. An error ends the watch, as in
// Watch.Run. A missed observation is no error.
func (s *Stepper) Step(ctx context.Context) (over bool, err error) {
	snap, err := s.w.Source.Next(ctx)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	var missed *dag.MissedError
	switch {
	case errors.Is(err, io.EOF):
		if s.w.Over != nil {
			s.w.Over()
		}
		return true, nil
	case errors.As(err, &missed):
		s.misses++
		s.missed = missed.Err
		level := zerolog.WarnLevel
		if s.t.run.Window == nil { // the error that ends the watch reports it, once
			level = zerolog.InfoLevel
		}
		s.w.Log.WithLevel(level).Err(missed.Err).Int("misses", s.misses).Msg("cannot observe now; trying again")
		return false, s.w.miss(ctx, &s.t, missed, s.misses)
	case err != nil:
		return false, err
	}
	s.misses, s.missed = 0, nil
	return false, s.w.see(ctx, &s.t, snap)
}

// Wait returns how long to wait before the next step, longer after missed observations.
func (s *Stepper) Wait() time.Duration { return s.w.wait(&s.t, s.misses) }

// State returns the query's state at the last observation.
func (s *Stepper) State() dag.State { return s.t.state }

// Ask replaces the estimators.
func (s *Stepper) Ask(p EstimatorSet) { s.w.Estimators = p }

// Hold replaces the query's bounds. Bounds of the same name keep their state.
func (s *Stepper) Hold(bounds []alert.Bound) { s.w.Bounds = bounds }
