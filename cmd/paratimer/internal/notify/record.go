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
	// Jobs are the ids of the run's jobs that were seen, sorted. A watcher that comes later may see one of them before it sees the
	// workflow's own id.
	Jobs []string `json:"jobs,omitempty"`
}

// keptRuns is how many runs of a workflow that are over are remembered, so that nobody tells of them again. One that was not
// written for keptFor is over, whatever it was: its watcher was killed, and none came after it.
const (
	keptRuns = 20
	keptFor  = 30 * 24 * time.Hour
)

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

// A page is a record and its form in the file, so that what nobody else has changed is not decoded again.
type page struct {
	raw json.RawMessage
	rec record
}

// turn returns the page of a run in a workflow's file.
func (p page) turn(w *state.Workflow, id string) page {
	if raw := w.Watched[id]; p.raw == nil || !bytes.Equal(raw, p.raw) {
		return page{raw, recordOf(w, id)}
	}
	return p
}

// merge is the page that follows when a run is written: standings are ours, lines only where we lead.
func (p page) merge(at time.Time, alerts alert.State, jobs []string, ours map[lineKey]*line, led func(lineKey) bool) (page, error) {
	next := record{At: at.UTC().Truncate(time.Millisecond), Alerts: p.rec.Alerts, Jobs: union(p.rec.Jobs, jobs)}
	if alerts.Bounds != nil {
		next.Alerts = alerts
	}
	lines := map[lineKey]line{}
	for _, l := range p.rec.Lines {
		lines[lineKey{l.Bound, l.Sink}] = l
	}
	for k, l := range ours {
		if led(k) {
			lines[k] = *l
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(lines), lineKey.compare) {
		if l := lines[k]; l.trace() {
			next.Lines = append(next.Lines, l)
		}
	}
	raw, err := json.Marshal(next)
	return page{raw, next}, err
}

// union is what is in a or b, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// put puts a page into a workflow's file.
func (p page) put(w *state.Workflow, id string) {
	if w.Watched == nil {
		w.Watched = map[string]json.RawMessage{}
	}
	w.Watched[id] = p.raw
	prune(w, id, p.rec.At)
}

// prune forgets the oldest runs beyond keptRuns of which nothing must be sent and nothing fires, but never keep.
func prune(w *state.Workflow, keep string, now time.Time) {
	if len(w.Watched) <= keptRuns {
		return
	}
	at := map[string]time.Time{}
	for id := range w.Watched {
		r := recordOf(w, id)
		open := slices.ContainsFunc(r.Lines, func(l line) bool { return l.State != "" || len(l.Queue) > 0 })
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

// A lineKey names a line of a run.
type lineKey struct{ bound, sink string }

func (k lineKey) compare(o lineKey) int {
	if c := strings.Compare(k.bound, o.bound); c != 0 {
		return c
	}
	return strings.Compare(k.sink, o.sink)
}
