package notify

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
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
	At      time.Time      `json:"at"` // when it was written
	Alerts  alert.State    `json:"alerts"`
	Streams []*alertStream `json:"lines,omitempty"`
	// Jobs are the ids of the run's jobs that were seen, sorted. A watcher that comes later may see one of them before
	// it sees the workflow's own id.
	Jobs []string `json:"jobs,omitempty"`
}

// runStateOf returns the entry of a run in a workflow's file, or an empty one if it cannot be read.
func runStateOf(w *state.Workflow, id string) (r runState) {
	if json.Unmarshal(w.Watched[id], &r) != nil {
		return runState{}
	}
	r.Streams = slices.DeleteFunc(r.Streams, func(l *alertStream) bool { return l == nil })
	return r
}

// A run is a workflow that is watched, or that still has notifications to send. The dispatcher's lock guards it.
type run struct {
	d        *Dispatcher
	name, id string
	watched  bool

	alerts  alert.State
	jobs    []string          // the ids of its jobs that were seen, sorted
	views   map[string]view   // by bound, as last seen
	streams []*alertStream    // by bound and sink
	led     map[string]func() // how to step down as the leader of a sink, by its key

	saved  alert.State   // as in the file
	dirty  bool          // the file lacks the newest state
	wrote  time.Duration // when it last tried to write, by the steady clock
	looked time.Duration // when the file was last read for other processes' notifications
}

// run returns the run of a workflow and creates it if it does not exist.
func (d *Dispatcher) run(name, id string) *run {
	if i := slices.IndexFunc(d.runs, func(r *run) bool { return r.id == id }); i >= 0 {
		return d.runs[i]
	}
	r := &run{d: d, name: name, id: id, views: map[string]view{}, led: map[string]func(){}}
	file := r.read()
	r.alerts, r.jobs, r.saved = file.Alerts, file.Jobs, file.Alerts
	for bound, s := range file.Alerts.Bounds {
		r.views[bound] = view{opened: s.State != frame.Ended}
	}
	d.runs = append(d.runs, r)
	return r
}

// stream returns the stream of an alert at a sink; nil if there is none.
func (r *run) stream(bound, sink string) *alertStream {
	for _, l := range r.streams {
		if l.Bound == bound && l.Sink == sink {
			return l
		}
	}
	return nil
}

// read takes the streams of other processes from the file and returns the file's entry.
func (r *run) read() (file runState) {
	r.looked = r.d.c.Steady()
	if r.d.c.Store == nil {
		return file
	}
	w, err := r.d.c.Store.Read(r.name)
	if err != nil {
		r.d.trouble(err)
		return file
	}
	file = runStateOf(w, r.id)
	r.streams = r.merge(file).Streams
	return file
}

// merge returns the entry to write: the alerts' state is ours, and so are the streams of sinks that this process leads.
func (r *run) merge(file runState) runState {
	next := runState{At: r.d.c.Now().UTC().Truncate(time.Millisecond), Alerts: r.alerts, Jobs: union(file.Jobs, r.jobs)}
	if next.Alerts.Bounds == nil {
		next.Alerts = file.Alerts
	}
	for _, l := range r.streams {
		if r.led[l.Sink] != nil {
			next.Streams = append(next.Streams, l)
		}
	}
	for _, l := range file.Streams {
		if r.led[l.Sink] == nil {
			next.Streams = append(next.Streams, l)
		}
	}
	slices.SortFunc(next.Streams, func(a, b *alertStream) int {
		return cmp.Or(strings.Compare(a.Bound, b.Bound), strings.Compare(a.Sink, b.Sink))
	})
	return next
}

// union returns what is in a or b, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// quiet is how long the file may lack changes of the alerts' state that are not transitions. A crash loses only how
// close a bound was to its next state.
const quiet = 5 * time.Minute

// retry is the wait before a failed write is repeated.
const retry = 10 * time.Second

// due reports whether the file should be written although no stream has changed.
func (r *run) due() bool {
	since := r.d.c.Steady() - r.wrote
	if r.dirty {
		return since >= retry
	}
	return since >= quiet && !reflect.DeepEqual(r.alerts, r.saved) ||
		!maps.EqualFunc(r.alerts.Bounds, r.saved.Bounds, func(a, b alert.Standing) bool { return a.State == b.State })
}

// write puts the run into the state file. A failure is logged and tried again: sending alerts does not wait for the
// file.
func (r *run) write() {
	defer r.rest()
	if r.d.c.Store == nil {
		return
	}
	r.wrote, r.dirty = r.d.c.Steady(), true
	err := r.d.c.Store.Update(r.name, func(w *state.Workflow) error {
		next := r.merge(runStateOf(w, r.id))
		raw, err := json.Marshal(next)
		if err != nil {
			return err
		}
		if w.Watched == nil {
			w.Watched = map[string]json.RawMessage{}
		}
		w.Watched[r.id] = raw
		r.streams = next.Streams
		prune(w, r.id, next.At)
		return nil
	})
	if err != nil {
		r.d.trouble(err)
		return
	}
	if r.d.sick.Swap(false) {
		r.d.c.Log.Info().Msg("what was told is remembered again")
	}
	r.dirty, r.saved = false, r.alerts
}

// keptRuns is how many ended runs of a workflow are kept, so that their alerts are not sent again. A run that was not
// written for keptFor counts as ended: its watcher was killed and no other took over.
const (
	keptRuns = 20
	keptFor  = 30 * 24 * time.Hour
)

// prune deletes the oldest runs beyond keptRuns that have nothing to send and no firing alert, but never keep.
func prune(w *state.Workflow, keep string, now time.Time) {
	surplus := len(w.Watched) - keptRuns
	if surplus <= 0 {
		return
	}
	at := map[string]time.Time{}
	for id := range w.Watched {
		r := runStateOf(w, id)
		open := slices.ContainsFunc(r.Streams, func(l *alertStream) bool { return l.State != "" || len(l.Queue) > 0 })
		if id != keep && (!open || now.Sub(r.At) > keptFor) {
			at[id] = r.At
		}
	}
	old := slices.SortedFunc(maps.Keys(at), func(a, b string) int {
		return cmp.Or(at[a].Compare(at[b]), strings.Compare(a, b))
	})
	for _, id := range old[:min(len(old), surplus)] {
		delete(w.Watched, id)
	}
}

// lead tries to become the leader of a sink. If it succeeds, it reads what earlier leaders have sent.
func (r *run) lead(sink string) bool {
	if r.led[sink] != nil {
		return true
	}
	release := func() {}
	if r.d.c.Store != nil {
		free, err := r.d.c.Store.Elect("alert\n" + r.id + "\n" + sink)
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
	r.led[sink] = release
	r.d.wake() // a queue may have found nothing to repeat while no process led the sink
	return true
}

// rest releases the lock of each sink without notifications to send, and removes a run without work. A run with unsaved
// state stays until the disk has room again.
func (r *run) rest() {
	if r.dirty {
		return
	}
	for sink, release := range r.led {
		if !slices.ContainsFunc(r.streams, func(l *alertStream) bool {
			return l.Sink == sink && (len(l.Queue) > 0 || r.watched && l.State != "")
		}) {
			release()
			delete(r.led, sink)
		}
	}
	if !r.watched && len(r.led) == 0 {
		r.d.runs = slices.DeleteFunc(slices.Clone(r.d.runs), func(o *run) bool { return o == r })
	}
}

// leave ends the watch: firing alerts are no longer repeated.
func (r *run) leave() {
	r.watched = false
	if r.dirty {
		r.write()
	}
	r.rest()
}

// keep compares a frame with what was sent, and queues and writes what follows.
func (r *run) keep(s alert.State, f frame.Frame, dress map[string]Dress) {
	jobs := union(r.jobs, jobsOf(f))
	grew := len(jobs) > len(r.jobs)
	r.alerts, r.jobs = s, jobs
	if f.Workflow.ID != nil {
		f.Workflow.ID = &r.id // labels must not change
	}
	if r.d.c.Steady()-r.looked >= r.d.c.Repost {
		r.read()
	}
	changed := r.withdraw(f)
	for _, a := range f.Alerts {
		if a.State == frame.Blind {
			continue
		}
		v := view{opened: r.views[a.Bound].opened || a.State != frame.Ended}
		sent := slices.ContainsFunc(r.streams, func(l *alertStream) bool { return l.Bound == a.Bound })
		if a.State.Firing() || missed(a) || sent {
			v.about = about(f, a, dress[a.Bound])
			changed = r.follow(v) || changed
		}
		r.views[a.Bound] = v
	}
	changed = r.report(f) || changed
	if changed || grew || r.due() {
		r.write()
	}
	if changed {
		r.d.wake()
	}
}

// report follows the run itself, for sinks of runs. A script has the id of its first job until the job's master
// responds, so a run does not start before that.
func (r *run) report(f frame.Frame) (changed bool) {
	waits := slices.ContainsFunc(f.Jobs, func(j frame.Job) bool {
		return j.ID != nil && *j.ID == r.id && j.State == dag.Submitted
	})
	wanted := slices.ContainsFunc(r.d.queues, func(q *queue) bool { return q.sink.Runs })
	if !wanted || waits || f.At == nil || f.StaleSeconds > 0 || f.Workflow.ID == nil {
		return false
	}
	v := ofRun(f)
	r.views[runBound] = v
	return r.follow(v)
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
		if bound == runBound ||
			slices.ContainsFunc(f.Alerts, func(a frame.Alert) bool { return a.Bound == bound }) {
			continue
		}
		delete(r.views, bound)
		if v.about.Fingerprint == "" {
			continue
		}
		v.about.Alert.State, v.about.Alert.Text = frame.OnTrack, "it is no longer held to this"
		v.about.Annotations = maps.Clone(v.about.Annotations)
		v.about.Annotations["state"], v.about.Annotations["summary"] = string(frame.OnTrack), v.about.Alert.Text
		changed = r.follow(v) || changed
	}
	return changed
}

// follow updates the streams of an alert at sinks that this process leads, or can lead. It reports whether one changed.
func (r *run) follow(v view) (changed bool) {
	bound, now := v.about.Alert.Bound, r.d.c.Now()
	for _, q := range r.d.queues {
		if q.sink.Runs != (bound == runBound) {
			continue
		}
		key := q.sink.Key
		trial := alertStream{}
		if l := r.stream(bound, key); l != nil {
			trial = *l
		}
		trial.follow(v, now)
		if trial.State == "" && len(trial.Queue) == 0 || !r.lead(key) {
			continue
		}
		l := r.stream(bound, key)
		if l == nil {
			l = &alertStream{Bound: bound, Sink: key}
			r.streams = append(r.streams, l)
		}
		changed = l.follow(v, now) || changed
		if n := l.crop(r.d.c.Limit); n > 0 {
			l.tries = 0
			q.stat.Dropped += n
			r.d.c.Log.Warn().Str("sink", key).Str("workflow", r.id).Str("bound", bound).Int("dropped", n).
				Msg("too many notifications wait to be sent; the oldest are dropped")
		}
	}
	return changed
}
