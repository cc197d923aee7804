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
)

// traffic counts requests to the cluster.
type traffic struct {
	requests *prometheus.CounterVec
	errors   *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newTraffic() traffic {
	return traffic{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "paratimer_upstream_requests_total",
			Help: `Requests to a service, by the status of the answer; "none": no whole answer came.`,
		}, []string{"upstream", "code"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "paratimer_upstream_errors_total",
			Help: "Requests to a service that brought no whole answer, or one with a status of 500 or more.",
		}, []string{"upstream"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "paratimer_upstream_request_duration_seconds", Help: "Time from a request to the end of its answer.",
			// A healthy ResourceManager responds in about 2 ms; the client times out after 60 s.
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"upstream"}),
	}
}

func (t traffic) register(r *prometheus.Registry) {
	r.MustRegister(t.requests, t.errors, t.duration)
}

// Layer counts the requests that pass through it. It is a rest.Layer.
func (m *Metrics) Layer(next http.RoundTripper) http.RoundTripper { return layer{m, next} }

type layer struct {
	m    *Metrics
	next http.RoundTripper
}

func (l layer) RoundTrip(r *http.Request) (*http.Response, error) {
	x := exchange{m: l.m, upstream: upstream(r.URL.Path), start: l.m.opt.Now()}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		x.done(0)
		return nil, err
	}
	x.status = resp.StatusCode
	resp.Body = &body{ReadCloser: resp.Body, x: x}
	return resp, nil
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

// An exchange is a running request.
type exchange struct {
	m        *Metrics
	upstream string
	start    time.Time
	status   int
}

// done counts the exchange. Status 0 means that no complete response came.
func (x exchange) done(status int) {
	t := x.m.traffic
	code := "none"
	if status >= 100 && status <= 599 {
		code = strconv.Itoa(status)
	}
	t.requests.WithLabelValues(x.upstream, code).Inc()
	t.duration.WithLabelValues(x.upstream).Observe(x.m.opt.Now().Sub(x.start).Seconds())
	// Created with the first request, so that a rate includes the first error.
	bad := t.errors.WithLabelValues(x.upstream)
	if status == 0 || status >= 500 {
		bad.Inc()
	}
}

// A body counts its exchange when the response has been read.
type body struct {
	io.ReadCloser
	x      exchange
	once   sync.Once
	broken bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.broken = b.broken || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

func (b *body) Close() error {
	b.once.Do(func() {
		if b.broken {
			b.x.status = 0
		}
		b.x.done(b.x.status)
	})
	return b.ReadCloser.Close()
}
