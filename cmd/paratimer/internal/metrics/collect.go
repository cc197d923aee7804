package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// collector creates the series at each scrape.
type collector struct{ *Metrics }

// Describe lists all series that Collect may create.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descs {
		out <- d
	}
}

// Collect creates the current series.
func (c collector) Collect(out chan<- prometheus.Metric) {
	for _, m := range c.gather() {
		out <- m
	}
}

func (m *Metrics) gather() (all []prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	runs, watched, overflow := m.shown()
	seen := map[string]bool{} // a duplicate series would break the scrape
	emit := func(name string, v float64, labels ...string) {
		key := name + "\x00" + strings.Join(labels, "\x00")
		if seen[key] {
			return
		}
		seen[key] = true
		kind := prometheus.GaugeValue
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		all = append(all, prometheus.MustNewConstMetric(descs[name], kind, v, labels...))
	}
	emit("build_info", 1, m.opt.Version, m.opt.Revision, m.opt.Go)
	emit("workflows", float64(watched))
	emit("workflows_overflow", float64(overflow))
	if !m.observed.IsZero() {
		emit("watcher_last_observation_timestamp_seconds", float64(m.observed.UnixMilli())/1000)
	}
	if m.opt.Every > 0 {
		emit("watcher_interval_seconds", m.opt.Every.Seconds())
	}
	emit("frames_total", float64(m.frames))
	emit("stale_frames_total", float64(m.stale))
	for _, series := range m.also {
		series(emit)
	}
	for i := range runs {
		runs[i].emit(emit)
	}
	return all
}

// Also adds series, which are emitted at each scrape.
func (m *Metrics) Also(series func(Emit)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.also = append(m.also, series)
}

// Deliveries emits the series of notifications. A sink is labeled by its kind, up to the first dash: the rest names the
// target, which must not be a label. Several sinks of one kind share a series.
func Deliveries(emit Emit, all []notify.Stat) {
	sums := map[string]notify.Stat{}
	for _, d := range all {
		kind, _, _ := strings.Cut(d.Sink, "-")
		s := sums[kind]
		s.Sent, s.Failed = s.Sent+d.Sent, s.Failed+d.Failed
		s.Dropped, s.Waiting = s.Dropped+d.Dropped, s.Waiting+d.Waiting
		sums[kind] = s
	}
	for kind, s := range sums {
		emit("notifications_total", float64(s.Sent), kind)
		emit("notifications_failed_total", float64(s.Failed), kind)
		emit("notifications_dropped_total", float64(s.Dropped), kind)
		emit("notifications_waiting", float64(s.Waiting), kind)
	}
}
