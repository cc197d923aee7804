package notify

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
)

// A Store reads and writes the state of workflows: *state.Store.
type Store interface {
	Read(name string) (*state.Workflow, error)
	Update(name string, change func(*state.Workflow) error) error
	List() ([]string, error)
	Elect(name string) (release func(), err error)
}

// A runState is the state file's entry of one watched run.
type runState struct {
	At      time.Time     `json:"at"` // when it was written
	Alerts  alert.State   `json:"alerts"`
	Streams []alertStream `json:"lines,omitempty"`
	// Jobs are the ids of the run's jobs that were seen, sorted. A watcher that comes later may see one of them before
	// it sees the workflow's own id.
	Jobs []string `json:"jobs,omitempty"`
}

// keptRuns is how many ended runs of a workflow are kept, so that their alerts are not sent again. A run that was not
// written for keptFor counts as ended: its watcher was killed and no other took over.
const (
	keptRuns = 20
	keptFor  = 30 * 24 * time.Hour
)

// runStateOf returns the entry of a run in a workflow's file, or an empty one if it cannot be read.
func runStateOf(w *state.Workflow, id string) runState {
	var r runState
	if raw, ok := w.Watched[id]; ok {
		if json.Unmarshal(raw, &r) != nil {
			return runState{}
		}
	}
	return r
}

// A record is a runState and its form in the file, so that an unchanged entry is not decoded again.
type record struct {
	raw   json.RawMessage
	state runState
}

// reread returns the record of a run in a workflow's file.
func (p record) reread(w *state.Workflow, id string) record {
	if raw := w.Watched[id]; p.raw == nil || !bytes.Equal(raw, p.raw) {
		return record{raw, runStateOf(w, id)}
	}
	return p
}

// merge returns the record to write: the alerts' state is ours, streams are ours only if led reports true.
func (p record) merge(at time.Time, alerts alert.State, jobs []string, ours map[streamKey]*alertStream,
	led func(streamKey) bool,
) (record, error) {
	next := runState{At: at.UTC().Truncate(time.Millisecond), Alerts: p.state.Alerts, Jobs: union(p.state.Jobs, jobs)}
	if alerts.Bounds != nil {
		next.Alerts = alerts
	}
	lines := map[streamKey]alertStream{}
	for _, l := range p.state.Streams {
		lines[streamKey{l.Bound, l.Sink}] = l
	}
	for k, l := range ours {
		if led(k) {
			lines[k] = *l
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(lines), streamKey.compare) {
		if l := lines[k]; l.trace() {
			next.Streams = append(next.Streams, l)
		}
	}
	raw, err := json.Marshal(next)
	return record{raw, next}, err
}

// union returns what is in a or b, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// put puts a record into a workflow's file.
func (p record) put(w *state.Workflow, id string) {
	if w.Watched == nil {
		w.Watched = map[string]json.RawMessage{}
	}
	w.Watched[id] = p.raw
	prune(w, id, p.state.At)
}

// prune deletes the oldest runs beyond keptRuns that have nothing to send and no firing alert, but never keep.
func prune(w *state.Workflow, keep string, now time.Time) {
	if len(w.Watched) <= keptRuns {
		return
	}
	at := map[string]time.Time{}
	for id := range w.Watched {
		r := runStateOf(w, id)
		open := slices.ContainsFunc(r.Streams, func(l alertStream) bool { return l.State != "" || len(l.Queue) > 0 })
		if id != keep && (!open || now.Sub(r.At) > keptFor) {
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

// A streamKey names a stream of a run.
type streamKey struct{ bound, sink string }

func (k streamKey) compare(o streamKey) int {
	if c := strings.Compare(k.bound, o.bound); c != 0 {
		return c
	}
	return strings.Compare(k.sink, o.sink)
}
