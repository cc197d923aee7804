package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// A script is a source that yields given snapshots.
type script = watch.Snapshots

// running is a job of two maps that has run for some seconds.
func running(seconds int64) *dag.Snapshot {
	const origin = dag.Instant(1_795_222_440_000)
	plan := &dag.Plan{
		Name: "</script><b>q",
		Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: 2, Known: true},
			dag.Stage{Known: true})}},
		Cluster: dag.Cluster{MapSlots: 1, SlotsPerNode: 1},
	}
	return &dag.Snapshot{
		Plan: plan, At: origin.Add(time.Duration(seconds) * time.Second), ID: "q1", State: dag.Running,
		Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			ID: "job_1_0001", State: dag.Running, Submitted: origin, Started: origin, Finished: dag.NoInstant,
			Stages: []dag.StageState{{Attempts: []dag.Attempt{{
				State: dag.AttemptRunning, Start: origin,
				End: dag.NoInstant, Node: -1, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
			}}}, {}},
		}},
	}
}

// stepper is a page's handler and its watch.
func stepper(snapshots ...*dag.Snapshot) (http.Handler, *watch.Watch) {
	page, w := stepped(snapshots...)
	return page.Handler(), w
}

// stepped is a page and its watch.
func stepped(snapshots ...*dag.Snapshot) (*Page, *watch.Watch) {
	src := script(snapshots)
	page := NewPage(&runreport.Collector{From: "q1", Model: cost.Costs}, 2*time.Second, time.UTC)
	all := estimators.Shared(estimators.Scenarios(), cost.Costs, estimators.Options{})
	return page, &watch.Watch{
		Source: &src, Estimators: watch.EstimatorSet{Scenarios: all}, Sinks: []watch.Sink{page}, Log: zerolog.Nop(),
	}
}

func get(h http.Handler, method, path, tag string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:9189"
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPage follows a run: before the first frame, at a frame, at the same one again, at the next.
func TestPage(t *testing.T) {
	h, watch := stepper(running(5), running(9))
	if r := get(h, "GET", "/", ""); r.StatusCode != 503 || r.Header.Get("Refresh") == "" {
		t.Errorf("before the first frame: %d, refresh %q", r.StatusCode, r.Header.Get("Refresh"))
	}
	if _, err := watch.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, path := range []string{"/", "/main"} {
		r := get(h, "GET", path, "")
		page := body(t, r)
		if r.StatusCode != 200 || strings.Contains(page, "</script><b>q") ||
			!strings.Contains(page, "running for 5s") {
			t.Fatalf("%s: %d, %.300s", path, r.StatusCode, page)
		}
		policy := r.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy lacks %s: %s", path, want, policy)
			}
		}
		tags[path] = r.Header.Get("ETag")
		if again := get(h, "GET", path, tags[path]); again.StatusCode != 304 || body(t, again) != "" {
			t.Errorf("%s: what has not changed is answered with %d", path, again.StatusCode)
		}
	}
	if _, err := watch.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, tag := range tags {
		r := get(h, "GET", path, tag)
		if page := body(t, r); r.StatusCode != 200 || !strings.Contains(page, "running for 9s") {
			t.Errorf("%s after another frame: %d, %.300s", path, r.StatusCode, page)
		}
	}
}

// TestPageIsForReaders: it answers to GET and HEAD of two paths, and on the loopback not to foreign names.
func TestPageIsForReaders(t *testing.T) {
	h, watch := stepper(running(5))
	if _, err := watch.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 200},
		{"HEAD", "/", 200},
		{"HEAD", "/main", 200},
		{"POST", "/", 405},
		{"DELETE", "/main", 405},
		{"GET", "/main/", 404},
		{"GET", "/../main", 307},
		{"GET", "/favicon.ico", 404},
	} {
		if r := get(h, c.method, c.path, ""); r.StatusCode != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, r.StatusCode, c.status)
		}
	}
	server := httptest.NewServer(h)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if page := body(t, answer); answer.StatusCode != 421 || strings.Contains(page, "running") {
		t.Errorf("a foreign name is answered with %d: %.100s", answer.StatusCode, page)
	}
}
