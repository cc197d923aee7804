package notify

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A run is a workflow that is watched, or that still has notifications to send.
type run struct {
	d        *Dispatcher
	name, id string

	mu      sync.Mutex
	alerts  alert.State
	written map[string]frame.AlertState // the states in the file, by bound
	views   map[string]view             // by bound, as last seen; empty while no Watch is open
	opened  map[string]bool             // bounds that were seen before the workflow ended
	streams map[streamKey]*alertStream
	led     map[streamKey]func() // the streams that this process leads, and how to step down
	refused map[streamKey]string // the notification that a repeating sink has refused
	jobs    []string             // the ids of its jobs that were seen, sorted
	watched bool
	gone    bool          // the dispatcher has forgotten it, or is about to
	dirty   bool          // the file lacks the newest state
	was     []byte        // the alerts' state in the file, as JSON
	record  record        // the file's entry, as last read or written
	wrote   time.Duration // when it last tried to write, by the steady clock
	looked  time.Duration // when the file was last read for other processes' notifications
}

func newRun(d *Dispatcher, name, id string) *run {
	r := &run{
		d: d, name: name, id: id, streams: map[streamKey]*alertStream{}, led: map[streamKey]func(){},
		refused: map[streamKey]string{},
		views:   map[string]view{}, opened: map[string]bool{}, written: map[string]frame.AlertState{},
	}
	rec := r.read()
	r.alerts, r.jobs = rec.Alerts, rec.Jobs
	for bound, s := range rec.Alerts.Bounds {
		r.written[bound] = s.State
		r.opened[bound] = s.State != frame.Ended
	}
	return r
}

// read loads the streams of other processes from the file and returns the state of the run.
func (r *run) read() runState {
	r.looked = r.d.steady()
	if r.d.c.Store == nil {
		return runState{}
	}
	w, err := r.d.c.Store.Read(r.name)
	if err != nil {
		r.d.trouble(err)
		return runState{}
	}
	r.record = r.record.reread(w, r.id)
	for _, l := range r.record.state.Streams {
		if k := (streamKey{l.Bound, l.Sink}); r.led[k] == nil {
			r.streams[k] = &l
		}
	}
	return r.record.state
}

// lead tries to become the leader of a stream. If it succeeds, it reads what earlier leaders have sent.
func (r *run) lead(k streamKey) bool {
	if r.led[k] != nil {
		return true
	}
	release := func() {}
	if r.d.c.Store != nil {
		free, err := r.d.c.Store.Elect("alert\n" + r.id + "\n" + k.bound + "\n" + k.sink)
		switch {
		case errors.Is(err, state.ErrLocked):
			return false
		case err != nil:
			r.d.trouble(err) // sending twice is better than not at all
		default:
			release = free
		}
		r.read()
	}
	r.led[k] = release
	if r.streams[k] == nil {
		r.streams[k] = &alertStream{Bound: k.bound, Sink: k.sink}
	}
	return true
}

// keep compares a frame with what was sent, and queues and writes what follows.
func (r *run) keep(s alert.State, f frame.Frame, dress map[string]Dress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alerts, r.jobs = s, union(r.jobs, jobsOf(f))
	if f.Workflow.ID != nil {
		f.Workflow.ID = &r.id // labels must not change
	}
	if r.d.steady()-r.looked >= r.d.c.Repost {
		r.read()
	}
	changed := r.withdraw(f)
	for _, a := range f.Alerts {
		if a.State == frame.Blind {
			continue
		}
		opened := r.opened[a.Bound]
		r.opened[a.Bound] = opened || a.State != frame.Ended
		if !a.State.Firing() && !missed(a) && !r.concerns(a.Bound) {
			delete(r.views, a.Bound)
			continue
		}
		v := view{about: about(f, a, dress[a.Bound]), opened: opened}
		r.views[a.Bound] = v
		for _, l := range r.d.senders {
			changed = r.follow(streamKey{a.Bound, l.key}, v) || changed
		}
	}
	if changed || r.due(s) {
		r.write()
	}
	if changed {
		r.d.wake()
	}
}

// jobsOf returns the ids of the jobs that a frame shows.
func jobsOf(f frame.Frame) (ids []string) {
	for i := range f.Jobs {
		if id := f.Jobs[i].ID; id != nil {
			ids = append(ids, *id)
		}
	}
	return ids
}

// withdraw resolves alerts of bounds that no longer apply to the workflow: their rule was removed.
func (r *run) withdraw(f frame.Frame) (changed bool) {
	for bound, v := range r.views {
		if slices.ContainsFunc(f.Alerts, func(a frame.Alert) bool { return a.Bound == bound }) {
			continue
		}
		delete(r.views, bound)
		v.about.Alert.State, v.about.Alert.Text = frame.OnTrack, "it is no longer held to this"
		v.about.Annotations = maps.Clone(v.about.Annotations)
		v.about.Annotations["state"], v.about.Annotations["summary"] = string(frame.OnTrack), v.about.Alert.Text
		for _, l := range r.d.senders {
			changed = r.follow(streamKey{bound, l.key}, v) || changed
		}
	}
	return changed
}

// concerns reports whether a bound has a stream at any sink.
func (r *run) concerns(bound string) bool {
	return slices.ContainsFunc(r.d.senders, func(l *senderQueue) bool {
		return r.streams[streamKey{bound, l.key}] != nil
	})
}

// follow updates a stream that this process leads, or can lead, by a view. It reports whether the stream changed.
func (r *run) follow(k streamKey, v view) bool {
	a := v.about.Alert
	l := r.streams[k]
	news := a.State.Firing() || a.State == frame.Ended && missed(a) && v.opened && (l == nil || !l.Ended)
	if !news && (l == nil || l.State == "" && len(l.Queue) == 0) {
		return false
	}
	if !r.lead(k) {
		return false
	}
	l = r.streams[k]
	changed := l.follow(v, r.d.c.Now())
	if n := l.crop(r.d.c.Limit); n > 0 {
		r.d.c.Log.Warn().Str("sink", k.sink).Str("workflow", r.id).Str("bound", k.bound).Int("dropped", n).
			Msg("too many notifications wait to be sent; the oldest are dropped")
		r.d.count(k.sink, func(s *Stat) { s.Dropped += n })
	}
	return changed
}

// stepDown gives up the lead of a stream.
func (r *run) stepDown(k streamKey) {
	if release := r.led[k]; release != nil {
		release()
		delete(r.led, k)
	}
}

// leave ends the watch: firing alerts are no longer repeated. It reports whether nothing is left to send.
func (r *run) leave() (done bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched = false
	clear(r.views)
	if r.dirty {
		r.write()
	}
	return r.over()
}

// over steps down from streams that have nothing to send. It reports whether all of them are done: then the caller
// forgets the run.
func (r *run) over() bool {
	if r.watched || r.dirty { // unsaved state must survive until the disk has room again
		return false
	}
	for k := range r.led {
		if len(r.streams[k].Queue) == 0 {
			r.stepDown(k)
		}
	}
	r.gone = len(r.led) == 0
	return r.gone
}

// inherit copies which bounds were seen before the workflow ended from the run under its former id.
func (r *run) inherit(before *run) {
	before.mu.Lock()
	opened := maps.Clone(before.opened)
	before.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	for bound, was := range opened {
		r.opened[bound] = r.opened[bound] || was
	}
}

// watch marks the run as watched, unless it is too late: the run had nothing to send and is gone.
func (r *run) watch() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched = r.watched || !r.gone
	return r.watched
}

// spoken reports whether any notification of the run was sent or is queued.
func (r *run) spoken() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.streams) > 0
}

// order returns the streams in a fixed order.
func (r *run) order() []streamKey { return slices.SortedFunc(maps.Keys(r.streams), streamKey.compare) }

// about returns the notification of an alert in any state, without ID, status and times.
func about(f frame.Frame, a frame.Alert, d Dress) Notification {
	n := Notification{Workflow: workflowOf(f), Alert: a, WaitingOn: f.WaitingOn, EndAt: f.Headline.EndAt}
	n.Labels = d.labels(n.Workflow, a.Bound)
	n.Fingerprint = fingerprint(n.Labels)
	facts := factsOf(n)
	facts.Status = string(Resolved)
	if a.State.Firing() {
		facts.Status = string(Firing)
	}
	n.Annotations = d.annotations(facts)
	return n
}
