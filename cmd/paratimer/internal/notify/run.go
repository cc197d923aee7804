package notify

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
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
	jobs    []string       // the ids of its jobs that were seen, sorted
	streams []*alertStream // by bound and sink

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
	r := &run{d: d, name: name, id: id}
	file := r.read()
	r.alerts, r.jobs, r.saved = file.Alerts, file.Jobs, file.Alerts
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

// led returns the streams to a queue's sink that this process leads.
func (r *run) led(q *queue) (all []*alertStream) {
	for _, l := range r.streams {
		if l.Sink == q.sink.Key && l.release != nil {
			all = append(all, l)
		}
	}
	return all
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
	r.merge(file)
	return file
}

// merge takes the streams that other processes lead from the file's entry, and returns the entry to write: the alerts'
// state is ours, and so are the streams that this process leads.
func (r *run) merge(file runState) runState {
	for _, l := range file.Streams {
		mine := r.stream(l.Bound, l.Sink)
		if mine == nil {
			r.streams = append(r.streams, l)
		} else if mine.release == nil {
			l.about = mine.about
			*mine = *l
		}
	}
	next := runState{At: r.d.c.Now().UTC().Truncate(time.Millisecond), Alerts: r.alerts, Jobs: union(file.Jobs, r.jobs)}
	if next.Alerts.Bounds == nil {
		next.Alerts = file.Alerts
	}
	next.Streams = slices.DeleteFunc(slices.Clone(r.streams), func(l *alertStream) bool { return !l.used() })
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
	return since >= quiet ||
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
		prune(w, r.id, next.At)
		return nil
	})
	if err != nil {
		r.d.trouble(err)
		return
	}
	if r.d.sick.Swap(false) {
		r.d.c.Log.Info().Msg("storing which alerts were sent works again")
	}
	r.dirty, r.saved = false, r.alerts
}

// keptRuns is how many ended runs of a workflow are kept, so that their alerts are not sent again. A run that was not
// written for keptFor counts as ended: its watcher was killed and no other took over.
const (
	keptRuns = 20
	keptFor  = 30 * 24 * time.Hour
)

// prune deletes runs beyond the newest keptRuns that have nothing to send and no firing alert, but never keep.
func prune(w *state.Workflow, keep string, now time.Time) {
	if len(w.Watched) <= keptRuns {
		return
	}
	runs := map[string]runState{}
	for id := range w.Watched {
		runs[id] = runStateOf(w, id)
	}
	newest := slices.SortedFunc(maps.Keys(runs), func(a, b string) int {
		return cmp.Or(runs[b].At.Compare(runs[a].At), strings.Compare(a, b))
	})
	for _, id := range newest[keptRuns:] {
		open := slices.ContainsFunc(runs[id].Streams, func(l *alertStream) bool {
			return l.State != "" || len(l.Queue) > 0
		})
		if id != keep && (!open || now.Sub(runs[id].At) > keptFor) {
			delete(w.Watched, id)
		}
	}
}

// lead tries to become the leader of a stream. If it succeeds, it reads what earlier leaders have sent.
func (r *run) lead(l *alertStream) bool {
	if l.release != nil {
		return true
	}
	release := func() {}
	if r.d.c.Store != nil {
		free, err := r.d.c.Store.Elect("alert\n" + r.id + "\n" + l.Bound + "\n" + l.Sink)
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
	l.release = release
	r.d.wake() // a queue may have found nothing to repeat while no process led the stream
	return true
}

// rest releases the lock of each stream without notifications to send, and removes a run without work. A run with
// unsaved state stays until the disk has room again.
func (r *run) rest() {
	if r.dirty {
		return
	}
	busy := r.watched
	for _, l := range r.streams {
		if len(l.Queue) == 0 && !(r.watched && l.State != "") {
			l.stepDown()
		}
		busy = busy || l.release != nil
	}
	if !busy {
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
	jobs := union(r.jobs, f.IDs()[1:])
	changed := len(jobs) > len(r.jobs)
	r.alerts, r.jobs = s, jobs
	if f.Workflow.ID != nil {
		f.Workflow.ID = &r.id // labels must not change
	}
	if r.d.c.Steady()-r.looked >= r.d.c.Repost {
		r.read()
	}
	for _, n := range append(r.withdrawn(f), r.shown(f, dress)...) {
		for _, q := range r.d.queues {
			if q.sink.Runs == (n.Alert.Bound == runBound) {
				changed = r.follow(q, n) || changed
			}
		}
	}
	if changed || r.due() {
		r.write()
	}
	if changed {
		r.d.wake()
	}
}

// shown returns the alerts of a frame that fire or were sent before, and the run itself, for sinks of runs. A script
// has the id of its first job until the job's master responds, so a run does not start before that.
func (r *run) shown(f frame.Frame, dress map[string]Dress) (all []Notification) {
	for _, a := range f.Alerts {
		sent := slices.ContainsFunc(r.streams, func(l *alertStream) bool { return l.Bound == a.Bound })
		if a.State != frame.Blind && (a.State.Firing() || missed(a) || sent) {
			all = append(all, about(f, a, dress[a.Bound], r.d.c.Link))
		}
	}
	waits := slices.ContainsFunc(f.Jobs, func(j frame.Job) bool {
		return j.ID != nil && *j.ID == r.id && j.State == dag.Submitted
	})
	if waits || f.At == nil || f.StaleSeconds > 0 || f.Workflow.ID == nil {
		return all
	}
	return append(all, ofRun(f))
}

// withdrawn returns alerts that fire although their bounds no longer apply: their rule was removed.
func (r *run) withdrawn(f frame.Frame) (all []Notification) {
	for _, l := range r.streams {
		if l.Bound == runBound || l.State == "" || l.about.Fingerprint == "" ||
			slices.ContainsFunc(f.Alerts, func(a frame.Alert) bool { return a.Bound == l.Bound }) {
			continue
		}
		n := l.about
		n.Alert.State, n.Alert.Text = frame.OnTrack, "this limit no longer applies"
		n.Annotations = maps.Clone(n.Annotations)
		n.Annotations["state"], n.Annotations["summary"] = string(frame.OnTrack), n.Alert.Text
		all = append(all, n)
	}
	return all
}

// follow updates an alert's stream at a sink, if this process leads it or can lead it. It reports whether the stream
// has changed.
func (r *run) follow(q *queue, n Notification) (changed bool) {
	now := r.d.c.Now()
	l := r.stream(n.Alert.Bound, q.sink.Key)
	if l == nil {
		l = &alertStream{Bound: n.Alert.Bound, Sink: q.sink.Key}
	}
	trial := *l
	trial.follow(n, now)
	if trial.State == "" && len(trial.Queue) == 0 {
		return false
	}
	if r.stream(l.Bound, l.Sink) == nil {
		r.streams = append(r.streams, l)
	}
	if !r.lead(l) {
		return false
	}
	l.about = n
	changed = l.follow(n, now)
	if n := l.crop(r.d.c.Limit); n > 0 {
		l.tries = 0
		q.stat.Dropped += n
		r.d.c.Log.Warn().Str("sink", l.Sink).Str("workflow", r.id).Str("bound", l.Bound).Int("dropped", n).
			Msg("too many notifications wait to be sent; the oldest are dropped")
	}
	return changed
}
