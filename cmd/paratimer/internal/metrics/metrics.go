// Package metrics exports frames to Prometheus: a sink that keeps the newest frame of each run, a registry that
// creates series from them at each scrape, and a small server. It computes nothing: a value that is missing in a
// frame is a missing series, never a 0 or a -1.
//
// Names follow https://prometheus.io/docs/practices/naming. docs/metrics.md is their contract. No label contains an
// id.
package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// Defaults of Options.
const (
	DefaultGrace = 5 * time.Minute // with a scrape every minute the end is seen even if one scrape fails
	DefaultMost  = 100
)

// Options configure Metrics. The zero value of each field is its default.
type Options struct {
	// Now is this machine's clock; nil is time.Now. Frames have the cluster's.
	Now func() time.Time
	// Every is the interval of observations; 0 if there are no waits, as in a replay.
	Every time.Duration
	// Grace is how long the series of an ended run stay; default DefaultGrace.
	Grace time.Duration
	// Most is how many workflows have their own series, by name; default DefaultMost.
	Most int

	Version, Revision, Go string // of paratimer_build_info
}

// Metrics is a sink of frames, and the source of scrapes. Several goroutines may use it. A scrape locks it only
// while it copies the data, so that it never blocks the loop.
type Metrics struct {
	opt     Options
	ours    *prometheus.Registry // the content of a text file: a node exporter already has the metrics of its own process
	process *prometheus.Registry
	traffic traffic
	writer  *textfile // nil: none

	mu       sync.Mutex
	runs     map[string]*run
	next     uint64
	observed time.Time // this machine's clock at the last good observation; zero before
	frames   int
	stale    int
	deliver  func() []Delivery
	collect  func() Collected
}

// A run has the newest frame of one run.
type run struct {
	name  string
	frame frame.Frame
	seq   uint64
	// nameSeq is the seq of the first run of its name, as long as runs of this name follow each other.
	nameSeq uint64
	ended   time.Time // by this machine's clock; zero while it runs
	// at is the last good observation, by the cluster's clock.
	at dag.Instant
}

// New returns metrics without runs.
func New(o Options) *Metrics {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Grace, o.Most = cmp.Or(o.Grace, DefaultGrace), cmp.Or(o.Most, DefaultMost)
	m := &Metrics{
		opt: o, ours: prometheus.NewRegistry(), process: prometheus.NewRegistry(), runs: map[string]*run{},
	}
	m.traffic = newTraffic(m.ours)
	m.ours.MustRegister(collector{m})
	m.process.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Show records the newest frame of a run.
func (m *Metrics) Show(tick frame.Tick) error {
	m.take(tick.Frame)
	m.text(tick.Frame.Workflow.State.Ended())
	return nil
}

func (m *Metrics) take(f frame.Frame) {
	now := m.opt.Now()
	name := workflow(f.Workflow.Name)
	id := "name " + name
	if f.Workflow.ID != nil {
		id = "id " + *f.Workflow.ID
	}
	f.Left, f.Tasks = nil, nil // large values that no series shows

	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[id]
	if r == nil || r.name != name { // a run's name may come after its id
		m.next++
		r = &run{name: name, seq: m.next, nameSeq: m.next, at: dag.NoInstant}
		for _, other := range m.runs {
			if other.name == name {
				r.nameSeq = min(r.nameSeq, other.nameSeq)
			}
		}
		m.runs[id] = r
	}
	m.adopt(f, id, name)
	r.frame = f
	m.frames++
	if stale(f) {
		m.stale++
	} else {
		m.observed = now
		if f.At != nil {
			r.at = f.At.Instant
		}
	}
	if !f.Workflow.State.Ended() {
		r.ended = time.Time{}
	} else if r.ended.IsZero() {
		r.ended = now
		m.purge(now)
	}
}

// adopt drops a run that had the id of its script's first job, while only that job was known. The caller must hold
// the lock.
func (m *Metrics) adopt(f frame.Frame, id, name string) {
	for i := range f.Jobs {
		if job := f.Jobs[i].ID; job != nil {
			if before := "id " + *job; before != id && m.runs[before] != nil && m.runs[before].name == name {
				delete(m.runs, before)
			}
		}
	}
}

// stale reports whether a frame repeats an older one.
func stale(f frame.Frame) bool {
	return slices.ContainsFunc(f.Warnings, func(w dag.Warning) bool { return w.Code == dag.WarnStale })
}

// Observed records that the cluster has responded, even if nothing runs there.
func (m *Metrics) Observed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observed = m.opt.Now()
}

// Forget drops the series of a run that is no longer watched, by its workflow id.
func (m *Metrics) Forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.runs, "id "+id)
}

// purge drops ended runs after their grace time. The caller must hold the lock.
func (m *Metrics) purge(now time.Time) {
	maps.DeleteFunc(m.runs, func(_ string, r *run) bool {
		return !r.ended.IsZero() && now.Sub(r.ended) >= m.opt.Grace
	})
}
