package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/units"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of the server. A scrape of a hundred workflows takes some milliseconds.
const (
	maxScrapes = 4
	scrapeTime = 10 * time.Second
)

// Limits are those of the server.
var Limits = serve.Limits{Connections: 64, Time: scrapeTime}

// readyIntervals is the number of intervals without an observation after which the process is not ready.
const readyIntervals = 3

// Handler serves /metrics (OpenMetrics if the request accepts it), /frames (the newest frame of each run, as
// NDJSON), /healthz and /readyz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{m.ours, m.process}, promhttp.HandlerOpts{
		EnableOpenMetrics: true, MaxRequestsInFlight: maxScrapes, Timeout: scrapeTime,
		ErrorHandling: promhttp.ContinueOnError, // one bad series must not hide the others
	}))
	mux.HandleFunc("GET /frames", m.serveFrames)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := m.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ParaTimer: /metrics, /frames, /healthz, /readyz")
	})
	return serve.Guarded(mux)
}

// serveFrames writes the newest frame of each run as a line of JSON. docs/frames.md is its contract.
func (m *Metrics) serveFrames(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	m.mu.Lock()
	runs, _, _ := m.shown()
	m.mu.Unlock()
	for _, r := range runs {
		if enc.Encode(r.frame) != nil {
			return // the client has disconnected
		}
	}
}

// Ready returns an error if the last observation is more than three intervals old. An interval counts as at least a
// second.
func (m *Metrics) Ready() error {
	m.mu.Lock()
	observed := m.observed
	m.mu.Unlock()
	if observed.IsZero() {
		return errors.New("nothing was observed yet")
	}
	age := m.opt.Now().Sub(observed)
	if limit := readyIntervals * max(m.opt.Every, time.Second); m.opt.Every > 0 && age > limit {
		return fmt.Errorf("the last observation is %v old, more than %d intervals of %v", units.Short(age),
			readyIntervals, m.opt.Every)
	}
	return nil
}

// textfile is the file for a node exporter's textfile collector.
type textfile struct {
	path  string
	every time.Duration
	warn  func(error)

	mu      sync.Mutex
	written time.Time
	failed  bool
}

// WriteTo makes Show write the metrics to a file, at most once every interval, and at a run's end. The file is
// replaced as a whole. If it cannot be written, warn is called once, and watching continues.
func (m *Metrics) WriteTo(path string, every time.Duration, warn func(error)) {
	m.writer = &textfile{path: path, every: every, warn: warn}
}

// text writes the file if it is due.
func (m *Metrics) text(last bool) {
	w := m.writer
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := m.opt.Now()
	if !last && !w.written.IsZero() && now.Sub(w.written) < w.every {
		return
	}
	w.written = now
	// WriteToTextfile writes a temporary file, readable by everyone, and renames it.
	err := prometheus.WriteToTextfile(w.path, m.ours)
	if err != nil && !w.failed {
		w.warn(fmt.Errorf("cannot write the metrics: %w", err))
	}
	w.failed = err != nil
}
