package serve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// TestBoard follows two queries, one with a hostile id: the page lists both, worst first, and leads to their live
// reports.
func TestBoard(t *testing.T) {
	t.Parallel()
	b := NewBoard(cost.Costs, 2*time.Second, time.UTC)
	h := b.Handler()
	if page := body(t, get(h, "GET", "/", "")); !strings.Contains(page, "No query was seen yet") {
		t.Errorf("before the first query: %.300s", page)
	}
	const hostile = `x/../<b>"y`
	for id, seconds := range map[string]int64{"q1": 5, hostile: 9} {
		s := running(seconds)
		s.ID = id
		src := script{s}
		all := estimators.Shared(estimators.Scenarios(), cost.Costs, estimators.Options{})
		w := watch.Watch{
			Source: &src, Estimators: watch.EstimatorSet{Scenarios: all}, Sinks: []watch.Sink{b},
			Log: zerolog.Nop(),
		}
		if _, err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r := get(h, "GET", "/", "")
	page := body(t, r)
	if r.StatusCode != 200 || !strings.Contains(page, ">2 running<") || strings.Contains(page, "<b>") ||
		!strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Fatalf("%d, %.600s", r.StatusCode, page)
	}
	if again := get(h, "GET", "/main", get(h, "GET", "/main", "").Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("what has not changed is answered with %d", again.StatusCode)
	}
	for path, want := range map[string]string{
		"/q/q1/": "running for 5s", "/q/q1/main": "running for 5s",
		"/q/x%2F..%2F%3Cb%3E%22y/": "running for 9s",
	} {
		if !strings.HasSuffix(path, "main") && !strings.Contains(page, `href="`+path[1:]+`"`) {
			t.Errorf("no link leads to %s", path)
		}
		r := get(h, "GET", path, "")
		if page := body(t, r); r.StatusCode != 200 || !strings.Contains(page, want) ||
			!strings.Contains(page, `<a href="../../">`) {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	for _, path := range []string{"/q/", "/q/q2/", "/q/q1/x"} {
		if r := get(h, "GET", path, ""); r.StatusCode != 404 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	b.Forget("q1")
	if r := get(h, "GET", "/q/q1/", ""); r.StatusCode != 404 {
		t.Errorf("a query that was dropped: got status %d", r.StatusCode)
	}
}

// TestBoardIsBounded checks that a board keeps the newest ended queries alone.
func TestBoardIsBounded(t *testing.T) {
	t.Parallel()
	b := NewBoard(cost.Costs, time.Second, time.UTC)
	for i := range 3 * mostEnded {
		id := fmt.Sprintf("q%d", i)
		f := frame.Frame{Workflow: frame.Workflow{ID: &id, State: dag.Succeeded}}
		if err := b.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.Queries()); n != mostEnded || b.queries[fmt.Sprintf("q%d", 3*mostEnded-1)] == nil {
		t.Errorf("%d ended queries are kept, the newest: %v", n, b.queries[fmt.Sprintf("q%d", 3*mostEnded-1)])
	}
}
