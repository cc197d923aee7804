package metrics

import (
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
	DefaultGrace = 5 * time.Minute // a scrape a minute sees the end, even after a failed one
	DefaultMost  = 100
)

// Options say what is shown. The zero value of each field is its default.
type Options struct {
	// Now is this machine's clock; nil is time.Now. Frames carry the cluster's.
	Now func() time.Time
	// Every is how often is observed; 0 where nothing waits, as in a replay.
	Every time.Duration
	// Grace is how long the series of a run that has ended stay; DefaultGrace.
	Grace time.Duration
	// Most is how many workflows have series of their own, by name; DefaultMost.
	Most int

	Version, Revision, Go string // of paratimer_build_info
}

// Metrics is a sink of frames, and what a scrape sees. Several goroutines may use it. A scrape holds its lock only
// while it copies what was shown, so that it never holds up the loop.
type Metrics struct {
	opt     Options
	ours    *prometheus.Registry // what a text file holds: a node exporter has a process's own metrics already
	process *prometheus.Registry
	traffic traffic
	writer  *textfile // nil: none

	mu       sync.Mutex
	runs     map[string]*run
	names    map[string]uint64 // when a name was first seen, while it has runs
	next     uint64
	observed time.Time // this machine's clock at the last good observation; zero before
	frames   int
	stale    int
	deliver  func() []Delivery
	collect  func() Collected
}

// A run is what was last said of one run.
type run struct {
	name  string
	frame frame.Frame
	seq   uint64
	ended time.Time // by this machine's clock; zero while it runs
	// at is the last good observation, by the cluster's clock.
	at dag.Instant
}

// New returns metrics of nothing yet.
func New(o Options) *Metrics {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	m := &Metrics{
		opt: o, ours: prometheus.NewRegistry(), process: prometheus.NewRegistry(), traffic: newTraffic(),
		runs: map[string]*run{}, names: map[string]uint64{},
	}
	m.ours.MustRegister(collector{m})
	m.traffic.register(m.ours)
	m.process.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Show takes the newest frame of a run.
func (m *Metrics) Show(tick frame.Tick) error {
	f := tick.Frame
	m.take(f)
	m.text(f.Workflow.State.Ended())
	return nil
}

func (m *Metrics) take(f frame.Frame) {
	now := m.opt.Now()
	name := workflow(f.Workflow.Name)
	id := "name " + name
	if f.Workflow.ID != nil {
		id = "id " + *f.Workflow.ID
	}
	f.Left, f.Tasks = nil, nil // thousands of values, and a snapshot with its schedule, that no series shows

	m.mu.Lock()
	defer m.mu.Unlock()
	m.adopt(f, id, name)
	r := m.runs[id]
	if r == nil || r.name != name { // a run's name may come after its id
		m.next++
		m.drop(id)
		r = &run{name: name, seq: m.next, at: dag.NoInstant}
		m.runs[id] = r
		if _, seen := m.names[name]; !seen {
			m.names[name] = m.next
		}
	}
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

// adopt drops what was shown of a script while only its first job was known: it had that job's id. The lock is held.
func (m *Metrics) adopt(f frame.Frame, id, name string) {
	for i := range f.Jobs {
		if job := f.Jobs[i].ID; job != nil {
			if before := "id " + *job; before != id && m.runs[before] != nil && m.runs[before].name == name {
				delete(m.runs, before) // not its name, which the run keeps
			}
		}
	}
}

// stale says whether a frame repeats an older one.
func stale(f frame.Frame) bool {
	return slices.ContainsFunc(f.Warnings, func(w dag.Warning) bool { return w.Code == dag.WarnStale })
}

// Observed says that the cluster has answered, though perhaps nothing runs there.
func (m *Metrics) Observed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observed = m.opt.Now()
}

// Forget drops the series of a run that is not watched any more, by its workflow id.
func (m *Metrics) Forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop("id " + id)
}

// drop forgets a run, and its name with the last run of it. The lock is held.
func (m *Metrics) drop(id string) {
	r := m.runs[id]
	if r == nil {
		return
	}
	delete(m.runs, id)
	for _, other := range m.runs {
		if other.name == r.name {
			return
		}
	}
	delete(m.names, r.name)
}

// purge drops runs whose grace is over. The lock is held.
func (m *Metrics) purge(now time.Time) {
	for id, r := range m.runs {
		if !r.ended.IsZero() && now.Sub(r.ended) >= m.opt.Grace {
			m.drop(id)
		}
	}
}
