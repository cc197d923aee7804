package metrics

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

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
			Help: `Requests to a service, by the status of the answer; "none": no whole answer came.`,
		}, []string{"upstream", "code"}),
		errors: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "paratimer_upstream_errors_total",
			Help: "Requests to a service that brought no whole answer, or one with a status of 500 or more.",
		}, []string{"upstream"}),
		duration: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "paratimer_upstream_request_duration_seconds", Help: "Time from a request to the end of its answer.",
			// A healthy ResourceManager responds in about 2 ms; the client times out after 60 s.
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"upstream"}),
	}
}

// Layer counts the requests that pass through it. It is a rest.Layer.
func (m *Metrics) Layer(next http.RoundTripper) http.RoundTripper {
	return promhttp.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
		x := &exchange{m: m, upstream: upstream(r.URL.Path), start: m.opt.Now()}
		resp, err := next.RoundTrip(r)
		if err != nil {
			x.count()
			return nil, err
		}
		x.ReadCloser, x.status = resp.Body, resp.StatusCode
		resp.Body = x
		return resp, nil
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

// An exchange is a request and the body of its response. It is counted when the response has been read.
type exchange struct {
	io.ReadCloser
	m        *Metrics
	upstream string
	start    time.Time
	status   int // 0: no complete response came
	once     sync.Once
}

// count counts the exchange.
func (x *exchange) count() {
	t := x.m.traffic
	code := "none"
	if x.status >= 100 && x.status <= 599 {
		code = strconv.Itoa(x.status)
	}
	t.requests.WithLabelValues(x.upstream, code).Inc()
	t.duration.WithLabelValues(x.upstream).Observe(x.m.opt.Now().Sub(x.start).Seconds())
	// Created with the first request, so that a rate includes the first error.
	bad := t.errors.WithLabelValues(x.upstream)
	if x.status == 0 || x.status >= 500 {
		bad.Inc()
	}
}

func (x *exchange) Read(p []byte) (int, error) {
	n, err := x.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		x.status = 0
	}
	return n, err
}

func (x *exchange) Close() error {
	x.once.Do(x.count)
	return x.ReadCloser.Close()
}
