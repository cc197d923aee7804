package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// A Delivery is what a sink of notifications was sent so far.
type Delivery struct {
	Sink    string // its kind, up to the first dash: what follows tells its target, which is no label
	Sent    int    // notifications that were taken
	Failed  int    // attempts that failed
	Dropped int    // notifications that were refused, or too many
	Waiting int    // notifications still to be sent
}

// Deliveries has the counts of notifications asked for at each scrape.
func (m *Metrics) Deliveries(ask func() []Delivery) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deliver = ask
}

var (
	sent = prometheus.NewDesc("paratimer_notifications_total", "Notifications that a sink has taken.",
		[]string{"sink"}, nil)
	failed = prometheus.NewDesc("paratimer_notifications_failed_total",
		"Attempts to deliver a notification that failed.", []string{"sink"}, nil)
	dropped = prometheus.NewDesc("paratimer_notifications_dropped_total",
		"Notifications that a sink has refused, or that were too many.", []string{"sink"}, nil)
	waiting = prometheus.NewDesc("paratimer_notifications_waiting", "Notifications that are still to be delivered.",
		[]string{"sink"}, nil)
)

// deliveries makes the series of notifications. Several sinks of one kind are one series.
func (m *Metrics) deliveries(out chan<- prometheus.Metric) {
	m.mu.Lock()
	ask := m.deliver
	m.mu.Unlock()
	if ask == nil {
		return
	}
	sums := map[string]Delivery{}
	for _, d := range ask() {
		kind, _, _ := strings.Cut(d.Sink, "-")
		s := sums[kind]
		sums[kind] = Delivery{kind, s.Sent + d.Sent, s.Failed + d.Failed, s.Dropped + d.Dropped, s.Waiting + d.Waiting}
	}
	for kind, s := range sums {
		counter := func(d *prometheus.Desc, v int) {
			out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), kind)
		}
		counter(sent, s.Sent)
		counter(failed, s.Failed)
		counter(dropped, s.Dropped)
		out <- prometheus.MustNewConstMetric(waiting, prometheus.GaugeValue, float64(s.Waiting), kind)
	}
}
