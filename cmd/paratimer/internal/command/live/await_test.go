package live

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/dag"
)

// TestAttachAwaits: with a collector attach waits for the query that its taps are for; without one it does not.
func TestAttachAwaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		none, requests := &yarn.NoWorkflowError{}, 0
		var lines []string
		src := &awaiting{
			every: time.Second, say: func(s string) { lines = append(lines, s) },
			Source: source(func() (*dag.Snapshot, error) {
				if requests++; requests < 100 || requests > 101 {
					return nil, none
				}
				return &dag.Snapshot{}, nil
			}),
		}
		began := time.Now()
		if s, err := src.Next(t.Context()); s == nil || err != nil || time.Since(began) != 99*time.Second ||
			len(lines) != 1 {
			t.Errorf("got %v, %v after %v; lines %q", s, err, time.Since(began), lines)
		}
		_, _ = src.Next(t.Context())
		if _, err := src.Next(t.Context()); !errors.Is(err, none) {
			t.Errorf("a query that has gone: %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(command.ErrInterrupted)
		if _, err := (&awaiting{Source: src.Source, say: src.say, every: time.Second}).Next(ctx); !errors.Is(err,
			command.ErrInterrupted) {
			t.Errorf("when it is stopped: %v", err)
		}
	})
}

type source func() (*dag.Snapshot, error)

func (s source) Next(context.Context) (*dag.Snapshot, error) { return s() }
