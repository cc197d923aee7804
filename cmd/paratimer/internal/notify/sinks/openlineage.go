package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

const (
	// lineagePause is the least time between two events of a running run.
	lineagePause = 30 * time.Second
	// lineageLimit is how many events may wait. Beyond it the oldest is dropped.
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

	mu      sync.Mutex
	runs    map[string]*lineageRun // by the id of the workflow, or of a job before that was known
	waiting []RunEvent
	closing bool
	kick    chan struct{}
	stop    context.CancelFunc
	ended   chan struct{}
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
	if namespace == "" {
		namespace = "default" // as in OpenLineage's clients
	}
	ctx, stop := context.WithCancel(context.Background())
	o := &OpenLineage{
		client: client, url: u, key: key, namespace: namespace, log: log, runs: map[string]*lineageRun{},
		kick: make(chan struct{}, 1), stop: stop, ended: make(chan struct{}),
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
	switch {
	case r.over:
		return nil
	case r.last.IsZero():
		o.push(eventOf(lineageStart, o.namespace, r.id, f, now))
		r.last = now
	case !f.Workflow.State.Ended() && now.Sub(r.last) >= lineagePause:
		o.push(eventOf(lineageRunning, o.namespace, r.id, f, now))
		r.last = now
	}
	if f.Workflow.State.Ended() {
		o.push(eventOf(endType(f.Workflow.State), o.namespace, r.id, f, now))
		r.over = true
	}
	return nil
}

// run returns the run of a frame. A script has its first job's id until its master responds; it stays the same run
// then.
func (o *OpenLineage) run(f *frame.Frame) *lineageRun {
	id := *f.Workflow.ID
	if r := o.runs[id]; r != nil {
		return r
	}
	for i := range f.Jobs {
		if job := f.Jobs[i].ID; job != nil && o.runs[*job] != nil {
			o.runs[id] = o.runs[*job]
			return o.runs[id]
		}
	}
	o.runs[id] = &lineageRun{id: id}
	return o.runs[id]
}

// Forget drops a workflow that is no longer watched.
func (o *OpenLineage) Forget(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.runs, id)
}

// push queues an event. It replaces a waiting RUNNING event of the same run.
func (o *OpenLineage) push(e RunEvent) {
	if n := len(o.waiting); n > 1 { // the first may be in transit
		if last := &o.waiting[n-1]; last.EventType == lineageRunning && last.Run.RunID == e.Run.RunID {
			o.waiting = o.waiting[:n-1]
		}
	}
	if len(o.waiting) >= lineageLimit {
		o.log.Warn().Str("job", o.waiting[0].Job.Name).Msg("too many events wait for OpenLineage; the oldest is dropped")
		o.waiting = o.waiting[1:]
	}
	o.waiting = append(o.waiting, e)
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

// serve sends until the context ends, or until nothing waits and Close was called.
func (o *OpenLineage) serve(ctx context.Context) {
	defer close(o.ended)
	for wait := lineageWait; ; {
		o.mu.Lock()
		all, closing := o.waiting, o.closing
		o.mu.Unlock()
		if len(all) == 0 {
			if closing {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-o.kick:
			}
			continue
		}
		if o.send(ctx, all[0]) {
			o.taken(all[0])
			wait = lineageWait
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, lineageLongest)
	}
}

// taken removes an event from the queue, if it is still there.
func (o *OpenLineage) taken(e RunEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) > 0 && o.waiting[0] == e {
		o.waiting = o.waiting[1:]
	}
}

// send posts an event. It reports whether the event is done: accepted, or refused for good.
func (o *OpenLineage) send(ctx context.Context, e RunEvent) bool {
	b, err := json.Marshal(e)
	if err != nil {
		panic("sinks: " + err.Error()) // strings, times and finite numbers always encode
	}
	header := http.Header{}
	if o.key != "" {
		header.Set("Authorization", "Bearer "+o.key)
	}
	_, err = post(ctx, o.client, o.url, b, header, o.key)
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	log := o.log.Warn().Str("job", e.Job.Name).Str("event", e.EventType).Err(err)
	var refused *notify.Refused
	if errors.As(err, &refused) {
		log.Msg("OpenLineage refuses an event; it is dropped")
		return true
	}
	log.Msg("cannot send an event to OpenLineage now; it is kept and tried again")
	return false
}

// Close waits until everything is sent, but at most drain, and returns how many events are lost.
func (o *OpenLineage) Close(drain time.Duration) (lost int) {
	o.mu.Lock()
	o.closing = true
	o.mu.Unlock()
	select {
	case o.kick <- struct{}{}:
	default:
	}
	select {
	case <-o.ended:
	case <-time.After(drain):
	}
	o.stop()
	<-o.ended
	o.client.CloseIdleConnections()
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting)
}
