// Package watch is the loop: observe, estimate, judge, show, wait.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Source returns snapshots of one query. Next observes once: it neither waits nor retries. After the query has
// ended it returns io.EOF. After a *dag.MissedError the next call may succeed; every other error ends the watch.
type Source = recording.Source

// Snapshots is a source of existing snapshots.
type Snapshots []*dag.Snapshot

// Next returns the first snapshot and removes it.
func (s *Snapshots) Next(context.Context) (*dag.Snapshot, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	next := (*s)[0]
	*s = (*s)[1:]
	return next, nil
}

// A Sink receives the result of each observation. An error of a sink ends the watch: its output would be lost.
type Sink interface {
	Show(frame.Tick) error
}

// A SinkFunc is a Sink.
type SinkFunc func(frame.Tick) error

// Show calls f.
func (f SinkFunc) Show(tick frame.Tick) error { return f(tick) }

// After missed observations the wait doubles, up to maxWait. Before the first snapshot there is no frame to repeat,
// and a wrong address is more likely than a short outage: the watch fails after firstMisses, without back-off.
const (
	maxWait     = time.Minute
	firstMisses = 3
)

// A Watch watches a query: it reads snapshots, runs estimators and shows frames. Between two steps its fields may
// change; bounds of the same name keep their state.
type Watch struct {
	Source     Source
	Estimators EstimatorSet
	Sinks      []Sink
	// Bounds are the query's bounds, Alerts their state, at first from an earlier watch.
	Bounds []alert.Bound
	Alerts alert.State
	// Keep stores the state of the bounds, after each frame is judged and before sinks are called, so that a crash
	// loses nothing; nil: it is not stored.
	Keep func(alert.State, frame.Frame)
	// Recall returns the stored state for the query of the first frame, in place of Alerts; nil: there is none.
	Recall func(frame.Frame) alert.State
	// Over is called when the source has ended; it may be nil.
	Over func()
	// Every is the wait between observations; 0 does not wait.
	Every time.Duration
	// Speed is the pace of a past or simulated query, as a multiple of real time; 0 does not wait.
	Speed float64
	Log   zerolog.Logger

	run      dag.Run       // so far
	answers  frame.Answers // the estimates of last
	last     frame.Frame
	at       dag.Instant // of last, or of an observation that was missed after it
	recalled bool
	moves    moves // decides which moves of the predicted end are shown
	misses   int   // observations missed in a row
	missed   error // why the newest observation was missed; nil if it was not
}

// Run watches until the source ends, and returns the query's last state. Its error is the context's cause, a sink's,
// or a final error of the source.
func (w *Watch) Run(ctx context.Context) (dag.State, error) {
	return w.RunUntil(ctx, func(error) (bool, error) { return false, nil })
}

// RunUntil is Run, but ends as soon as enough returns true or an error. enough is called after each observation, with
// the error of a missed one.
func (w *Watch) RunUntil(ctx context.Context, enough func(missed error) (bool, error)) (dag.State, error) {
	for {
		over, err := w.Step(ctx)
		if err == nil && !over {
			over, err = enough(w.missed)
		}
		if err == nil && !over {
			err = Sleep(ctx, w.Wait())
		}
		if err != nil && ctx.Err() != nil && w.missed != nil && !w.hasRun() {
			err = fmt.Errorf("%w; nothing was observed: %w", err, w.missed)
		}
		if over || err != nil {
			return w.State(), err
		}
	}
}

// Step observes once and shows the frame. over means that the source has ended. An error ends the watch, as in Run. A
// missed observation is no error.
func (w *Watch) Step(ctx context.Context) (over bool, err error) {
	s, err := w.Source.Next(ctx)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	switch missed, isMissed := errors.AsType[*dag.MissedError](err); {
	case errors.Is(err, io.EOF):
		if w.Over != nil {
			w.Over()
		}
		return true, nil
	case isMissed:
		return false, w.miss(ctx, missed)
	case err != nil:
		return false, err
	}
	w.misses, w.missed = 0, nil
	if err := w.pace(ctx, s.At); err != nil {
		return false, err
	}
	next, err := UnlessDone(ctx, func() (Watch, error) {
		after := *w
		after.tick(s)
		return after, nil
	})
	if err != nil {
		return false, err
	}
	*w = next
	return false, w.show(frame.Tick{Snapshot: w.run.Now(), Run: w.run, Answers: w.answers, Frame: w.last})
}

// Wait returns how long to wait before the next step, longer after missed observations.
func (w *Watch) Wait() time.Duration {
	if !w.hasRun() {
		return w.Every
	}
	return max(w.Every, min(w.Every<<min(w.misses, 10), maxWait))
}

// State returns the query's state at the last observation.
func (w *Watch) State() (s dag.State) {
	if w.hasRun() {
		s = w.run.Now().State
	}
	return s
}

// hasRun reports whether there was a snapshot.
func (w *Watch) hasRun() bool { return len(w.run.Window) > 0 }

// miss repeats the last good frame, if there is one.
func (w *Watch) miss(ctx context.Context, missed *dag.MissedError) error {
	w.missed = missed.Err
	level := zerolog.WarnLevel
	switch {
	case missed.IsIdle:
		level = zerolog.DebugLevel
	case !w.hasRun(): // the error that ends the watch reports it, once
		level = zerolog.InfoLevel
	}
	if !missed.IsIdle {
		w.misses++
	}
	w.Log.WithLevel(level).Err(missed.Err).Int("misses", w.misses).Msg("cannot observe now; trying again")
	switch {
	case !w.hasRun() && !missed.IsIdle && w.misses >= firstMisses:
		return fmt.Errorf("no observation in %d attempts: %w", w.misses, missed.Err)
	case !w.hasRun():
		return nil
	}
	if err := w.pace(ctx, missed.At); err != nil {
		return err
	}
	return w.show(frame.Tick{Run: w.run, Frame: w.repeat(missed)})
}

// show judges a tick's frame, stores the state of its bounds, and passes the tick to the sinks.
func (w *Watch) show(tick frame.Tick) error {
	if w.Recall != nil && !w.recalled {
		w.Alerts, w.recalled = w.Recall(tick.Frame), true
	}
	f := &tick.Frame
	w.Alerts, f.Alerts = alert.Step(w.Bounds, w.Alerts, *f)
	if w.Keep != nil {
		w.Keep(w.Alerts, *f)
	}
	f.Estimates = w.Estimators.shown(f.Estimates)
	for _, s := range w.Sinks {
		if err := s.Show(tick); err != nil {
			return fmt.Errorf("cannot show a frame: %w", err)
		}
	}
	return nil
}

// pace waits as long as the query's own time since the last frame takes at Speed.
func (w *Watch) pace(ctx context.Context, at dag.Instant) error {
	if w.Speed <= 0 || !w.hasRun() || !w.at.Known() || !at.Known() {
		return nil
	}
	return Sleep(ctx, time.Duration(float64(at.Sub(w.at))/w.Speed))
}

// Sleep waits for d. If the context is done first, it returns the context's cause.
func Sleep(ctx context.Context, d time.Duration) error {
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

// UnlessDone returns the result of f, or the context's cause as soon as the context is done. Estimators take no
// context: f continues on its own then, so it must not change data that the caller uses later. A panic of f is raised
// in the caller.
func UnlessDone[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var value T
	var err error
	done, fault := make(chan struct{}), ""
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		value, err = f()
	}()
	select {
	case <-done:
		if fault != "" {
			panic(fault)
		}
		return value, err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
