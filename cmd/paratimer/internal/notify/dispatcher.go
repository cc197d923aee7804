package notify

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Config configures a Dispatcher. Zero values mean defaults.
type Config struct {
	Store  Store // nil: nothing survives a crash
	Sinks  []*Sink
	Repost time.Duration // how often repeating sinks are sent firing alerts again; default DefaultRepost
	Limit  int           // how many notifications of one alert may wait for one sink; default DefaultLimit
	Seed   uint64        // of the jitter
	Log    zerolog.Logger
	// Now is the watcher's clock, which may be set; Steady is monotonic.
	Now    func() time.Time
	Steady func() time.Duration
	// Link is the address of a page about the query, with fields as in annotations; "": none.
	Link string
	// Inline sends in Keep itself, one notification after the other, without waiting: for sinks that only print.
	Inline bool
}

// The defaults.
const (
	DefaultRepost = time.Minute
	DefaultLimit  = 100
)

// A Dispatcher delivers alerts of any number of workflows to its sinks.
type Dispatcher struct {
	c      Config
	queues []*queue

	mu   sync.Mutex
	runs []*run      // in the order in which they came; a change makes another slice
	sick atomic.Bool // the state file cannot be written or read; already logged

	inline sync.Mutex // held while notifications are sent inline

	stop  context.CancelFunc
	group sync.WaitGroup
}

// New makes a dispatcher. It sends nothing before Start, unless it works inline.
func New(c Config) *Dispatcher {
	c.Repost, c.Limit = cmp.Or(c.Repost, DefaultRepost), cmp.Or(c.Limit, DefaultLimit)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Steady == nil {
		began := time.Now()
		c.Steady = func() time.Duration { return time.Since(began) }
	}
	d := &Dispatcher{c: c}
	for i, s := range c.Sinks {
		d.queues = append(d.queues, &queue{
			d: d, sink: s, stat: Stat{Sink: s.Key}, rng: rand.New(rand.NewPCG(c.Seed, uint64(i))),
			kick: make(chan struct{}, 1),
		})
	}
	return d
}

// Start begins to send, starting with what an earlier watcher has left. It returns at once.
func (d *Dispatcher) Start() {
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.group.Go(func() { d.Resume(ctx) })
	for _, q := range d.queues {
		d.group.Go(func() { q.serve(ctx) })
	}
}

// wake signals all queues that something is new.
func (d *Dispatcher) wake() {
	for _, q := range d.queues {
		select {
		case q.kick <- struct{}{}:
		default:
		}
	}
}

// Close waits until everything is sent, but at most drain, and stops. It returns how many notifications are left.
// They stay in the state file for the next watcher.
func (d *Dispatcher) Close(drain time.Duration) (left int) {
	if d.stop != nil {
		d.wake()
		for end := time.Now().Add(drain); d.waiting() > 0 && time.Now().Before(end); {
			time.Sleep(min(10*time.Millisecond, time.Until(end)))
		}
		d.stop()
		d.group.Wait()
	}
	left = d.waiting()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.runs {
		r.leave()
		for _, l := range r.streams {
			l.stepDown()
		}
	}
	return left
}

// waiting returns how many notifications this process has to send.
func (d *Dispatcher) waiting() (n int) {
	for _, s := range d.Stats() {
		n += s.Waiting
	}
	return n
}

// Stats returns the counts of all sinks, in their order.
func (d *Dispatcher) Stats() []Stat {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Stat, len(d.queues))
	for i, q := range d.queues {
		out[i] = q.stat
		for _, r := range d.runs {
			for _, l := range r.led(q) {
				out[i].Waiting += len(l.Queue)
			}
		}
	}
	return out
}

// Flush sends everything that is due now, in the order of sinks.
func (d *Dispatcher) Flush(ctx context.Context) {
	for _, q := range d.queues {
		for q.step(ctx) == 0 {
		}
	}
}

// Resume takes over what earlier watchers left unsent, unless another process leads the sink. Start calls it.
func (d *Dispatcher) Resume(ctx context.Context) {
	if d.c.Store == nil {
		return
	}
	names, err := d.c.Store.List()
	if err != nil {
		d.trouble(err) // List still returns the names that it could read
	}
	for _, name := range names {
		if ctx.Err() == nil {
			d.resume(name)
		}
	}
	d.wake()
}

func (d *Dispatcher) resume(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, err := d.c.Store.Read(name)
	if err != nil {
		d.trouble(err)
		return
	}
	left := func(l *alertStream) bool {
		return len(l.Queue) > 0 && slices.ContainsFunc(d.queues, func(q *queue) bool { return q.sink.Key == l.Sink })
	}
	for _, id := range slices.Sorted(maps.Keys(w.Watched)) {
		if !slices.ContainsFunc(runStateOf(w, id).Streams, left) {
			continue
		}
		r := d.run(name, id)
		for _, l := range r.streams {
			if left(l) {
				r.lead(l)
			}
		}
		r.rest()
	}
}

// trouble logs that the state file cannot be read or written, once until it works again.
func (d *Dispatcher) trouble(err error) {
	if !d.sick.Swap(true) {
		d.c.Log.Warn().Err(err).Msg(
			"cannot store which alerts were sent: alerts go out, but a restart may send them again; " +
				"make room, or give another folder with --state-dir")
	}
}

// Watch returns the part of one workflow. dresses is by the bound's name.
func (d *Dispatcher) Watch(dresses map[string]Dress) *Watch { return &Watch{d: d, dresses: dresses} }

// A Watch connects one workflow to the dispatcher. One goroutine calls its methods.
type Watch struct {
	d       *Dispatcher
	dresses map[string]Dress
	run     *run
	shown   string // the workflow's id in the frame that the run was found by
}

// Recall returns the alert state of a frame's workflow as it was last watched.
func (w *Watch) Recall(f frame.Frame) alert.State {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	w.enter(f)
	return w.run.alerts
}

// Keep stores the alert state of a workflow and queues the notifications that follow. Errors of the state file or a
// sink are logged.
func (w *Watch) Keep(s alert.State, f frame.Frame) {
	w.keep(s, f)
	if w.d.c.Inline {
		w.d.inline.Lock()
		defer w.d.inline.Unlock()
		w.d.Flush(context.Background())
	}
}

func (w *Watch) keep(s alert.State, f frame.Frame) {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	w.enter(f)
	w.run.keep(s, f, w.dresses)
}

// Close ends the watch; waiting notifications are still sent. Firing alerts are neither repeated nor resolved.
func (w *Watch) Close() {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	if w.run != nil {
		w.run.leave()
	}
}

// enter finds the run of a frame. A script has its first job's id until a master responds. A later watcher may never
// see that id, or see it first. An alert that was sent keeps its id, for every watcher of the state folder.
func (w *Watch) enter(f frame.Frame) {
	who := workflowOf(f)
	who.ID, who.Name = cmp.Or(who.ID, who.Name), cmp.Or(who.Name, who.ID)
	if w.run != nil {
		sent := slices.ContainsFunc(w.run.streams, (*alertStream).used)
		if sent || who.ID == "" || who.ID == w.shown || who.ID == w.run.id {
			return
		}
		w.run.leave()
	}
	w.shown = who.ID
	w.run = w.d.run(who.Name, w.d.sentAs(who, f.IDs()[1:]))
	w.run.watched = true
}

// sentAs returns the id that earlier alerts of a workflow were sent under: the id of one of its jobs or its own. A
// frame that shows one of the jobs as the workflow lacks its own id. If no alert was sent, sentAs returns the
// workflow's own id, as far as it is known.
func (d *Dispatcher) sentAs(who Workflow, jobs []string) string {
	if d.c.Store == nil {
		return who.ID
	}
	w, err := d.c.Store.Read(who.Name)
	if err != nil {
		d.trouble(err)
		return who.ID
	}
	for _, id := range slices.Sorted(maps.Keys(w.Watched)) {
		r := runStateOf(w, id)
		isEarlier := len(r.Streams) > 0
		if !slices.Contains(jobs, id) {
			shares := slices.ContainsFunc(jobs, func(job string) bool { return slices.Contains(r.Jobs, job) })
			isEarlier = shares && slices.Contains(jobs, who.ID)
		}
		if isEarlier {
			return id
		}
	}
	return who.ID
}
