package watch

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/rs/zerolog"
)

// After missed observations the wait doubles, up to maxWait. Before the first snapshot there is no frame to repeat,
// and a wrong address is more likely than a short outage: the watch fails after firstMisses, without back-off.
const (
	maxWait     = time.Minute
	firstMisses = 3
)

// A Watch watches a query: it reads snapshots, runs estimators and shows frames.
type Watch struct {
	Source     Source
	Estimators EstimatorSet
	Sinks      []Sink
	// Bounds are the query's bounds, Alerts their state from an earlier watch.
	Bounds []alert.Bound
	Alerts alert.State
	// Keep stores the state of the bounds, after each frame is judged and before sinks are called, so that a crash
	// loses nothing; nil: it is not stored. An error of it ends the watch.
	Keep func(alert.State, frame.Frame) error
	// Recall returns the stored state for the query of the first frame, in place of Alerts; nil: there is none.
	Recall func(frame.Frame) alert.State
	// Over is called when the source has ended; it may be nil.
	Over func()
	// Every is the wait between observations; 0 does not wait.
	Every time.Duration
	// Speed is the pace of a past or simulated query, as a multiple of real time; 0 does not wait.
	Speed float64
	Log   zerolog.Logger
}

// Run watches until the source ends, and returns the query's last state. Its error is the context's cause, a sink's,
// or a final error of the source.
func (w Watch) Run(ctx context.Context) (dag.State, error) {
	return w.RunUntil(ctx, func(error) (bool, error) { return false, nil })
}

// RunUntil is Run, but ends as soon as enough returns true or an error. enough is called after each observation, with
// the error of a missed one.
func (w Watch) RunUntil(ctx context.Context, enough func(missed error) (bool, error)) (dag.State, error) {
	s := w.Stepper()
	for {
		over, err := s.Step(ctx)
		if err == nil && !over {
			over, err = enough(s.missed)
		}
		if over || err != nil {
			return s.t.state, s.unseen(ctx, err)
		}
		if err := Sleep(ctx, s.Wait()); err != nil {
			return s.t.state, s.unseen(ctx, err)
		}
	}
}

// unseen adds to the error of a cancelled watch why it has observed nothing at all.
func (s *Stepper) unseen(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || s.missed == nil || s.t.run.Window != nil {
		return err
	}
	return fmt.Errorf("%w; nothing was observed: %w", err, s.missed)
}

// see shows the frame of a snapshot, at the time that Speed sets.
func (w *Watch) see(ctx context.Context, t *ticker, s *dag.Snapshot) error {
	if err := Sleep(ctx, w.pace(t.at, s.At)); err != nil {
		return err
	}
	next, err := unlessDone(ctx, func() ticker {
		after := *t
		after.tick(w.Estimators, s)
		return after
	})
	if err != nil {
		return err
	}
	*t = next
	return w.show(t, frame.Tick{Snapshot: t.run.Now(), Run: t.run, Answers: t.answers, Frame: t.last})
}

// miss repeats the last good frame, if there is one.
func (w *Watch) miss(ctx context.Context, t *ticker, missed *dag.MissedError, misses int) error {
	if t.run.Window == nil {
		if misses >= firstMisses {
			return fmt.Errorf("no observation in %d attempts: %w", misses, missed.Err)
		}
		return nil
	}
	if err := Sleep(ctx, w.pace(t.at, missed.At)); err != nil {
		return err
	}
	return w.show(t, frame.Tick{Run: t.run, Frame: t.repeat(missed)})
}

// show judges a tick's frame, stores the state of its bounds, and passes the tick to the sinks.
func (w *Watch) show(t *ticker, tick frame.Tick) error {
	f := tick.Frame
	if w.Recall != nil && !t.recalled {
		t.alerts, t.recalled = w.Recall(f), true
	}
	f = t.judge(w.Bounds, f)
	if w.Keep != nil {
		if err := w.Keep(t.alerts, f); err != nil {
			return fmt.Errorf("cannot remember the alerts: %w", err)
		}
	}
	f.Estimates = w.Estimators.shown(f.Estimates)
	tick.Frame = f
	for _, s := range w.Sinks {
		if err := s.Show(tick); err != nil {
			return fmt.Errorf("cannot show a frame: %w", err)
		}
	}
	return nil
}

// wait returns how long to wait before the next observation.
func (w *Watch) wait(t *ticker, misses int) time.Duration {
	if t.run.Window == nil {
		return w.Every
	}
	return max(w.Every, min(w.Every<<min(misses, 10), maxWait))
}

// pace returns how long the query's own time between two frames takes at Speed.
func (w *Watch) pace(before, at dag.Instant) time.Duration {
	if w.Speed <= 0 || !before.Known() || !at.Known() {
		return 0
	}
	return time.Duration(float64(at.Sub(before)) / w.Speed)
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

// unlessDone returns the result of f, or the context's cause as soon as the context is done. Estimators take no
// context: f continues on its own then, so it must not change data that the caller uses later. A panic of f is raised
// in the caller.
func unlessDone[T any](ctx context.Context, f func() T) (T, error) {
	type result struct {
		value T
		panic string
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- r
		}()
		r.value = f()
	}()
	select {
	case r := <-done:
		if r.panic != "" {
			panic(r.panic)
		}
		return r.value, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
