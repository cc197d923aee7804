package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// collector makes series of what was shown, whenever it is asked.
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

// Describe lists all series that Collect may make.
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

// Collect makes the series of now.
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
			seen := map[string]bool{} // one series twice would spoil the scrape
			f.of(r, func(v float64, labels ...string) {
				if key := strings.Join(labels, "\x00"); !seen[key] {
					seen[key] = true
					gauge(d, v, append([]string{r.name}, labels...)...)
				}
			})
		}
	}
}
