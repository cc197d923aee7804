package notify

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
)

// quiet is how long the file may lack changes of the alerts' state that are not transitions. A crash loses only how
// close a bound was to its next state.
const quiet = 5 * time.Minute

// retry is the wait before a failed write is repeated.
const retry = 10 * time.Second

// due reports whether the file should be written although no stream has changed.
func (r *run) due(s alert.State) bool {
	since := r.d.steady() - r.wrote
	if len(r.jobs) > len(r.record.state.Jobs) && !r.dirty { // a merge only adds jobs: more of them means new ones
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

// write puts the run into the state file. A failure is logged and tried again: sending alerts does not wait for the
// file.
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

// rewrite repeats a failed write if it is due, and reports whether one is still to be repeated.
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
