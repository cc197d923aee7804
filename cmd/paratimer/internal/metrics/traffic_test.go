package metrics

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLayer(t *testing.T) {
	m, c := newMetrics(Options{})
	request := func(path string, status int) {
		t.Helper()
		next := roundTrip(func(*http.Request) (*http.Response, error) {
			c.pass(200 * time.Millisecond)
			if status == 0 {
				return nil, errors.New("connection refused")
			}
			return &http.Response{StatusCode: status, Body: http.NoBody}, nil
		})
		r, err := http.NewRequest(http.MethodGet, "http://rm:8088"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := m.Layer(next).RoundTrip(r); err == nil {
			resp.Body.Close()
		}
	}
	request("/ws/v1/cluster/apps", 200)
	request("/ws/v1/cluster/metrics", 503)
	request("/ws/v1/cluster/apps", 0)
	request("/proxy/application_1_0001/ws/v1/mapreduce/jobs", 302)
	request("/proxy/application_1_0001/ws/v1/mapreduce/jobs", 0)
	request("/ws/v1/history/mapreduce/jobs", 200)
	request("/elsewhere", 999)
	got := scrape(t, m)
	for _, want := range []string{
		`paratimer_upstream_requests_total{code="200",upstream="resourcemanager"} 1`,
		`paratimer_upstream_requests_total{code="503",upstream="resourcemanager"} 1`,
		`paratimer_upstream_requests_total{code="none",upstream="resourcemanager"} 1`,
		`paratimer_upstream_errors_total{upstream="resourcemanager"} 2`,
		`paratimer_upstream_requests_total{code="302",upstream="application_master"} 1`,
		`paratimer_upstream_requests_total{code="none",upstream="application_master"} 1`,
		`paratimer_upstream_errors_total{upstream="application_master"} 1`,
		`paratimer_upstream_errors_total{upstream="history_server"} 0`,
		`paratimer_upstream_request_duration_seconds_bucket{upstream="history_server",le="0.1"} 0`,
		`paratimer_upstream_request_duration_seconds_bucket{upstream="history_server",le="0.25"} 1`,
		`paratimer_upstream_request_duration_seconds_sum{upstream="history_server"} 0.2`,
		`paratimer_upstream_requests_total{code="none",upstream="other"} 1`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "application_1_0001") {
		t.Error("an id is in a label")
	}
}

func TestTextfile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "paratimer.prom")
	m, c := newMetrics(Options{})
	var seen []error
	m.WriteTo(file, 10*time.Second, func(err error) { seen = append(seen, err) })
	check := func(when, want string) {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if !strings.Contains(string(b), "paratimer_headline_remaining_seconds{workflow=\"q\"} "+want+"\n") {
			t.Errorf("%s: not %s in\n%s", when, want, b)
		}
		for _, not := range []string{"\ngo_", "\nprocess_"} {
			if strings.Contains(string(b), not) {
				t.Errorf("%s: %s… is the node exporter's own", when, not)
			}
		}
	}
	show(t, m, full("a", "q", 50*time.Second))
	check("at once", "50")
	c.pass(9 * time.Second)
	show(t, m, full("a", "q", 41*time.Second))
	check("too early", "50")
	c.pass(time.Second)
	show(t, m, full("a", "q", 40*time.Second))
	check("after the interval", "40")
	c.pass(time.Second)
	show(t, m, ended(full("a", "q", 0), dag.Succeeded))
	check("at the end", "0")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v (%v): the node exporter is another user", info.Mode(), err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("%d files beside it (%v)", len(all)-1, err)
	}
	if len(seen) != 0 {
		t.Errorf("got the lines %v", seen)
	}
}

// TestTextfileTrouble checks that a file that cannot be written is reported once, and again once it could be.
func TestTextfileTrouble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	m, c := newMetrics(Options{})
	var seen []error
	m.WriteTo(filepath.Join(dir, "x.prom"), time.Second, func(err error) { seen = append(seen, err) })
	tick := func() {
		show(t, m, full("a", "q", 50*time.Second))
		c.pass(time.Second)
	}
	tick()
	tick()
	if len(seen) != 1 {
		t.Fatalf("got the lines %v, want one", seen)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	tick()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	tick()
	if len(seen) != 2 {
		t.Errorf("got the lines %v, want one more", seen)
	}
}
