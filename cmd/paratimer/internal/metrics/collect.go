package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
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
	now := c.now()
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
		out <- prometheus.MustNewConstMetric(descs[name], kind, v, labels...)
	}
	emit("build_info", 1, c.opt.Version, c.opt.Revision, c.opt.Go)
	emit("workflows", float64(now.watched))
	emit("workflows_overflow", float64(now.overflow))
	if !now.observed.IsZero() {
		emit("watcher_last_observation_timestamp_seconds", float64(now.observed.UnixMilli())/1000)
	}
	if c.opt.Every > 0 {
		emit("watcher_interval_seconds", c.opt.Every.Seconds())
	}
	emit("frames_total", float64(now.frames))
	emit("stale_frames_total", float64(now.stale))
	if now.deliver != nil {
		deliveries(emit, now.deliver())
	}
	if now.collect != nil {
		collected(emit, now.collect())
	}
	for i := range now.runs {
		now.runs[i].emit(emit)
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

func collected(emit emit, c Collected) {
	emit("collect_batches_total", float64(c.Taken))
	emit("collect_batches_refused_total", float64(c.Refused))
	emit("collect_jobs", float64(c.Jobs), "true")
	emit("collect_jobs", float64(c.Orphans), "false")
	emit("collect_bytes", float64(c.Bytes))
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

// deliveries emits the series of notifications. Several sinks of one kind share a series.
func deliveries(emit emit, all []Delivery) {
	sums := map[string]Delivery{}
	for _, d := range all {
		kind, _, _ := strings.Cut(d.Sink, "-")
		s := sums[kind]
		sums[kind] = Delivery{kind, s.Sent + d.Sent, s.Failed + d.Failed, s.Dropped + d.Dropped, s.Waiting + d.Waiting}
	}
	for kind, s := range sums {
		emit("notifications_total", float64(s.Sent), kind)
		emit("notifications_failed_total", float64(s.Failed), kind)
		emit("notifications_dropped_total", float64(s.Dropped), kind)
		emit("notifications_waiting", float64(s.Waiting), kind)
	}
}
