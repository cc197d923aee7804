package watch

import (
	"context"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// A script is a source that yields given snapshots, then io.EOF.
type script []any // *dag.Snapshot or error

func (s *script) Next(ctx context.Context) (*dag.Snapshot, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	next := (*s)[0]
	*s = (*s)[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(*dag.Snapshot), nil
}

// A sink keeps the ticks that it gets.
type sink struct{ frames []frame.Frame }

func (s *sink) Show(tick frame.Tick) error {
	f := tick.Frame
	s.frames = append(s.frames, f)
	return nil
}

// until is an estimator that predicts a fixed end.
type until dag.Instant

func (u until) Estimate(run dag.Run) (estimators.Estimate, error) {
	d := dag.Instant(u).Sub(run.Now().At)
	return estimators.Estimate{Scenario: "standard", Remaining: &d, Meaning: "a fixed end"}, nil
}

// failing is an estimator that fails.
type failing struct{ error }

func (f failing) Estimate(dag.Run) (estimators.Estimate, error) {
	return estimators.Estimate{Scenario: "standard"}, f.error
}
