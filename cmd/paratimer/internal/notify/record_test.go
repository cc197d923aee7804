package notify

import (
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestPrune: a watcher that is killed each night while it fires leaves no file that grows for ever; what may still be
// resolved stays.
func TestPrune(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &state.Workflow{}
	key := streamKey{"deadline", "webhook"}
	for night := range 365 {
		l := &alertStream{Bound: key.bound, Sink: key.sink, State: frame.Late, StartsAt: begin}
		alerts := alert.State{Bounds: map[string]alert.Standing{}}
		p, err := record{}.merge(begin.AddDate(0, 0, night), alerts, nil, map[streamKey]*alertStream{key: l},
			func(streamKey) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		p.put(w, fmt.Sprint("run", night))
	}
	if n := len(w.Watched); n > 31 || w.Watched["run364"] == nil || w.Watched["run340"] == nil {
		t.Errorf("%d runs are kept", n)
	}
}
