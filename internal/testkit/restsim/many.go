package restsim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/dag"
)

// Many serves several runs at once, as one cluster on which all of them run side by side. They do not compete: each
// is replayed as recorded. It is an http.Handler and an http.RoundTripper.
type Many struct {
	mu   sync.Mutex
	now  dag.Instant
	runs []*Cluster // in the order of Add; a future run is not listed
	jobs map[string]*Cluster

	requests atomic.Int64
}

// NewMany returns a cluster without runs at an instant.
func NewMany(now dag.Instant) *Many { return &Many{now: now, jobs: map[string]*Cluster{}} }

// Add adds a run to the cluster, which is visible from its first snapshot on. Its job ids must be unique: let runs
// start at different milliseconds.
func (m *Many) Add(ctx context.Context, run Run) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := New(ctx, run)
	if err != nil {
		return err
	}
	m.runs = append(m.runs, c)
	return m.look(ctx, c)
}

// Advance moves virtual time to at, which must not lie before Now.
func (m *Many) Advance(ctx context.Context, at dag.Instant) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at < m.now {
		return errors.New("restsim: time does not go back")
	}
	m.now = at
	for _, c := range m.runs {
		if err := m.look(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// look advances a run to now.
func (m *Many) look(ctx context.Context, c *Cluster) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.now > c.now {
		if err := c.advance(ctx, m.now); err != nil {
			return err
		}
	}
	for _, j := range c.jobs {
		if j == nil {
			continue
		}
		if other := m.jobs[j.id]; other != nil && other != c {
			return fmt.Errorf("restsim: two runs have a %s: let them start at different milliseconds", j.id)
		}
		m.jobs[j.id] = c
	}
	return nil
}

// Forget drops the runs that ended before an instant, like a ResourceManager and a history server with limited
// memory.
func (m *Many) Forget(before dag.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = slices.DeleteFunc(m.runs, func(c *Cluster) bool { return c.next == nil && c.snap.At < before })
	maps.DeleteFunc(m.jobs, func(_ string, c *Cluster) bool { return !slices.Contains(m.runs, c) })
}

// Now returns the cluster's clock.
func (m *Many) Now() dag.Instant {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Requests returns the number of requests so far.
func (m *Many) Requests() int64 { return m.requests.Load() }

// Over reports whether every run has been replayed to its end.
func (m *Many) Over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !slices.ContainsFunc(m.runs, func(c *Cluster) bool { return c.next != nil })
}

// ServeHTTP responds over a network.
func (m *Many) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, now := m.answer(r)
	a.write(w, now)
}

// RoundTrip responds without a network.
func (m *Many) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a, now := m.answer(r)
	return a.response(r, now), nil
}

func (m *Many) answer(r *http.Request) (answer, dag.Instant) {
	m.requests.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Method != http.MethodGet {
		return answer{status: http.StatusMethodNotAllowed}, m.now
	}
	rest, ofManager := strings.CutPrefix(r.URL.Path, "/ws/v1/cluster/")
	switch {
	case ofManager && rest == "apps":
		return found(m.apps(r.URL.Query())), m.now
	case ofManager && rest == "metrics":
		return found(m.metrics()), m.now
	case ofManager && rest == "nodes":
		return found(m.nodes()), m.now
	}
	c := m.jobs[jobIn(r.URL.Path)]
	if c == nil {
		if len(m.runs) == 0 || !ofManager || strings.HasPrefix(rest, "apps/") {
			return missing(r.URL.Path), m.now
		}
		c = m.runs[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.route(r.URL), m.now
}

// jobIn returns the id of the job in a path; "" if there is none.
func jobIn(path string) string {
	for _, prefix := range []string{"application_", "job_"} {
		if i := strings.Index(path, prefix); i >= 0 {
			id, _, _ := strings.Cut(path[i+len(prefix):], "/")
			return "job_" + id
		}
	}
	return ""
}

// apps lists the applications of all runs with the filters that a watcher may use.
func (m *Many) apps(q url.Values) string {
	var all []string
	for _, c := range m.runs {
		if c.Now() > m.now {
			continue
		}
		c.mu.Lock()
		all = append(all, c.list(q)...)
		c.mu.Unlock()
	}
	return appsOf(all)
}

// since returns a filter on a time; 0 if there is none. An application that has not ended counts as ended at 0.
func since(q url.Values, filter string) int64 {
	v, err := strconv.ParseInt(q.Get(filter), 10, 64)
	if err != nil {
		return 0
	}
	return v
}

func (m *Many) memory() (mb, held int) {
	for _, c := range m.runs {
		total, _, _ := c.totalMB()
		mb += total
		for _, j := range c.jobs {
			if j != nil {
				held += j.state.HeldMB
			}
		}
	}
	return mb, held
}

func (m *Many) metrics() string {
	mb, held := m.memory()
	return fmt.Sprintf(`{"clusterMetrics":{"appsSubmitted":%d,"reservedMB":0,"availableMB":%d,"allocatedMB":%d,"totalMB":%d,"totalNodes":%d,"lostNodes":0,"unhealthyNodes":0,"activeNodes":%d,"filler":"%s"}}`,
		len(m.jobs), max(0, mb-held), held, mb, m.hosts(), m.hosts(), strings.Repeat("x", 1500))
}

func (m *Many) hosts() int { return len(m.runs)/10 + 1 }

// nodes returns one node for every ten runs, like a common cluster.
func (m *Many) nodes() string {
	mb, _ := m.memory()
	all := make([]string, m.hosts())
	for i := range all {
		all[i] = fmt.Sprintf(`{"rack":"/default-rack","state":"RUNNING","id":"node-%d:45454","nodeHostName":"node-%d","nodeHTTPAddress":"node-%d:8042","lastHealthUpdate":%d,"version":"3.4.2","healthReport":"","numContainers":0,"usedMemoryMB":0,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":32}`,
			i, i, i, ms(m.now), mb/len(all))
	}
	return `{"nodes":{"node":[` + strings.Join(all, ",") + `]}}`
}
