package metrics

import "github.com/prometheus/client_golang/prometheus"

// Collected is what came of key groups so far, and what is held of it.
type Collected struct {
	Taken, Refused int // batches
	Jobs, Orphans  int // that are watched, and that are not
	Bytes          int
}

// Collecting has the counts of what taps told asked for at each scrape.
func (m *Metrics) Collecting(ask func() Collected) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.collect = ask
}

var (
	batches = prometheus.NewDesc("paratimer_collect_batches_total", "Batches of key groups that were taken in.", nil,
		nil)
	turnedAway = prometheus.NewDesc("paratimer_collect_batches_refused_total",
		"Batches of key groups that were refused.", nil, nil)
	grouped = prometheus.NewDesc("paratimer_collect_jobs", "Jobs whose key groups are held.", []string{"watched"},
		nil)
	groupBytes = prometheus.NewDesc("paratimer_collect_bytes", "Memory that key groups take.", nil, nil)
)

// collected makes the series of what taps told.
func (m *Metrics) collected(out chan<- prometheus.Metric) {
	m.mu.Lock()
	ask := m.collect
	m.mu.Unlock()
	if ask == nil {
		return
	}
	is := ask()
	out <- prometheus.MustNewConstMetric(batches, prometheus.CounterValue, float64(is.Taken))
	out <- prometheus.MustNewConstMetric(turnedAway, prometheus.CounterValue, float64(is.Refused))
	out <- prometheus.MustNewConstMetric(grouped, prometheus.GaugeValue, float64(is.Jobs), "true")
	out <- prometheus.MustNewConstMetric(grouped, prometheus.GaugeValue, float64(is.Orphans), "false")
	out <- prometheus.MustNewConstMetric(groupBytes, prometheus.GaugeValue, float64(is.Bytes))
}
