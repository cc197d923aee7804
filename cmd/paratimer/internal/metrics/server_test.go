package metrics

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/dag"
)

func TestOpenMetrics(t *testing.T) {
	m, _ := newMetrics(Options{})
	show(t, m, full("a", "q", time.Minute))
	got := get(t, m, "/metrics", map[string]string{"Accept": "application/openmetrics-text; version=1.0.0"})
	if ct := got.header.Get("Content-Type"); !strings.HasPrefix(ct, "application/openmetrics-text; version=1.0.0") {
		t.Errorf("content type %q", ct)
	}
	if !strings.HasSuffix(got.body, "# EOF\n") || !strings.Contains(got.body, "# TYPE paratimer_frames counter\n") {
		t.Errorf("no OpenMetrics:\n%.300s", got.body)
	}
	plain := get(t, m, "/metrics", nil)
	if ct := plain.header.Get("Content-Type"); !strings.HasPrefix(ct, "text/plain; version=0.0.4") {
		t.Errorf("content type without Accept %q", ct)
	}
	for _, want := range []string{"go_goroutines ", "process_start_time_seconds "} {
		if !strings.Contains(plain.body, want) {
			t.Errorf("no %s: the process metrics are missing", want)
		}
	}
}

func TestHealth(t *testing.T) {
	m, c := newMetrics(Options{Every: 10 * time.Second})
	ready := func(want int, when string) {
		t.Helper()
		if got := get(t, m, "/readyz", nil); got.status != want {
			t.Errorf("%s: %d %q, want %d", when, got.status, got.body, want)
		}
		if got := get(t, m, "/healthz", nil); got.status != http.StatusOK || got.body != "ok\n" {
			t.Errorf("%s: /healthz %d %q", when, got.status, got.body)
		}
	}
	ready(503, "before the first observation")
	f := full("a", "q", time.Minute)
	show(t, m, f)
	ready(200, "after it")
	c.pass(30 * time.Second)
	ready(200, "three intervals later")
	c.pass(time.Second)
	ready(503, "a second later")
	show(t, m, f.Aged(31*time.Second, io.ErrUnexpectedEOF))
	ready(503, "after a missed observation")
	m.Observed()
	ready(200, "after an answer that nothing runs")
}

func TestHeadersAndMethods(t *testing.T) {
	m, _ := newMetrics(Options{})
	for path, status := range map[string]int{
		"/": 200, "/metrics": 200, "/frames": 200, "/healthz": 200, "/readyz": 503,
		"/nothing": 404, "/metrics/x": 404,
	} {
		got := get(t, m, path, nil)
		if got.status != status {
			t.Errorf("%s: %d, want %d", path, got.status, status)
		}
		for k, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if v := got.header.Get(k); v != want {
				t.Errorf("%s: %s %q, want %q", path, k, v, want)
			}
		}
	}
}

func TestFrames(t *testing.T) {
	m, _ := newMetrics(Options{})
	show(t, m, full("a", "q", time.Minute), full("b", "r", 2*time.Minute), ended(full("c", "s", 0), dag.Failed))
	got := get(t, m, "/frames", nil)
	var names []string
	for dec := json.NewDecoder(strings.NewReader(got.body)); dec.More(); {
		var f frame.Frame
		if err := dec.Decode(&f); err != nil {
			t.Fatal(err)
		}
		names = append(names, *f.Workflow.Name+" "+f.Workflow.State.String())
	}
	if s := strings.Join(names, ", "); s != "q running, r running, s failed" {
		t.Errorf("frames of %s", s)
	}
}

// TestRebinding checks that a web page which points its own name at the loopback reads nothing.
func TestRebinding(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	m, _ := newMetrics(Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := serve.Serve(l, m.Handler(), Limits, serve.Door{}, func(err error) { t.Error(err) })
	defer stop()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for host, status := range map[string]int{
		"evil.example": 421, "evil.example:9188": 421, "": 200, "localhost:1": 200,
		"LOCALHOST": 200, "127.0.0.1": 200, "[::1]:9": 200,
	} {
		r, err := http.NewRequest(http.MethodGet, "http://"+l.Addr().String()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("Host %q: %d, want %d", host, resp.StatusCode, status)
		}
	}
	resp, err := client.Post("http://"+l.Addr().String()+"/metrics", "text/plain", bytes.NewReader(nil))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", resp.Status)
	}
}
