package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
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
			t.Errorf("no %s: the process says nothing of itself", want)
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
	for path, status := range map[string]int{"/": 200, "/metrics": 200, "/frames": 200, "/healthz": 200, "/readyz": 503, "/nothing": 404, "/metrics/x": 404} {
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

// TestRebinding holds that a web page which points its own name at the loopback reads nothing.
func TestRebinding(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	m, _ := newMetrics(Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := m.Serve(l, func(err error) { t.Error(err) })
	defer stop()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for host, status := range map[string]int{"evil.example": 421, "evil.example:9188": 421, "": 200, "localhost:1": 200, "LOCALHOST": 200, "127.0.0.1": 200, "[::1]:9": 200} {
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

// A crowd is a listener at which somebody always waits to be let in.
type crowd struct {
	net.Listener
	in int // who was let in so far
}

func (c *crowd) Accept() (net.Conn, error) {
	c.in++
	near, _ := net.Pipe()
	return near, nil
}

func (c *crowd) Close() error { return nil }

// TestConnections holds that connections are bounded: one more waits until another one goes, or the listener closes.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outside := &crowd{}
		l := limited(outside, 2)
		accepted, ended := make(chan net.Conn, 10), make(chan error, 1)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					ended <- err
					return
				}
				accepted <- c
			}
		}()
		synctest.Wait()
		if outside.in != 2 {
			t.Fatalf("%d are in, want 2", outside.in)
		}
		one := <-accepted
		one.Close()
		one.Close() // it gives its place back once
		synctest.Wait()
		if outside.in != 3 {
			t.Fatalf("%d were let in after one has gone, want 3", outside.in)
		}
		l.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed listener: %v", err)
		}
	})
}

func TestAddress(t *testing.T) {
	for typed, want := range map[string]struct {
		address string
		exposed bool
	}{
		"9188":             {"127.0.0.1:9188", false},
		":9188":            {"127.0.0.1:9188", false},
		"localhost:9188":   {"localhost:9188", false},
		"127.0.0.2:9188":   {"127.0.0.2:9188", false},
		"[::1]:9188":       {"[::1]:9188", false},
		"0.0.0.0:9188":     {"0.0.0.0:9188", true},
		"[::]:9188":        {"[::]:9188", true},
		"gateway:9188":     {"gateway:9188", true},
		"10.1.2.3:9188":    {"10.1.2.3:9188", true},
		"localhost.x:9188": {"localhost.x:9188", true},
	} {
		address, exposed, err := Address(typed)
		if err != nil || address != want.address || exposed != want.exposed {
			t.Errorf("%s: %s, exposed %v, %v; want %s, %v", typed, address, exposed, err, want.address, want.exposed)
		}
	}
	for _, typed := range []string{"", ":", "x", ":http-alt-x", ":99999", ":-1", "1:2:3", "http://localhost:9188"} {
		if address, _, err := Address(typed); err == nil {
			t.Errorf("%q is taken as %s", typed, address)
		}
	}
}
