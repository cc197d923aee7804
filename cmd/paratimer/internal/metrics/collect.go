package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// collector creates the series at each scrape.
type collector struct{ *Metrics }

var (
	buildInfo = prometheus.NewDesc("paratimer_build_info", "1, of this program's version.",
		[]string{"version", "revision", "goversion"}, nil)
	workflows = prometheus.NewDesc("paratimer_workflows", "Queries that are watched and have not ended.", nil, nil)
	overflow  = prometheus.NewDesc("paratimer_workflows_overflow",
		"Names of workflows that have no series of their own, being too many.", nil, nil)
	watched = prometheus.NewDesc("paratimer_watcher_last_observation_timestamp_seconds",
		"When this process last observed anything, by its own clock.", nil, nil)
	interval = prometheus.NewDesc("paratimer_watcher_interval_seconds", "How often is observed while all is well.",
		nil, nil)
	frames   = prometheus.NewDesc("paratimer_frames_total", "Frames shown.", nil, nil)
	repeated = prometheus.NewDesc("paratimer_stale_frames_total",
		"Frames that repeat an older one, because an observation failed.", nil, nil)
)

// Describe lists all series that Collect may create.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		buildInfo, workflows, overflow, watched, interval, frames, repeated, sent,
		failed, dropped, waiting, batches, turnedAway, grouped, groupBytes,
	} {
		out <- d
	}
	for _, f := range families {
		out <- f.desc()
	}
}

// Collect creates the current series.
func (c collector) Collect(out chan<- prometheus.Metric) {
	now := c.now()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(buildInfo, 1, c.opt.Version, c.opt.Revision, c.opt.Go)
	gauge(workflows, float64(now.watched))
	gauge(overflow, float64(now.overflow))
	if !now.observed.IsZero() {
		gauge(watched, float64(now.observed.UnixMilli())/1000)
	}
	if c.opt.Every > 0 {
		gauge(interval, c.opt.Every.Seconds())
	}
	out <- prometheus.MustNewConstMetric(frames, prometheus.CounterValue, float64(now.frames))
	out <- prometheus.MustNewConstMetric(repeated, prometheus.CounterValue, float64(now.stale))
	c.deliveries(out)
	c.collected(out)
	for _, f := range families {
		d := f.desc()
		for i := range now.runs {
			r := &now.runs[i]
			seen := map[string]bool{} // a duplicate series would break the scrape
			f.of(r, func(v float64, labels ...string) {
				if key := strings.Join(labels, "\x00"); !seen[key] {
					seen[key] = true
					gauge(d, v, append([]string{r.name}, labels...)...)
				}
			})
		}
	}
}

// Collected counts the key groups received so far, and the memory that they use.
type Collected struct {
	Taken, Refused int // batches
	Jobs, Orphans  int // jobs that are watched, and jobs that are not
	Bytes          int
}

// Collecting adds counts of received key groups, which each scrape reads with ask.
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

// collected creates the series of received key groups.
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

// A Delivery counts the notifications of a sink so far.
type Delivery struct {
	Sink    string // its kind, up to the first dash; the rest names the target, which must not be a label
	Sent    int    // notifications that were accepted
	Failed  int    // attempts that failed
	Dropped int    // notifications that were refused, or that were too many
	Waiting int    // notifications still to be sent
}

// Deliveries adds counts of notifications, which each scrape reads with ask.
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

// deliveries creates the series of notifications. Several sinks of one kind share a series.
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
