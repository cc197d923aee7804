package tty

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// TestFleet shows queries until the reader leaves, by q and by control-C, and until work has failed; the terminal is
// then as it was.
func TestFleet(t *testing.T) {
	t.Parallel()
	trouble := errors.New("trouble")
	for name, c := range map[string]struct {
		keys string
		work error
		want error
	}{"left": {"q", nil, ErrLeft}, "interrupted": {"\x03", nil, ErrInterrupted}, "failed": {"", trouble, trouble}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTerminal(t)
			queries := func() []view.Query { return []view.Query{{ID: "q1", Name: "nightly.pig", Left: "~7m"}} }
			work := func(ctx context.Context) error {
				x.waits("nightly.pig")
				if c.keys == "" {
					return c.work
				}
				if _, err := x.keys.Write([]byte(c.keys)); err != nil {
					return err
				}
				<-ctx.Done()
				return context.Cause(ctx)
			}
			o := Options{In: x.in, Out: x, Env: []string{"TERM=xterm-256color"}}
			if err := RunFleet(t.Context(), o, queries, work, tea.WithWindowSize(80, 24)); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			x.restored()
		})
	}
}
