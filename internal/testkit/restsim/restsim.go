// Package restsim serves runs, given as snapshots, through the REST services of a Hadoop 3.4.2: ResourceManager,
// proxied MapReduce masters and job history server, in virtual time. It serves to measure the cost of watching a
// large cluster.
//
// The responses have the recorded fields (facts/hadoop.md A3 to A6, E0), with filler for missing data, so that
// their sizes are realistic. Responses of masters are never compressed, because the proxy unpacks them (seen live).
//
// SparkDriver plays the driver of a generated application of Spark, with the responses of Spark 3.5.6 and their sizes.
package restsim

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster serves runs that do not compete: each is replayed as recorded. It is an http.Handler, and an
// http.RoundTripper that needs no network.
type Cluster struct {
	mu   sync.Mutex
	mux  *http.ServeMux
	now  dag.Instant
	runs []*run // in the order of Add
}

// A run is listed from its first snapshot on.
type run struct {
	source recording.Source
	snap   *dag.Snapshot // newest at or before now, nil before the first one
	next   *dag.Snapshot // first after now, nil at the end of the run
	jobs   []*job        // parallel to the plan's
}

// New returns a cluster at the instant of the run's first snapshot.
func New(ctx context.Context, source recording.Source) (*Cluster, error) {
	c := Empty(1)
	if err := c.Add(ctx, source); err != nil {
		return nil, err
	}
	return c, c.Advance(ctx, c.runs[0].next.At)
}

// Empty returns a cluster without runs at an instant.
func Empty(now dag.Instant) *Cluster {
	c := &Cluster{now: now}
	c.mux = c.routes()
	return c
}

// Add adds a run. Its job ids must be unique: let runs start at different milliseconds. It returns the run's error, or
// an error if the first instant is not after 0.
func (c *Cluster) Add(ctx context.Context, source recording.Source) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, err := source.Next(ctx)
	if err != nil {
		return err
	}
	if first.At <= 0 {
		return errors.New("restsim: the run starts at 0, which Hadoop's times cannot say: start it later")
	}
	r := &run{source: source, next: first}
	c.runs = append(c.runs, r)
	return c.advance(ctx, r)
}

// Advance moves virtual time to at, which must not be before Now. The cluster continues after the runs' ends.
func (c *Cluster) Advance(ctx context.Context, at dag.Instant) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at < c.now {
		return errors.New("restsim: time does not go back")
	}
	c.now = at
	for _, r := range c.runs {
		if err := c.advance(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// advance moves a run to now.
func (c *Cluster) advance(ctx context.Context, r *run) error {
	for r.next != nil && r.next.At <= c.now {
		r.snap = r.next
		next, err := r.source.Next(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		r.next = next
	}
	if r.snap == nil {
		return nil
	}
	if r.jobs == nil {
		r.jobs = make([]*job, len(r.snap.Plan.Jobs))
	}
	for i := range r.snap.Jobs {
		st := &r.snap.Jobs[i]
		if st.State == dag.Blocked || !st.Submitted.Known() {
			continue
		}
		if r.jobs[i] == nil {
			id := st.ID
			if !strings.HasPrefix(id, "job_") {
				id = fmt.Sprintf("job_%d_%04d", ms(r.snap.Origin()), i+1)
			}
			if c.job(id) != nil {
				return fmt.Errorf("restsim: two runs have a %s: let them start at different milliseconds", id)
			}
			r.jobs[i] = &job{ID: id, Number: strings.TrimPrefix(id, "job_")}
		}
		r.jobs[i].update(r.snap, i)
	}
	return nil
}

// Forget drops the runs that ended before an instant, like a ResourceManager and a history server with limited
// memory.
func (c *Cluster) Forget(before dag.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs = slices.DeleteFunc(c.runs, func(r *run) bool { return r.next == nil && r.snap.At < before })
}

// Now returns the cluster's clock.
func (c *Cluster) Now() dag.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Snapshot returns the current snapshot of the first run.
func (c *Cluster) Snapshot() *dag.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[0].snap
}

// ServeHTTP responds over a network.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Date", c.now.Time().Format(http.TimeFormat))
	c.mux.ServeHTTP(w, r)
}

// RoundTrip responds without a network.
func (c *Cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a := httptest.NewRecorder()
	c.ServeHTTP(a, r)
	resp := a.Result()
	resp.Request, resp.ContentLength = r, int64(a.Body.Len())
	return resp, nil
}

// routes has the paths of all services.
func (c *Cluster) routes() *http.ServeMux {
	const master = "GET /proxy/{app}/ws/v1/mapreduce/"
	mux := http.NewServeMux()
	for _, t := range answers.Templates() {
		switch path := t.Name(); {
		case strings.HasPrefix(path, "/jobs/"):
			mux.HandleFunc(master+path[1:], func(w http.ResponseWriter, r *http.Request) { c.proxy(w, r, t) })
			path = "/ws/v1/history/mapreduce" + path
			fallthrough
		case strings.HasPrefix(path, "/"):
			mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { c.answer(w, r, t) })
		}
	}
	mux.HandleFunc(master, func(w http.ResponseWriter, r *http.Request) { c.proxy(w, r, nil) })
	return mux
}

// proxy responds for a master, or redirects if there is none yet or no more (facts/hadoop.md A6, item 3).
func (c *Cluster) proxy(w http.ResponseWriter, r *http.Request, t *template.Template) {
	j := c.job(r.PathValue("app"))
	switch {
	case j == nil:
		http.Error(w, "<html><title>Application could not be found in RM or history server</title></html>",
			http.StatusNotFound)
	case j.State.State == dag.Submitted:
		http.Redirect(w, r, "http://rm:8088/cluster/app/"+r.PathValue("app"), http.StatusFound)
	case j.State.State.Ended():
		_, path, _ := strings.Cut(r.URL.Path, "/ws/v1/mapreduce/")
		http.Redirect(w, r, "http://jhs:19888/jobhistory/job/"+j.ID+"/ws/v1/mapreduce/"+path, http.StatusFound)
	default:
		c.answer(w, r, t)
	}
}

// job returns a job by its id or that of its application, nil if there is none.
func (c *Cluster) job(id string) *job {
	_, number, _ := strings.Cut(id, "_")
	for _, r := range c.runs {
		for _, j := range r.jobs {
			if j != nil && j.Number == number {
				return j
			}
		}
	}
	return nil
}

// answer responds by a template, or that there is no such job or task.
func (c *Cluster) answer(w http.ResponseWriter, r *http.Request, t *template.Template) {
	app, id, task := r.PathValue("app"), r.PathValue("job"), r.PathValue("task")
	q := request{
		cluster: c, values: r.URL.Query(), Path: r.URL.Path, Job: c.job(cmp.Or(id, app)), TaskID: task,
		IsHistory: app == "" && id != "",
	}
	found := t != nil && (q.Job != nil || app == "" && id == "")
	if found && id != "" {
		found = q.Job == c.job(app) || q.IsHistory && q.Job.State.State.Ended()
	}
	if found && task != "" {
		q.Kind, q.task, found = q.Job.taskOf(task)
	}
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	if !found {
		w.WriteHeader(http.StatusNotFound)
		t = answers.Lookup("not found")
	}
	if err := t.Execute(w, q); errors.As(err, new(template.ExecError)) { // else the client has left
		panic("restsim: " + err.Error())
	}
}

//go:embed answers.tmpl
var answersText string

var answers = template.Must(template.New("answers").Option("missingkey=zero").Funcs(template.FuncMap{
	"ms": ms, "counters": counters, "property": property, "quote": quote,
	"percent": func(v float64) string { return fmt.Sprint(float32(v)) }, // as Java formats a float
	"repeat":  strings.Repeat,
	"join":    strings.Join,
	"minus":   func(a, b int) int { return max(0, a-b) },
}).Parse(strings.ReplaceAll(regexp.MustCompile(`\n\s*`).ReplaceAllString(answersText, ""), "{{{", `{{"{"}}{{`)))

// ms returns an instant as Hadoop writes it: 0 if it is unknown.
func ms(i dag.Instant) int64 {
	if !i.Known() {
		return 0
	}
	return int64(i)
}

// counters returns the counters that are known, given as names and values.
func counters(nameAndValue ...any) string {
	var all []string
	for i := 0; i < len(nameAndValue); i += 2 {
		if v := nameAndValue[i+1].(float64); !math.IsNaN(v) {
			all = append(all, fmt.Sprintf(`{"name":%q,"value":%d}`, nameAndValue[i], int64(v)))
		}
	}
	return strings.Join(all, ",")
}

func quote(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// property returns a property of a configuration, or nothing if its value is 0 or empty.
func property(name string, value any) (string, error) {
	if isSet, _ := template.IsTrue(value); !isSet {
		return "", nil
	}
	quoted, err := quote(fmt.Sprint(value))
	return fmt.Sprintf(`{"name":%q,"value":%s,"source":["programmatically","file:/lab/job.xml"]},`, name, quoted), err
}

// A request is the input of a template.
type request struct {
	cluster   *Cluster
	values    url.Values
	Job       *job
	IsHistory bool // to the job history server
	Path      string
	TaskID    string
	Kind      dag.StageIndex
	task      int
}

// IsBrief reports whether an application's resources are not requested.
func (q request) IsBrief() bool { return strings.Contains(q.values.Get("deSelects"), "resourceInfo") }

// Apps returns the applications of each run, newest first, with the filters that a watcher may use. An application
// that has not ended counts as ended at 0.
func (q request) Apps() (all []*job) {
	since := func(filter string) int64 {
		v, _ := strconv.ParseInt(q.values.Get(filter), 10, 64) // 0 if there is no filter
		return v
	}
	states := strings.Split(q.values.Get("states"), ",")
	for _, r := range q.cluster.runs {
		for _, j := range slices.Backward(r.jobs) {
			if j != nil && (!q.values.Has("user") || q.values.Get("user") == j.User()) &&
				(!q.values.Has("states") || slices.Contains(states, j.YarnState())) &&
				ms(j.State.Submitted) >= since("startedTimeBegin") && ms(j.State.Finished) >= since("finishedTimeBegin") {
				all = append(all, j)
			}
		}
	}
	return all
}

// totals are the sums over all runs.
type totals struct {
	MB, HeldMB, Lost int             // memory of all nodes and how much of it is allocated
	Hosts            []dag.NodeState // the nodes of a single run, else they are made up
	QueueShare       float64         // share of the cluster that the first run's queue may use, in percent
}

// Totals returns the sums; each slot counts as a container of 1 GB.
func (q request) Totals() totals {
	t, nodes := totals{QueueShare: 100}, len(q.cluster.runs)/10+1
	for i, r := range q.cluster.runs {
		if r.snap == nil {
			continue
		}
		c := &r.snap.Plan.Cluster
		t.MB += cmp.Or(c.MemoryMB, 1024*(c.MapSlots+c.ReduceSlots))
		for i := range r.snap.Jobs {
			t.HeldMB += r.snap.Jobs[i].HeldMB
		}
		if i == 0 {
			t.QueueShare = 100 * min(1, cmp.Or(float64(c.QueueMB)/float64(t.MB), 1))
			t.Hosts, nodes = r.snap.Nodes, max(nodes, len(c.Nodes))
		}
	}
	if len(q.cluster.runs) != 1 || len(t.Hosts) == 0 {
		t.Hosts = nil
		for i := range nodes {
			t.Hosts = append(t.Hosts, dag.NodeState{Name: fmt.Sprintf("node-%d:8042", i), MemoryMB: t.MB / nodes})
		}
	}
	for _, n := range t.Hosts {
		if n.Lost {
			t.Lost++
		}
	}
	return t
}
