package whatif

import (
	"errors"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
)

func example(t *testing.T, name string) *Replay {
	t.Helper()
	p, err := planfile.ReadFile("../../examples/"+name+".yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return planned(p)
}

func predicted(t *testing.T, r *Replay, f Failure) Answer {
	t.Helper()
	a, err := r.Predict(Change{Failures: []Failure{f}})
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return a
}

// The paper's pessimistic scenario (section 3.2.1): the longest task fails right before it finishes. On the query of
// section 4.2 that is the lonely last map of j2, whose 727 s are all added (facts/paratimer.md A2).
func TestWorstTask(t *testing.T) {
	r := example(t, "paper-4.2GB")
	base := endIn(t, r, Change{})
	a := predicted(t, r, Failure{What: FailTask})
	if *a.Remaining != base+727*time.Second || a.Note != "j2:m16" {
		t.Errorf("%v after %v, by %s", *a.Remaining, base, a.Note)
	}
	// A failure that costs no time on the critical path costs nothing.
	if a := predicted(t, r, Failure{What: FailTask, Job: "j1", Stage: "reduce", Task: 3}); *a.Remaining != base {
		t.Errorf("a reduce of j1 costs %v", *a.Remaining-base)
	}
	if _, err := r.Predict(Change{Failures: []Failure{{What: FailTask, Job: "j1", Stage: "map", Task: 4}}}); err == nil {
		t.Error("j1 has four maps")
	}
	if _, err := r.Predict(Change{Failures: []Failure{{What: FailJob, Job: "j9"}}}); err == nil {
		t.Error("there is no j9")
	}
}

// Alone, a job that starts again just before its end takes twice its time, but for a millisecond.
func TestJobStartsAgain(t *testing.T) {
	r := planned(equal(10, 4, 3))
	base := endIn(t, r, Change{})
	if a := predicted(t, r, Failure{What: FailJob, Job: "j"}); *a.Remaining != 2*base-time.Millisecond {
		t.Errorf("%v, once it takes %v", *a.Remaining, base)
	}
}

// Four maps of 20 ms on two nodes of two slots, then two reduces of 30 ms, one a node (slots 0 and 1 are node 0's:
// both). The worst is that node 0 is lost just before the reduces end, at 49 ms: its two maps run again on node 1, then
// both reduces.
func TestWorstNode(t *testing.T) {
	p := equal(4, 2, 4)
	p.Cluster.SlotsPerNode = 2
	a := predicted(t, planned(p), Failure{What: FailNode})
	if want := (49 + 20 + 30) * time.Millisecond; *a.Remaining != want || a.Note != "node 0 after 0s" {
		t.Errorf("%v, want %v, by %s", *a.Remaining, want, a.Note)
	}
	p.Cluster.SlotsPerNode = 4
	var cannot *UnsupportedError
	if _, err := planned(p).Predict(Change{Failures: []Failure{{What: FailNode}}}); !errors.As(err, &cannot) {
		t.Errorf("one node: %v", err)
	}
	// Where the only node with reduce slots is lost, nothing helps.
	p.Cluster.SlotsPerNode, p.Cluster.ReduceSlots = 2, 2
	if a := predicted(t, planned(p), Failure{What: FailNode}); a.Remaining != nil || a.Note == "" {
		t.Errorf("%v, %s", a.Remaining, a.Note)
	}
}

// On YARN a task that is tried again is asked for a heartbeat later, so it costs more than its length, and no more than
// three heartbeats more where all else stands still.
func TestWorstTaskOnYARN(t *testing.T) {
	r := example(t, "pig-join")
	base := endIn(t, r, Change{})
	for _, f := range []Failure{{What: FailTask}, {What: FailJob, Job: "scope-50"}} {
		if a := predicted(t, r, f); *a.Remaining <= base || *a.Remaining > 2*base {
			t.Errorf("%s: %v, base %v, by %s", f, *a.Remaining, base, a.Note)
		}
	}
}

// A failure is replayed from the moment at which it happens. Going on from any moment without one ends when the whole
// replay does, so that what a failure moves is its cost: a job that loses nothing, because nothing of it has run, costs
// nothing.
func TestGoingOnIsNoFailure(t *testing.T) {
	r := example(t, "pig-join")
	w, err := r.clusterState(Change{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.course()
	if err != nil {
		t.Fatal(err)
	}
	for at := dag.Instant(0); at < c.End; at += 1000 {
		s, err := c.from(at, func(*dag.Snapshot) {}).end(nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.End > c.End+1000 {
			t.Errorf("going on from %d ends at %d, the whole at %d", at, s.End, c.End)
		}
	}
	// The last job is alone: it costs what it took, from its master's start on, but for what the restart saves of the
	// submission.
	base := endIn(t, r, Change{})
	a := predicted(t, r, Failure{What: FailJob, Job: "scope-50"})
	last := c.End - c.Submitted[2]
	if cost := *a.Remaining - base; cost < time.Duration(last-3000)*time.Millisecond ||
		cost > time.Duration(last+3000)*time.Millisecond {
		t.Errorf("the last job took %d ms and costs %v", last, cost)
	}
}
