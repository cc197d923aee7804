package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A clock is this machine's, and stands still until it is set.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

// start is an instant with seconds that are easy to read in an output.
var start = time.Unix(1_000_000_000, 0)

// at is an instant of the cluster's clock, which is an hour ahead.
func at(d time.Duration) *frame.Time {
	return frame.TimeOf(dag.InstantOf(start.Add(time.Hour + d)))
}

func newMetrics(o Options) (*Metrics, *clock) {
	c := &clock{start}
	o.Now = c.Now
	return New(o), c
}

// full is a frame with all values.
func full(id, name string, remaining time.Duration) frame.Frame {
	seconds := func(d time.Duration) *frame.Seconds { return frame.SecondsIn(&d) }
	left := seconds(remaining)
	return frame.Frame{
		At:             at(0),
		Workflow:       frame.Workflow{ID: frame.Text(id), Name: frame.Text(name), State: dag.Running},
		ElapsedSeconds: seconds(30 * time.Second), ProgressRatio: frame.RatioOf(0.25),
		Headline:  frame.Headline{RemainingSeconds: left, EndAt: at(remaining)},
		Quantiles: []frame.Quantile{{Q: 0.1, RemainingSeconds: 80}, {Q: 0.9, RemainingSeconds: 120.5}},
		Estimates: []frame.Estimate{
			{Scenario: "standard", RemainingSeconds: left},
			{Scenario: "one_failure", RemainingSeconds: seconds(2 * remaining)},
		},
		Skew: []frame.Skew{{Job: "scope-30", DelaySeconds: 12}, {Job: "scope-35", DelaySeconds: 40}},
		Alerts: []frame.Alert{{
			Bound: "deadline", State: frame.AtRisk, Probability: frame.RatioOf(0.71), DeadlineAt: at(time.Minute),
			BySeconds: seconds(30 * time.Second),
		}},
	}
}

// empty is a frame without values.
func empty(id, name string) frame.Frame {
	return frame.Frame{
		Workflow:  frame.Workflow{ID: frame.Text(id), Name: frame.Text(name), State: dag.Submitted},
		Estimates: []frame.Estimate{{Scenario: "standard"}},
		Alerts:    []frame.Alert{{Bound: "deadline", State: frame.OnTrack}},
	}
}

func ended(f frame.Frame, state dag.State) frame.Frame {
	f.Workflow.State = state
	return f
}

// scrape returns the series of this program in a scrape, without comments.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	var ours []string
	for line := range strings.Lines(get(t, m, "/metrics", nil).body) {
		if strings.HasPrefix(line, "paratimer_") {
			ours = append(ours, line)
		}
	}
	return strings.Join(ours, "")
}

type answer struct {
	status int
	header http.Header
	body   string
}

func get(t *testing.T, m *Metrics, path string, header map[string]string) answer {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{w.Code, w.Result().Header, string(b)}
}

func show(t *testing.T, m *Metrics, frames ...frame.Frame) {
	t.Helper()
	for _, f := range frames {
		if err := m.Show(frame.Tick{Frame: f}); err != nil {
			t.Fatal(err)
		}
	}
}
