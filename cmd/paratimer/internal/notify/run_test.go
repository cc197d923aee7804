package notify

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestPrune: a watcher that is killed each night while it fires leaves no file that grows for ever; what may still be
// resolved stays.
func TestPrune(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &state.Workflow{Watched: map[string]json.RawMessage{}}
	for night := range 365 {
		at := begin.AddDate(0, 0, night)
		raw, err := json.Marshal(runState{
			At: at, Streams: []*alertStream{{Bound: "deadline", Sink: "webhook", State: frame.Late, StartsAt: begin}},
		})
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint("run", night)
		w.Watched[id] = raw
		prune(w, id, at)
	}
	if n := len(w.Watched); n > 31 || w.Watched["run364"] == nil || w.Watched["run340"] == nil {
		t.Errorf("%d runs are kept", n)
	}
}
