package notify

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
)

// A Store remembers workflows: *state.Store.
type Store interface {
	Read(name string) (*state.Workflow, error)
	Update(name string, change func(*state.Workflow) error) error
	List() ([]string, error)
	Elect(name string) (release func(), err error)
}

// A record is what the state file has of one watched run.
type record struct {
	At     time.Time   `json:"at"` // when it was written
	Alerts alert.State `json:"alerts"`
	Lines  []line      `json:"lines,omitempty"`
}

// keptRuns is how many runs of a workflow that are over are remembered, so that nobody tells of them again.
const keptRuns = 20

// recordOf is what a workflow's file has of a run. What cannot be read is nothing.
func recordOf(w *state.Workflow, id string) record {
	var r record
	if raw, ok := w.Watched[id]; ok {
		if json.Unmarshal(raw, &r) != nil {
			return record{}
		}
	}
	return r
}

// put writes a run's record into its workflow: standings are ours, lines only where we lead.
func put(w *state.Workflow, id string, at time.Time, alerts alert.State, ours map[lineKey]*line, led func(lineKey) bool) error {
	r := recordOf(w, id)
	r.At = at.UTC().Truncate(time.Millisecond)
	if alerts.Bounds != nil {
		r.Alerts = alerts
	}
	lines := map[lineKey]line{}
	for _, l := range r.Lines {
		lines[lineKey{l.Bound, l.Sink}] = l
	}
	for k, l := range ours {
		if led(k) {
			lines[k] = *l
		}
	}
	r.Lines = nil
	for _, k := range slices.SortedFunc(maps.Keys(lines), lineKey.compare) {
		if l := lines[k]; l.trace() {
			r.Lines = append(r.Lines, l)
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if w.Watched == nil {
		w.Watched = map[string]json.RawMessage{}
	}
	w.Watched[id] = raw
	prune(w, id)
	return nil
}

// prune forgets the oldest runs beyond keptRuns of which nothing must be sent and nothing fires, but never keep.
func prune(w *state.Workflow, keep string) {
	if len(w.Watched) <= keptRuns {
		return
	}
	at := map[string]time.Time{}
	for id := range w.Watched {
		if r := recordOf(w, id); id != keep && !slices.ContainsFunc(r.Lines, func(l line) bool { return l.State != "" || len(l.Queue) > 0 }) {
			at[id] = r.At
		}
	}
	old := slices.SortedFunc(maps.Keys(at), func(a, b string) int {
		if c := at[a].Compare(at[b]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	for _, id := range old[:min(len(old), len(w.Watched)-keptRuns)] {
		delete(w.Watched, id)
	}
}

// A lineKey names a line of a run.
type lineKey struct{ bound, sink string }

func (k lineKey) compare(o lineKey) int {
	if c := strings.Compare(k.bound, o.bound); c != 0 {
		return c
	}
	return strings.Compare(k.sink, o.sink)
}
