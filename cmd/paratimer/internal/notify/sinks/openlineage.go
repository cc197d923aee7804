package sinks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
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
	events    chan lineageEvent
	waiting   atomic.Int64 // events that are not done
	stop      context.CancelFunc
	ended     chan struct{}

	mu   sync.Mutex
	runs map[string]*lineageRun // by the id of the workflow, or of a job before that was known
}

// A lineageRun is a run that events were sent for.
type lineageRun struct {
	id   string    // the run's UUID is made from it
	last time.Time // of the newest event
	over bool
}

// A lineageEvent says that a run has started, is running, or has ended.
type lineageEvent struct {
	kind, name string
	body       []byte
}

// endTypes are the types of events at the end. It is OTHER if the end is not confirmed.
var endTypes = map[dag.State]string{dag.Succeeded: "COMPLETE", dag.Failed: "FAIL", dag.Killed: "ABORT"}

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
		log: log, runs: map[string]*lineageRun{}, events: make(chan lineageEvent, lineageLimit), stop: stop,
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
	ended := f.Workflow.State.Ended()
	switch {
	case r.over:
		return nil
	case r.last.IsZero():
		began := now
		if f.ElapsedSeconds != nil {
			began = now.Add(-f.ElapsedSeconds.Duration())
		}
		r.last = now
		o.push("START", r, f, began)
	case !ended && now.Sub(r.last) >= lineagePause && o.waiting.Load() == 0: // else newer progress follows
		r.last = now
		o.push("RUNNING", r, f, now)
	}
	if ended {
		r.over = true
		o.push(cmp.Or(endTypes[f.Workflow.State], "OTHER"), r, f, now)
	}
	return nil
}

// run returns the run of a frame. A script has its first job's id until its master responds; it stays the same run
// when its own id is known.
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

// push queues an event. Its time is the frame's, for a start the first job's submission.
func (o *OpenLineage) push(kind string, r *lineageRun, f *frame.Frame, at time.Time) {
	name := r.id
	if f.Workflow.Name != nil {
		name = cmp.Or(*f.Workflow.Name, r.id)
	}
	var body bytes.Buffer
	if err := builtIn.ExecuteTemplate(&body, "openlineage.tmpl", struct {
		Type                   string
		Time                   time.Time
		RunID, Namespace, Name string
		Frame                  *frame.Frame
	}{kind, at.UTC().Truncate(time.Millisecond), runID(o.namespace, r.id), o.namespace, name, f}); err != nil {
		panic("sinks: " + err.Error()) // strings, times and finite numbers always encode
	}
	o.waiting.Add(1)
	select {
	case o.events <- lineageEvent{kind, name, body.Bytes()}:
	default:
		o.waiting.Add(-1)
		o.log.Warn().Str("job", name).Msg("too many events wait for OpenLineage; the newest is dropped")
	}
}

// serve sends until the context ends: then the rest is lost.
func (o *OpenLineage) serve(ctx context.Context) {
	defer close(o.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-o.events:
			wait := lineageWait
			for !o.send(ctx, e) {
				if watch.Sleep(ctx, wait) != nil {
					return
				}
				wait = min(2*wait, lineageLongest)
			}
			o.waiting.Add(-1)
		}
	}
}

// send posts an event. It reports whether the event is done: accepted, or refused for good.
func (o *OpenLineage) send(ctx context.Context, e lineageEvent) bool {
	r := request{url: o.url, header: http.Header{}, body: e.body, secret: o.key}
	if o.key != "" {
		r.header.Set("Authorization", "Bearer "+o.key)
	}
	_, _, err := r.post(ctx, o.client)
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	var failure *notify.Failure
	refused := errors.As(err, &failure) && failure.Refused
	o.log.Warn().Str("job", e.name).Str("event", e.kind).Bool("dropped", refused).Err(err).
		Msg("OpenLineage has not taken an event; it is tried again unless it was refused")
	return refused
}

// Close waits until everything is sent, but at most drain, and returns how many events are lost.
func (o *OpenLineage) Close(drain time.Duration) (lost int) {
	for end := time.Now().Add(drain); o.waiting.Load() > 0 && time.Now().Before(end); {
		time.Sleep(min(10*time.Millisecond, time.Until(end)))
	}
	o.stop()
	<-o.ended
	o.client.CloseIdleConnections()
	return int(o.waiting.Load())
}

// runID returns a UUID of version 8 (RFC 9562) that depends on the namespace and the workflow alone: a restarted or
// second watch sends events of the same run.
func runID(namespace, id string) string {
	b := sha256.Sum256([]byte(namespace + "\n" + id))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
