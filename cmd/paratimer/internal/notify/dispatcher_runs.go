package notify

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// enter returns the run of a workflow and creates it if it does not exist.
func (d *Dispatcher) enter(name, id string) *run {
	d.mu.Lock()
	r := d.runs[id]
	d.mu.Unlock()
	if r == nil {
		r = newRun(d, name, id) // it reads a file: not under the lock that every sender queue needs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if other := d.runs[id]; other != nil {
		return other
	}
	d.runs[id] = r
	d.listed = append(slices.Clone(d.listed), r)
	return r
}

// toldAs returns the id that earlier alerts of a workflow were sent under: the id of one of its jobs or its own. A
// frame that shows one of the jobs as the workflow lacks its own id. If no alert was sent, toldAs returns the
// workflow's own id, as far as it is known.
func (d *Dispatcher) toldAs(who Workflow, f frame.Frame) string {
	if d.c.Store == nil {
		return who.ID
	}
	w, err := d.c.Store.Read(who.Name)
	if err != nil {
		d.trouble(err)
		return who.ID
	}
	jobs := jobsOf(f)
	for _, job := range jobs {
		if len(runStateOf(w, job).Streams) > 0 {
			return job
		}
	}
	if !slices.Contains(jobs, who.ID) {
		return who.ID
	}
	for _, id := range slices.Sorted(maps.Keys(w.Watched)) {
		if slices.Contains(jobs, id) {
			continue // no alert was sent under it
		}
		of := runStateOf(w, id).Jobs
		if slices.ContainsFunc(jobs, func(job string) bool { _, is := slices.BinarySearch(of, job); return is }) {
			return id
		}
	}
	return who.ID
}

func (d *Dispatcher) steady() time.Duration { return d.c.Steady() }

func (d *Dispatcher) forget(r *run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.runs[r.id] == r {
		delete(d.runs, r.id)
		d.listed = slices.DeleteFunc(slices.Clone(d.listed), func(o *run) bool { return o == r })
	}
}

// open returns the runs in the order in which they came. The slice is not changed later.
func (d *Dispatcher) open() []*run {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.listed
}

// oldest is the greatest age at which Resume still sends a notification that an earlier watcher left.
const oldest = 24 * time.Hour

// Resume takes over what earlier watchers left unsent, unless another process leads the stream. Start calls it.
func (d *Dispatcher) Resume(ctx context.Context) {
	if d.c.Store == nil {
		return
	}
	names, err := d.c.Store.List()
	if err != nil {
		d.trouble(err) // List still returns the names that it could read
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return
		}
		w, err := d.c.Store.Read(name)
		if err != nil {
			d.trouble(err)
			continue
		}
		for id := range w.Watched {
			if rec := runStateOf(w, id); slices.ContainsFunc(rec.Streams, func(l alertStream) bool {
				return d.ours(l)
			}) {
				d.enter(name, id).resume()
			}
		}
	}
	d.wake()
}

// ours reports whether a stream has notifications for one of this process's sinks.
func (d *Dispatcher) ours(l alertStream) bool {
	return len(l.Queue) > 0 &&
		slices.ContainsFunc(d.senders, func(sender *senderQueue) bool { return sender.key == l.Sink })
}

// resume leads the streams that have notifications for our sinks. Notifications that are too old are dropped and
// logged.
func (r *run) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return
	}
	for _, k := range r.order() {
		if !r.d.ours(*r.streams[k]) || !r.lead(k) {
			continue
		}
		if l := r.streams[k]; !r.watched && len(l.Queue) > 0 && r.d.c.Now().Sub(l.Queued) > oldest {
			r.d.c.Log.Warn().Str("sink", k.sink).Str("workflow", r.id).Str("bound", k.bound).Int("dropped",
				len(l.Queue)).
				Time("since", l.Queued).Msg("an earlier watch left notifications that are too old to be told")
			l.Queue = nil
			r.write()
		}
	}
	if r.over() {
		r.d.forget(r)
	}
}

// wake signals all sender queues that something is new.
func (d *Dispatcher) wake() {
	for _, l := range d.senders {
		select {
		case l.kick <- struct{}{}:
		default:
		}
	}
}

// progress signals Close that a sender queue has made a step.
func (d *Dispatcher) progress() {
	select {
	case d.moved <- struct{}{}:
	default:
	}
}

// trouble logs that the state file cannot be read or written, once until it works again.
func (d *Dispatcher) trouble(err error) {
	d.mu.Lock()
	was := d.sick
	d.sick = true
	d.mu.Unlock()
	if !was {
		d.c.Log.Warn().Err(err).Msg(
			"what was told cannot be remembered now: alerts are sent, but a restart may send them again; " +
				"make room, or give another folder with --state-dir")
	}
}

func (d *Dispatcher) recovered() {
	d.mu.Lock()
	was := d.sick
	d.sick = false
	d.mu.Unlock()
	if was {
		d.c.Log.Info().Msg("what was told is remembered again")
	}
}

// A Stat counts the notifications of one sink.
type Stat struct {
	Sink    string // Sink.Key
	Sent    int    // notifications that the sink accepted
	Failed  int    // attempts that failed and will be repeated
	Dropped int    // notifications that were refused or exceeded the limit
	Waiting int    // notifications still to be sent
}

func (d *Dispatcher) count(sink string, add func(*Stat)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.stats[sink]; s != nil {
		add(s)
	}
}

// Stats returns the counts of all sinks, in their order.
func (d *Dispatcher) Stats() []Stat {
	wait := map[string]int{}
	for _, r := range d.open() {
		r.mu.Lock()
		for k := range r.led {
			wait[k.sink] += len(r.streams[k].Queue)
		}
		r.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Stat, len(d.senders))
	for i, l := range d.senders {
		out[i] = *d.stats[l.key]
		out[i].Waiting = wait[l.key]
	}
	return out
}
