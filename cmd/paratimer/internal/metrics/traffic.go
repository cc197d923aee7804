package metrics

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// traffic counts requests to the cluster.
type traffic struct {
	requests *prometheus.CounterVec
	errors   *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newTraffic(r prometheus.Registerer) traffic {
	auto := promauto.With(r)
	return traffic{
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "paratimer_upstream_requests_total",
			Help: `Requests to a service, by the status of the answer; "none": no answer came.`,
		}, []string{"upstream", "code"}),
		errors: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "paratimer_upstream_errors_total",
			Help: "Requests to a service that brought no answer, or one with a status of 500 or more.",
		}, []string{"upstream"}),
		duration: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "paratimer_upstream_request_duration_seconds", Help: "Time from a request to the headers of its answer.",
			// A healthy ResourceManager responds in about 2 ms; the client times out after 60 s.
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"upstream"}),
	}
}

// Layer counts the requests that pass through it, when their headers have come. It is a rest.Layer.
func (m *Metrics) Layer(next http.RoundTripper) http.RoundTripper {
	return promhttp.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
		to, start := upstream(r.URL.Path), m.opt.Now()
		resp, err := next.RoundTrip(r)
		m.traffic.duration.WithLabelValues(to).Observe(m.opt.Now().Sub(start).Seconds())
		code := "none"
		if err == nil && resp.StatusCode >= 100 && resp.StatusCode <= 599 {
			code = strconv.Itoa(resp.StatusCode)
		}
		m.traffic.requests.WithLabelValues(to, code).Inc()
		// Created with the first request, so that a rate includes the first error.
		bad := m.traffic.errors.WithLabelValues(to)
		if code == "none" || resp.StatusCode >= 500 {
			bad.Inc()
		}
		return resp, err
	})
}

// upstream returns the service that a request is for, from a fixed set.
func upstream(path string) string {
	for _, s := range [...]struct{ part, name string }{
		{"/ws/v1/cluster/", "resourcemanager"},
		{"/proxy/", "application_master"},
		{"/ws/v1/history/", "history_server"},
	} {
		if strings.Contains(path, s.part) {
			return s.name
		}
	}
	return "other"
}
