package frame

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// TestUnconfirmed: all jobs have succeeded and their history is not there: nothing remains since their end, whatever an
// estimator predicts, the frame shows which service the query waits for, and nothing counts as stalled.
func TestUnconfirmed(t *testing.T) {
	s := query(1_100_000, dag.Succeeded)
	s.State, s.At = dag.Running, 1_160_000
	left := 340 * time.Second
	later := Answers{Scenarios: []estimators.Estimate{{Scenario: "standard", Remaining: &left}}}
	f := Of(s, later, nil)
	switch {
	case f.WaitingOn == nil || *f.WaitingOn != "the history server to report how it ended":
		t.Errorf("waits for %v", f.WaitingOn)
	case f.Headline.RemainingSeconds == nil || *f.Headline.RemainingSeconds != 0 || f.Headline.EndAt == nil ||
		f.Headline.EndAt.Instant != 1_100_000:
		t.Errorf("headline %+v", f.Headline)
	case f.ProgressRatio == nil || *f.ProgressRatio != 1 || f.Digest != 0 || f.Workflow.State != dag.Running:
		t.Errorf("%+v", f)
	}
	s.Jobs[0].State = dag.Running
	if f := Of(s, later, nil); f.Digest == 0 || *f.Headline.RemainingSeconds != 340 {
		t.Errorf("a job runs: %+v", f.Headline)
	}
}
