package sinks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

const (
	// lineagePause is the least time between two events of a running run.
	lineagePause = 30 * time.Second
	// lineageLimit is how many events may wait. Beyond it a new one is dropped.
	lineageLimit = 1000
	// lineageWait is the first wait after a failure; it doubles up to lineageLongest.
	lineageWait    = time.Second
	lineageLongest = time.Minute
)

// OpenLineage posts events of runs to an OpenLineage service such as Marquez: one when a run is first seen, at most
// one every 30 s while it runs, and one at its end. It is not a notify.Sink, because it sends runs, not alerts. Its
// own goroutine sends, so a slow service delays nothing. Waiting events are lost if the process ends.
type OpenLineage struct {
	client    *http.Client
	url       *url.URL
	key       string // an API key; "": none
	namespace string
	log       zerolog.Logger
	events    chan RunEvent
	waiting   atomic.Int64 // events that are not done
	stop      context.CancelFunc
	ended     chan struct{}

	mu     sync.Mutex
	runs   map[string]*lineageRun // by the id of the workflow, or of a job before that was known
	closed bool
}

// A lineageRun is a run that events were sent for.
type lineageRun struct {
	id   string    // the run's UUID is made from it
	last time.Time // of the newest event
	over bool
}

// NewOpenLineage starts a sender to an address. If the address has no path, it appends /api/v1/lineage.
func NewOpenLineage(address, key, namespace string, client *http.Client, log zerolog.Logger) (*OpenLineage, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	if strings.Trim(u.Path, "/") == "" {
		u = u.JoinPath("api", "v1", "lineage")
	}
	ctx, stop := context.WithCancel(context.Background())
	o := &OpenLineage{
		client: client, url: u, key: key, namespace: cmp.Or(namespace, "default"), // as in OpenLineage's clients
		log: log, runs: map[string]*lineageRun{}, events: make(chan RunEvent, lineageLimit), stop: stop,
		ended: make(chan struct{}),
	}
	go o.serve(ctx)
	return o, nil
}

// Show queues the events that a tick requires. It never waits, and its error is always nil.
func (o *OpenLineage) Show(tick frame.Tick) error {
	f := &tick.Frame
	if tick.Snapshot == nil || f.Workflow.ID == nil { // a missed observation has nothing new
		return nil
	}
	now := time.Now()
	if f.At != nil {
		now = f.At.Time()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.run(f)
	if r.over || o.closed {
		return nil
	}
	ended := f.Workflow.State.Ended()
	switch {
	case r.last.IsZero():
		r.last = now
		o.push(eventOf(lineageStart, o.namespace, r.id, f, now))
	case !ended && now.Sub(r.last) >= lineagePause && o.waiting.Load() == 0: // else newer progress follows
		r.last = now
		o.push(eventOf(lineageRunning, o.namespace, r.id, f, now))
	}
	if ended {
		r.over = true
		o.push(eventOf(cmp.Or(endTypes[f.Workflow.State], "OTHER"), o.namespace, r.id, f, now))
	}
	return nil
}

// run returns the run of a frame. A script has its first job's id until its master responds; it stays the same run
// then.
func (o *OpenLineage) run(f *frame.Frame) *lineageRun {
	id := *f.Workflow.ID
	for i := range f.Jobs {
		if job := f.Jobs[i].ID; job != nil && o.runs[id] == nil && o.runs[*job] != nil {
			o.runs[id] = o.runs[*job]
		}
	}
	if o.runs[id] == nil {
		o.runs[id] = &lineageRun{id: id}
	}
	return o.runs[id]
}

// Forget drops a workflow that is no longer watched.
func (o *OpenLineage) Forget(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.runs, id)
}

// push queues an event.
func (o *OpenLineage) push(e RunEvent) {
	if len(o.events) == cap(o.events) {
		o.log.Warn().Str("job", e.Job.Name).Msg("too many events wait for OpenLineage; the newest is dropped")
		return
	}
	o.waiting.Add(1)
	o.events <- e
}

// serve sends until Close was called and nothing waits, or the context ends: then the rest is lost.
func (o *OpenLineage) serve(ctx context.Context) {
	defer close(o.ended)
	for e := range o.events {
		wait := lineageWait
		for ctx.Err() == nil && !o.send(ctx, e) {
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			wait = min(2*wait, lineageLongest)
		}
		if ctx.Err() == nil {
			o.waiting.Add(-1)
		}
	}
}

// send posts an event. It reports whether the event is done: accepted, or refused for good.
func (o *OpenLineage) send(ctx context.Context, e RunEvent) bool {
	b, err := json.Marshal(e)
	if err != nil {
		panic("sinks: " + err.Error()) // strings, times and finite numbers always encode
	}
	r := request{url: o.url, header: http.Header{}, body: b, secret: o.key}
	if o.key != "" {
		r.header.Set("Authorization", "Bearer "+o.key)
	}
	_, _, err = r.post(ctx, o.client)
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	var failure *notify.Failure
	refused := errors.As(err, &failure) && failure.Refused
	o.log.Warn().Str("job", e.Job.Name).Str("event", e.EventType).Bool("dropped", refused).Err(err).
		Msg("OpenLineage has not taken an event; it is tried again unless it was refused")
	return refused
}

// Close waits until everything is sent, but at most drain, and returns how many events are lost.
func (o *OpenLineage) Close(drain time.Duration) (lost int) {
	o.mu.Lock()
	o.closed = true
	close(o.events)
	o.mu.Unlock()
	timer := time.AfterFunc(drain, o.stop)
	<-o.ended
	timer.Stop()
	o.stop()
	o.client.CloseIdleConnections()
	return int(o.waiting.Load())
}
