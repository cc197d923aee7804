// Package restsim serves a run, given as snapshots, through the REST services of a Hadoop 3.4.2: ResourceManager,
// proxied MapReduce masters and job history server, in virtual time. It serves to measure the cost of watching a
// large cluster.
//
// The responses have the recorded fields in the recorded order (docs/facts/hadoop.md A3 to A6, E0), with filler for
// missing data, so that their sizes are realistic. Responses of masters are never compressed, because the proxy
// unpacks them (seen live).
package restsim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/dag"
)

// A Run yields snapshots of one workflow, oldest first, then io.EOF. Sources are runs.
type Run interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// A Request is a request to the cluster, with its time by the cluster's clock.
type Request struct {
	At    dag.Instant
	Path  string // without the query
	Query string
	Bytes int // of the response's body
}

// A Cluster serves the run. It is an http.Handler, and an http.RoundTripper that needs no network.
type Cluster struct {
	mu    sync.Mutex
	run   Run
	now   dag.Instant
	snap  *dag.Snapshot // newest at or before now
	next  *dag.Snapshot // first after now, nil at the end of the run
	jobs  []*job        // parallel to the plan's
	asked []Request
}

// New returns a cluster at the instant of the run's first snapshot. It returns the run's error, or an error if the
// first instant is not after 0.
func New(ctx context.Context, run Run) (*Cluster, error) {
	first, err := run.Next(ctx)
	if err != nil {
		return nil, err
	}
	if first.At <= 0 {
		return nil, errors.New("restsim: the run starts at 0, which Hadoop's times cannot say: start it later")
	}
	c := &Cluster{run: run, next: first}
	return c, c.advance(ctx, first.At)
}

// Advance moves virtual time to at, which must not be before Now. The cluster continues after the run's end.
func (c *Cluster) Advance(ctx context.Context, at dag.Instant) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at < c.now {
		return errors.New("restsim: time does not go back")
	}
	return c.advance(ctx, at)
}

func (c *Cluster) advance(ctx context.Context, at dag.Instant) error {
	for c.next != nil && c.next.At <= at {
		c.snap = c.next
		next, err := c.run.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			c.next = nil
		case err != nil:
			return err
		default:
			c.next = next
		}
	}
	c.now = at
	c.look()
	return nil
}

// Now returns the cluster's clock.
func (c *Cluster) Now() dag.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Snapshot returns the current snapshot of the cluster.
func (c *Cluster) Snapshot() *dag.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.snap
}

// Asked returns all requests so far.
func (c *Cluster) Asked() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[:len(c.asked):len(c.asked)]
}

// An answer is an HTTP response.
type answer struct {
	status   int
	body     []byte
	location string
}

// ServeHTTP responds over a network.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, now := c.answer(r)
	a.write(w, now)
}

// RoundTrip responds without a network.
func (c *Cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a, now := c.answer(r)
	return a.response(r, now), nil
}

func (a *answer) write(w http.ResponseWriter, now dag.Instant) {
	for k, v := range a.header(now) {
		w.Header()[k] = v
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // ignore a client that has disconnected
}

func (a *answer) response(r *http.Request, now dag.Instant) *http.Response {
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: a.header(now),
		ContentLength: int64(len(a.body)), Body: io.NopCloser(strings.NewReader(string(a.body))),
	}
}

func (a *answer) header(now dag.Instant) http.Header {
	h := http.Header{"Content-Type": {"application/json;charset=utf-8"}, "Date": {now.Time().Format(http.TimeFormat)}}
	if a.location != "" {
		h.Set("Location", a.location)
		h.Set("Content-Type", "text/html;charset=utf-8")
	}
	return h
}

func (c *Cluster) answer(r *http.Request) (answer, dag.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := answer{status: http.StatusMethodNotAllowed}
	if r.Method == http.MethodGet {
		a = c.route(r.URL)
	}
	c.asked = append(c.asked, Request{At: c.now, Path: r.URL.Path, Query: r.URL.RawQuery, Bytes: len(a.body)})
	return a, c.now
}

func (c *Cluster) route(u *url.URL) answer {
	path := u.Path
	if rest, ok := strings.CutPrefix(path, "/ws/v1/cluster/"); ok {
		return c.manager(rest, u.Query())
	}
	if rest, ok := strings.CutPrefix(path, "/ws/v1/history/"); ok {
		if rest == "info" {
			return found(`{"historyInfo":{"startedOn":1,"hadoopVersion":"3.4.2"}}`)
		}
		rest, ok = strings.CutPrefix(rest, "mapreduce/jobs/")
		id, rest, _ := strings.Cut(rest, "/")
		if j := c.job(id); ok && j != nil && j.state.State.Ended() {
			return j.answer(rest, true)
		}
		return missing("job, " + id + ", is not found")
	}
	app, rest, ok := strings.Cut(strings.TrimPrefix(path, "/proxy/"), "/ws/v1/mapreduce/")
	j := c.job("job_" + strings.TrimPrefix(app, "application_"))
	if !ok || j == nil {
		return answer{status: http.StatusNotFound, body: []byte("<html><title>Application " + app +
			" could not be found in RM or history server</title></html>")}
	}
	switch {
	case j.state.State == dag.Submitted: // docs/facts/hadoop.md A6, item 3
		return answer{status: http.StatusFound, location: "http://rm:8088/cluster/app/" + app}
	case j.state.State.Ended():
		return answer{status: http.StatusFound, location: "http://jhs:19888/jobhistory/job/" + j.id +
			"/ws/v1/mapreduce/" + rest}
	}
	if rest, ok = strings.CutPrefix(rest, "jobs/"+j.id); ok {
		return j.answer(strings.TrimPrefix(rest, "/"), false)
	}
	return missing("no such thing")
}

func found(body string) answer { return answer{status: http.StatusOK, body: []byte(body)} }

func missing(what string) answer {
	return answer{
		status: http.StatusNotFound,
		body: []byte(`{"RemoteException":{"exception":"NotFoundException","message":` +
			quote("java.lang.Exception: "+what) +
			`,"javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`),
	}
}

// elapsed returns the milliseconds from start to end, or to now if it has not ended.
func elapsed(start, end, now dag.Instant) int64 {
	if !start.Known() {
		return 0
	}
	if !end.Known() {
		end = now
	}
	return max(0, end.Sub(start).Milliseconds())
}

// ms returns an instant as Hadoop writes it: 0 if it is unknown.
func ms(i dag.Instant) int64 {
	if !i.Known() {
		return 0
	}
	return int64(i)
}

func quote(s string) string {
	b, _ := json.Marshal(s) // never fails for a string
	return string(b)
}
