//go:build e2e

package e2e

import (
	"slices"
	"testing"
)

// TestTez runs the join as a DAG of Tez twice: of the first run nothing is known before, the second one is watched with
// the profile of the first. Vertices and edges come from the log files of the DAG's master.
func TestTez(t *testing.T) {
	l := up(t, "--with", "tez")
	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "")
	w.ends(0, "succeeded")
	pig.succeed()
	last := w.last()
	if len(last.Jobs) != 1 || len(last.Jobs[0].Stages) != 5 {
		t.Fatalf("the DAG is seen as %+v", last.Jobs)
	}
	edges := 0
	for _, s := range last.Jobs[0].Stages {
		edges += len(s.After)
		if s.Total == nil || s.Done != *s.Total || s.Done == 0 {
			t.Errorf("at the end vertex %s has %d of %v tasks done", s.Name, s.Done, s.Total)
		}
	}
	if edges != 4 {
		t.Errorf("%d edges are known, want 4: %+v", edges, last.Jobs[0].Stages)
	}
	if !slices.ContainsFunc(w.frames, func(f frame) bool { return len(f.Jobs) == 1 && f.Jobs[0].running() > 0 }) {
		t.Error("no task was seen running")
	}
	w.plays(0)
	bare := w.score("bare")
	profile := w.learn()

	again := l.client("pig-again", append([]string{"pig"}, joinSmall...)...)
	l.await("the second run", func() bool { return len(l.apps()) > 1 })
	second := l.attach("attach-again", "", "--profile", profile)
	second.ends(0, "succeeded")
	again.succeed()
	second.numberAtOnce()
	known := second.score("profile", "--profile", profile)
	l.tell("join on Tez, twice", bare, &known, "",
		"vertices and edges from the master's log files; the second run with the profile of the first; replay, score, learn")
}

func (j jobState) running() (n int) {
	for _, s := range j.Stages {
		n += s.Running
	}
	return n
}
