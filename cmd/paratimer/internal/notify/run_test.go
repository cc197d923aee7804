package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
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

// TestRepeatsGoOn: when a workflow is watched anew, under its own id, a queue that has slept since the old watch ended
// repeats its alerts again.
func TestRepeatsGoOn(t *testing.T) {
	t.Parallel()
	store, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	sink := &Sink{Key: "am", Repeats: true, Send: func(context.Context, Notification) (string, error) {
		sent++
		return "", nil
	}}
	d := New(Config{Sinks: []*Sink{sink}, Store: store})
	id, name := "job_1_0001", "nightly.pig"
	f := frame.Frame{
		Workflow: frame.Workflow{ID: &id, Name: &name, State: dag.Running},
		Alerts:   []frame.Alert{{Bound: "within", State: frame.Late}},
	}
	q := d.queues[0]
	for want := 1; want <= 2; want++ { // the second watch repeats what the first one has sent
		w := d.Watch(nil)
		w.Keep(alert.State{}, f)
		select {
		case <-q.kick:
		default:
			t.Fatal("the queue sleeps on")
		}
		if d.Flush(t.Context()); sent != want {
			t.Fatalf("%d notifications sent, want %d", sent, want)
		}
		if wait := q.step(t.Context()); wait > DefaultRepost {
			t.Fatalf("the next repeat is in %v", wait)
		}
		w.Close()
		if wait := q.step(t.Context()); wait != forever {
			t.Fatalf("a closed watch is repeated in %v", wait)
		}
	}
}
