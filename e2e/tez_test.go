//go:build e2e

package e2e

import (
	"slices"
	"strings"
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

// TestHive runs a query of Hive on Tez: GROUP BYs, a join and an ORDER BY. What it compares with is in nothing that is
// written.
func TestHive(t *testing.T) {
	l := up(t, "--with", "hive")
	client := l.client("hive", "hive", "report")
	l.await("Hive's session", func() bool {
		return slices.ContainsFunc(l.apps(), func(a app) bool { return strings.HasPrefix(a.Name, "HIVE-") })
	})
	w := l.attach("attach", "", "--session=false")
	w.ends(0, "succeeded")
	client.succeed()
	last := w.last()
	if len(last.Jobs) != 1 || len(last.Jobs[0].Stages) != 6 {
		t.Fatalf("the DAG is seen as %+v", last.Jobs)
	}
	edges := 0
	for _, s := range last.Jobs[0].Stages {
		edges += len(s.After)
		if !strings.HasPrefix(s.Name, "Map ") && !strings.HasPrefix(s.Name, "Reducer ") {
			t.Errorf("a vertex is called %q", s.Name)
		}
		if s.Total == nil || s.Done != *s.Total || s.Done == 0 {
			t.Errorf("at the end vertex %s has %d of %v tasks done", s.Name, s.Done, s.Total)
		}
	}
	if edges != 5 {
		t.Errorf("%d edges are known, want 5: %+v", edges, last.Jobs[0].Stages)
	}
	if name := deref(last.Workflow.Name); !strings.HasPrefix(name, "SELECT x.k") {
		t.Errorf("the workflow is called %q, not as its query begins", name)
	}
	w.plays(0)
	w.hidesQuery("hunter2")
	profile := w.learn()
	known := w.score("own", "--profile", profile)
	l.tell("Hive 4.0.1 on Tez: two GROUP BYs, a join, an ORDER BY", w.score("bare"), &known, "",
		"named by the query, whose literal is in no frame, tape or capture; six vertices and their edges; replay, score, learn; the profile is the run's own")
}
