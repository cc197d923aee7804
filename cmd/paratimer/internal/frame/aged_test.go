package frame

import (
	"errors"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// TestAgedRange checks that a range that has run out while nothing was seen is unknown, and not 0 to 0.
func TestAgedRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mid, low, high *Seconds
		age            time.Duration
		known          bool
	}{
		{seconds(10), seconds(5), seconds(30), 29 * time.Second, true},
		{seconds(10), seconds(5), seconds(30), 30 * time.Second, false},
		{nil, seconds(5), nil, 4 * time.Second, true},
		{nil, seconds(5), nil, 5 * time.Second, false},
		{nil, seconds(0), seconds(31), 40 * time.Second, false},
		{nil, nil, nil, time.Second, false},
	} {
		f := Frame{
			Workflow: Workflow{State: dag.Running}, At: TimeOf(1_000_000), ElapsedSeconds: seconds(60),
			Headline: Headline{
				RemainingSeconds: c.mid, LowSeconds: c.low, HighSeconds: c.high, EndAt: TimeOf(1_010_000),
			},
			Quantiles: []Quantile{{0.5, 10}},
		}
		got := f.Aged(c.age, errors.New("schedule: no answer"))
		h := got.Headline
		if known := h.RemainingSeconds != nil || h.LowSeconds != nil || h.HighSeconds != nil; known != c.known {
			t.Errorf("%+v after %v: %+v", f.Headline, c.age, h)
		}
		left := h.EndAt != nil || len(got.Quantiles) > 0 || got.ProgressRatio != nil
		if !c.known && f.Headline.LowSeconds != nil && left {
			t.Errorf("after %v it still has %+v", c.age, got)
		}
		if got.Warnings[0].Text != "no answer" {
			t.Errorf("the reason is %q", got.Warnings[0].Text)
		}
	}
	over := Frame{Headline: Headline{RemainingSeconds: seconds(0), LowSeconds: seconds(0), HighSeconds: seconds(0)}}
	if h := over.Older(time.Minute).Headline; h.RemainingSeconds == nil {
		t.Errorf("a query with all jobs ended: got the headline %+v", h)
	}
}

// waits returns what a snapshot waits for, without a path.
func waits(s *dag.Snapshot) string {
	on, span := WaitedFor(s, nil)
	return waitingOn(s, on, span)
}

// TestWaitsForExecutors checks what an application without executors waits for, and one that was only accepted.
func TestWaitsForExecutors(t *testing.T) {
	t.Parallel()
	s := query(1_010_000, dag.Running)
	s.Plan.Cluster.Policy, s.Nodes = dag.Executors, nil
	if got := waits(s); got != "executors: none has registered" {
		t.Errorf("it waits for %q", got)
	}
	s.Nodes = []dag.NodeState{{Name: "executor 1", Lost: true}}
	if got := waits(s); got != "executors: none is left" {
		t.Errorf("it waits for %q", got)
	}
	s.Plan.Cluster.Cores = 4
	if got := waits(s); got != "" {
		t.Errorf("it waits for %q", got)
	}
	s.Plan.Whole, s.State, s.Queue, s.Jobs[0].Started = dag.Whole{Name: "application"}, dag.Submitted, "etl", dag.NoInstant
	if got := waits(s); got != "its first container in queue etl" {
		t.Errorf("it waits for %q", got)
	}
	s.Queue = ""
	if got := waits(s); got != "the driver, which has not submitted a job yet" {
		t.Errorf("it waits for %q", got)
	}
}
