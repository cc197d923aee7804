package metrics

import (
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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
// replaced as a whole. A file that cannot be written is told to warn once, until it can be again: it is no reason to
// stop watching.
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
