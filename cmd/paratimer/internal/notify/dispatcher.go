package notify

import (
	"context"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Config configures a Dispatcher. Zero values mean defaults.
type Config struct {
	Store  Store // nil: nothing survives a crash
	Sinks  []Sink
	Repost time.Duration // how often repeating sinks are sent firing alerts again; default DefaultRepost
	Limit  int           // how many notifications of one alert may wait for one sink; default DefaultLimit
	Seed   uint64        // of the jitter
	Log    zerolog.Logger
	// Now is the watcher's clock, which may be set; Steady is monotonic.
	Now    func() time.Time
	Steady func() time.Duration
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
	c       Config
	senders []*senderQueue

	mu     sync.Mutex
	runs   map[string]*run // by id
	listed []*run
	stats  map[string]*Stat
	sick   bool // the state file cannot be written or read; already logged

	stop  context.CancelFunc
	group sync.WaitGroup
	moved chan struct{} // signals that a sender queue has made a step
}

// New makes a dispatcher. It sends nothing before Start, unless it works inline.
func New(c Config) *Dispatcher {
	if c.Repost <= 0 {
		c.Repost = DefaultRepost
	}
	if c.Limit <= 0 {
		c.Limit = DefaultLimit
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Steady == nil {
		began := time.Now()
		c.Steady = func() time.Duration { return time.Since(began) }
	}
	d := &Dispatcher{c: c, runs: map[string]*run{}, stats: map[string]*Stat{}, moved: make(chan struct{}, 1)}
	for _, s := range c.Sinks {
		h := fnv.New64a()
		_, _ = h.Write([]byte(s.Key())) // Write never fails
		d.senders = append(d.senders, &senderQueue{
			d: d, sink: s, key: s.Key(), options: s.Options(), rng: rand.New(rand.NewPCG(c.Seed, h.Sum64())),
			kick: make(chan struct{}, 1), tries: map[string]int{},
		})
		d.stats[s.Key()] = &Stat{Sink: s.Key()}
	}
	return d
}

// Start begins to send, starting with what an earlier watcher has left. It returns at once.
func (d *Dispatcher) Start() {
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.group.Go(func() { d.Resume(ctx) })
	for _, l := range d.senders {
		d.group.Go(func() { l.serve(ctx) })
	}
}

// Close waits until everything is sent, but at most drain, and stops. It returns how many notifications are left.
// They stay in the state file for the next watcher.
func (d *Dispatcher) Close(drain time.Duration) (left int) {
	if d.stop != nil {
		timer := time.NewTimer(drain)
		defer timer.Stop()
		d.wake()
	wait:
		for d.waiting() > 0 {
			select {
			case <-d.moved:
			case <-timer.C:
				break wait
			}
		}
		d.stop()
		d.group.Wait()
	}
	for _, l := range d.senders {
		if c, ok := l.sink.(io.Closer); ok {
			_ = c.Close() // everything is sent, or given up
		}
	}
	left = d.waiting()
	for _, r := range d.open() {
		r.leave()
		r.mu.Lock()
		for k := range r.led {
			r.stepDown(k)
		}
		r.mu.Unlock()
	}
	return left
}

// waiting returns how many notifications this process has to send.
func (d *Dispatcher) waiting() int {
	n := 0
	for _, s := range d.Stats() {
		n += s.Waiting
	}
	return n
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
	w.enter(f)
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	return w.run.alerts
}

// Keep stores the alert state of a workflow and queues the notifications that follow. Errors of the state file or a
// sink are logged and never end the watch: the returned error is always nil.
func (w *Watch) Keep(s alert.State, f frame.Frame) error {
	w.enter(f)
	w.run.keep(s, f, w.dresses)
	if w.d.c.Inline {
		w.d.Flush(context.Background())
	}
	return nil
}

// Close ends the watch; waiting notifications are still sent. Firing alerts are neither repeated nor resolved.
func (w *Watch) Close() {
	if w.run != nil && w.run.leave() {
		w.d.forget(w.run)
	}
}

// enter finds the run of a frame. A script has its first job's id until a master responds. A later watcher may never
// see that id, or see it first. An alert that was sent keeps its id, for every watcher of the state folder.
func (w *Watch) enter(f frame.Frame) {
	who := workflowOf(f)
	if who.ID == "" {
		who.ID = who.Name
	}
	if who.Name == "" {
		who.Name = who.ID
	}
	if w.run != nil {
		if w.run.id == who.ID || w.shown == who.ID || who.ID == "" || w.run.spoken() {
			return
		}
		w.Close()
	}
	before := w.run
	w.run, w.shown = nil, who.ID
	id := w.d.toldAs(who, f)
	for w.run == nil || !w.run.watch() {
		w.run = w.d.enter(who.Name, id)
	}
	if before != nil {
		w.run.inherit(before)
	}
}

// Flush sends everything that is due now, in the order of sinks.
func (d *Dispatcher) Flush(ctx context.Context) {
	for _, l := range d.senders {
		for l.step(ctx) == 0 {
		}
	}
}
