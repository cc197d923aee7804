package notify

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
)

// quiet is how long changes of the alerts' state that are no transitions may stay unwritten. A crash loses only how far
// a bound was on the way to its next state.
const quiet = 5 * time.Minute

// retry is the wait before a write that failed is tried again.
const retry = 10 * time.Second

// due says whether the file should be written, though no stream has changed.
func (r *run) due(s alert.State) bool {
	since := r.d.steady() - r.wrote
	if len(r.jobs) > len(r.record.state.Jobs) && !r.dirty { // they are merged: more of them are new ones
		return true
	}
	if r.dirty && since >= retry || since >= quiet && !bytes.Equal(encoded(s), r.was) {
		return true
	}
	for bound, b := range s.Bounds {
		if was, ok := r.written[bound]; !ok || was != b.State {
			return !r.dirty
		}
	}
	return false
}

// write puts what is remembered into the file. A failure is told and tried again: alerts are worth more than memory.
func (r *run) write() {
	if r.d.c.Store == nil {
		return
	}
	r.wrote, r.dirty = r.d.steady(), true
	var next record
	err := r.d.c.Store.Update(r.name, func(w *state.Workflow) (err error) {
		next, err = r.record.reread(w, r.id).merge(r.d.c.Now(), r.alerts, r.jobs, r.streams,
			func(k streamKey) bool { return r.led[k] != nil })
		if err == nil {
			next.put(w, r.id)
		}
		return err
	})
	if err != nil {
		r.d.trouble(err)
		return
	}
	r.d.recovered()
	r.record = next
	r.dirty, r.was = false, encoded(r.alerts)
	for bound, b := range r.alerts.Bounds {
		r.written[bound] = b.State
	}
	for k := range r.led {
		if l := r.streams[k]; l.State == "" && len(l.Queue) == 0 {
			r.stepDown(k)
		}
	}
}

// rewrite tries a write again that has failed, when its time has come, and says whether one is still to be tried.
func (r *run) rewrite() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dirty && r.d.steady()-r.wrote >= retry {
		r.write()
		if r.over() {
			r.d.forget(r)
		}
	}
	return r.dirty
}

func encoded(s alert.State) []byte {
	b, _ := json.Marshal(s) // it has been written as JSON before
	return b
}
