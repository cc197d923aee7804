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

// A Stepper takes a watch an observation at a time, for those who wait in a way of their own.
type Stepper struct {
	w      Watch
	t      ticker
	misses int
	missed error // why the newest observation was missed; nil: it was not
}

// Stepper returns a watch that has not observed yet.
func (w Watch) Stepper() *Stepper {
	return &Stepper{w: w, t: ticker{at: dag.NoInstant, alerts: w.Alerts}}
}

// Step observes once and shows the frame, or says that the source is over. An error ends the watch, and is one of
// Watch.Run's. A missed observation is none.
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
		if s.t.run.Window == nil { // the error that ends the watch says it, once
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

// Wait is how long to wait before the next step, longer after missed observations.
func (s *Stepper) Wait() time.Duration { return s.w.wait(&s.t, s.misses) }

// State is the query's state as it was observed last.
func (s *Stepper) State() dag.State { return s.t.state }

// Ask replaces who estimates.
func (s *Stepper) Ask(p EstimatorSet) { s.w.Estimators = p }

// Hold replaces what the query is held to. Bounds of the same name stand as they stood.
func (s *Stepper) Hold(bounds []alert.Bound) { s.w.Bounds = bounds }
