package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
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
	maxScrapes     = 4
	maxConnections = 64
	scrapeTime     = 10 * time.Second
)

// readyIntervals is how many intervals may pass without an observation before the process is not ready.
const readyIntervals = 3

// Handler answers /metrics (OpenMetrics where Accept asks for it), /frames (the newest frame of each run, as NDJSON),
// /healthz and /readyz.
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

// serveFrames writes the newest frame of each run as one line of JSON. Its contract is docs/frames.md.
func (m *Metrics) serveFrames(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	for _, r := range m.now().runs {
		if enc.Encode(r.frame) != nil {
			return // the reader has gone
		}
	}
}

// Ready says whether the process observes: within three intervals, which count as a second at least.
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
			readyIntervals,
			m.opt.Every)
	}
	return nil
}

// Serve answers on l those whom the door lets in, until stop is called, which waits for answers under way, for a
// moment. What goes wrong is told to failed.
func (m *Metrics) Serve(l net.Listener, d serve.Door, failed func(error)) (stop func()) {
	return serve.Serve(l, m.Handler(), serve.Limits{Connections: maxConnections, Time: scrapeTime}, d, failed)
}

// textfile is where the metrics are written to for a node exporter's textfile collector.
type textfile struct {
	path  string
	every time.Duration
	warn  func(error)

	mu      sync.Mutex
	written time.Time
	failed  bool
}

// WriteTo has the metrics written to a file with frames, at most each time every, and at a run's end. The file is
// replaced as a whole. If it cannot be written, warn is called once, and watching goes on.
func (m *Metrics) WriteTo(path string, every time.Duration, warn func(error)) {
	m.writer = &textfile{path: path, every: every, warn: warn}
}

// text writes the file if it is time.
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
	// WriteToTextfile writes beside the file, readable for everybody, and renames.
	err := prometheus.WriteToTextfile(w.path, m.ours)
	if err != nil && !w.failed {
		w.warn(fmt.Errorf("cannot write the metrics: %w", err))
	}
	w.failed = err != nil
}
