// Package metrics exports frames to Prometheus: a sink that keeps the newest frame of each run, a registry that
// creates series from them at each scrape, and a small server. It computes nothing: a value that is missing in a
// frame is a missing series, never a 0 or a -1.
//
// Names follow https://prometheus.io/docs/practices/naming. docs/alerts.md is their contract. No label contains an
// id.
package metrics

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
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
// while it makes the series, not while they are read, so that it never blocks the loop.
type Metrics struct {
	opt     Options
	ours    *prometheus.Registry // the content of a text file: a node exporter already has the metrics of its own process
	process *prometheus.Registry
	traffic traffic
	writer  *textfile // nil: none

	mu       sync.Mutex
	runs     []*run    // runs of one name follow each other; names are in the order in which they came
	observed time.Time // this machine's clock at the last good observation; zero before
	frames   int
	stale    int
	also     []func(Emit)
}

// A run has the newest frame of one run.
type run struct {
	id    string // "": it is known by its name
	name  string
	frame frame.Frame
	ended time.Time   // by this machine's clock; zero while it runs
	at    dag.Instant // of the last good observation, by the cluster's clock
}

// New returns metrics without runs.
func New(o Options) *Metrics {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Grace, o.Most = cmp.Or(o.Grace, DefaultGrace), cmp.Or(o.Most, DefaultMost)
	m := &Metrics{opt: o, ours: prometheus.NewRegistry(), process: prometheus.NewRegistry()}
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
	f.Left, f.Tasks = nil, nil // large values that no series shows

	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runOf(&f)
	r.frame = f
	m.frames++
	if slices.ContainsFunc(f.Warnings, func(w dag.Warning) bool { return w.Code == dag.WarnStale }) {
		m.stale++ // it repeats an older one
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

// runOf returns the run of a frame. It is new if neither its id nor one of its jobs' is known: a script has the id of
// its first job until more is known. A run's name may come after its id: then it is another run. The caller must
// hold the lock.
func (m *Metrics) runOf(f *frame.Frame) (r *run) {
	name, ids := workflow(f.Workflow.Name), f.IDs()
	m.runs = slices.DeleteFunc(m.runs, func(o *run) bool {
		switch {
		case !slices.Contains(ids, o.id):
			return false
		case o.name != name:
			return o.id != "" && o.id == ids[0]
		case r == nil:
			r = o
			return false
		}
		return true
	})
	if r == nil {
		r = &run{name: name, at: dag.NoInstant}
		after := len(m.runs)
		for i, o := range m.runs {
			if o.name == name {
				after = i + 1
			}
		}
		m.runs = slices.Insert(m.runs, after, r)
	}
	r.id = ids[0]
	return r
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
	m.runs = slices.DeleteFunc(m.runs, func(r *run) bool { return r.id == id })
}

// purge drops ended runs after their grace time. The caller must hold the lock.
func (m *Metrics) purge(now time.Time) {
	m.runs = slices.DeleteFunc(m.runs, func(r *run) bool {
		return !r.ended.IsZero() && now.Sub(r.ended) >= m.opt.Grace
	})
}

// shown returns the runs that have series, one for each name. Of several runs with one name it is the one that ends
// last. If there are more than Most names, the oldest ones keep their series: a new name takes none away. The caller
// must hold the lock.
func (m *Metrics) shown() (runs []run, watched, overflow int) {
	m.purge(m.opt.Now())
	for _, r := range m.runs {
		if r.ended.IsZero() {
			watched++
		}
		last := len(runs) - 1
		switch {
		case last < 0 || runs[last].name != r.name:
			runs = append(runs, *r)
		case !runs[last].endsAfter(r):
			runs[last] = *r
		}
	}
	most := min(len(runs), m.opt.Most)
	return runs[:most], watched, len(runs) - most
}

// endsAfter orders runs of one name: a running one after an ended one, then by predicted end. An unknown end is before
// all others.
func (r *run) endsAfter(o *run) bool {
	if r.ended.IsZero() != o.ended.IsZero() {
		return r.ended.IsZero()
	}
	return frame.InstantOf(r.frame.Headline.EndAt) > frame.InstantOf(o.frame.Headline.EndAt)
}

// maxLabel bounds a label's value in bytes: a query's name may be the whole query.
const maxLabel = 128

// ids matches the parts of names that differ in every run: ids of applications, jobs and Oozie's launchers.
var ids = regexp.MustCompile(`(?:application|job)_\d{6,}_\d{4,}|\d{7}-\d{15}-[\w-]+-[WCB](?:@[\w-]+)?`)

// workflow returns the label for a workflow's name. An empty label counts as none, so unnamed queries have one too.
func workflow(name *string) string {
	if name == nil || strings.TrimSpace(*name) == "" {
		return "(unnamed)"
	}
	return label(*name)
}

// label returns a valid label value for Prometheus, of bounded length and without ids.
func label(s string) string {
	s = ids.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "ID")
	if len(s) <= maxLabel {
		return s
	}
	return strings.ToValidUTF8(s[:maxLabel-len("…")], "") + "…"
}
