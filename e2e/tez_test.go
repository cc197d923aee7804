//go:build e2e

package e2e

import (
	"fmt"
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
	w.ofTez(0)
	if edges := w.last().shape(); len(w.last().Jobs[0].Stages) != 5 || len(edges) != 4 {
		t.Errorf("the DAG is seen as %+v", w.last().Jobs[0].Stages)
	}
	bare := w.score("bare")
	profile := w.learn()

	again := l.client("pig-again", append([]string{"pig"}, joinSmall...)...)
	l.await("the second run", func() bool { return len(l.apps()) > 1 })
	second := l.attach("attach-again", "", "--profile", profile)
	second.ends(0, "succeeded")
	again.succeed()
	second.ofTez(0, w.last().shape()...)
	second.numberAtOnce()
	known := second.score("profile", "--profile", profile)
	l.addRow("join on Tez, twice", bare, &known, "",
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
	l.awaitHive()
	w := l.attach("attach", "", "--session=false")
	w.ends(0, "succeeded")
	client.succeed()
	w.ofTez(0, "Map 1 > Reducer 2 slow_start", "Map 5 > Reducer 6 slow_start", "Reducer 2 > Reducer 3 slow_start",
		"Reducer 3 > Reducer 4 slow_start", "Reducer 6 > Reducer 3 slow_start")
	if name := deref(w.last().Workflow.Name); !strings.HasPrefix(name, "SELECT x.k") {
		t.Errorf("the workflow is called %q, not as its query begins", name)
	}
	w.hidesQuery("hunter2")
	w.addTezRow("Hive 4.0.1 on Tez: two GROUP BYs, a join, an ORDER BY", -1,
		"named by the query, whose literal is in no frame or recording; six vertices and their edges; the length of the master's log")
}

// TestHiveSession runs three queries in one session. One watcher follows them all, and each of the first two has one of
// its own: a map join, whose table is broadcast, and a query whose number of reducers falls before they start.
func TestHiveSession(t *testing.T) {
	l := up(t, "--with", "hive")
	client := l.client("hive", "hive", "session")
	session := l.awaitHive()
	all := l.attach("session", session.ID, "--session")
	mapJoin := l.attach("mapjoin", l.awaitDAG(session, 1), "--session=false")
	auto := l.attach("auto", l.awaitDAG(session, 2), "--session=false")
	all.ends(0, "succeeded")
	client.succeed()
	mapJoin.ends(0, "succeeded")
	mapJoin.ofTez(0, "Map 1 > Reducer 2 slow_start", "Map 3 > Map 1 broadcast")
	mapJoin.addTezRow("Hive on Tez: a map join, whose table is broadcast", -1,
		"three vertices, the edge of kind `broadcast`; the length of the master's log")

	auto.ends(0, "succeeded")
	auto.ofTez(0, "Map 1 > Reducer 2 slow_start")
	planned, became := 0, auto.last().tasks("Reducer 2")
	for _, f := range auto.frames {
		planned = max(planned, f.tasks("Reducer 2"))
	}
	if planned <= became {
		t.Errorf("Reducer 2 had %d tasks at most and %d at the end: its number should fall", planned, became)
	}
	auto.addTezRow("Hive on Tez: auto-parallelism", -1,
		fmt.Sprintf("`Reducer 2` falls from %d tasks to %d before it starts; the length of the master's log",
			planned, became))

	var ids []string
	for _, f := range all.frames {
		if id := deref(f.Workflow.ID); !slices.Contains(ids, id) && strings.HasPrefix(id, "dag_") {
			ids = append(ids, id)
		}
	}
	if len(ids) != 3 || ids[0] != mapJoin.dag() || ids[1] != auto.dag() {
		t.Fatalf("the watcher of the session saw %v", ids)
	}
	totals := make([]string, 0, 3)
	for i, id := range ids {
		part := all.part(id)
		totals = append(totals, fmt.Sprintf("%.1f s", part.ofTez(0).seconds))
		if i == 2 {
			part.addTezRow("Hive on Tez: a session of three queries", -1, "`attach --session` follows all three ("+
				strings.Join(totals, ", ")+"); one recording, of which each can be played; the figures are those of the third")
		}
	}
}

// tasks is the number of a vertex' tasks, 0 where that is not known.
func (f frame) tasks(vertex string) int {
	for _, j := range f.Jobs {
		for _, s := range j.Stages {
			if s.Name == vertex && s.Total != nil {
				return *s.Total
			}
		}
	}
	return 0
}

// TestHiveOnMapReduce runs the query of TestHive on MapReduce, whose two GROUP BYs may run at once. Hive 4 gives its
// jobs no properties of a workflow any more, so that each of them is one of its own.
func TestHiveOnMapReduce(t *testing.T) {
	l := up(t, "--with", "hive")
	client := l.client("hive", "hive", "report", "-D", "hive.execution.engine=mr", "-D", "hive.exec.parallel=true")
	var all []*watcher
	l.await("the end of the query", func() bool {
		for _, a := range l.apps()[min(len(all), len(l.apps())):] {
			all = append(all, l.attach("attach-"+a.ID[len(a.ID)-1:], a.ID))
		}
		select {
		case <-client.done:
			return true
		default:
			return false
		}
	})
	client.succeed()
	if len(all) != 4 {
		t.Fatalf("%d jobs were seen, want four", len(all))
	}
	totals := make([]string, len(all))
	for i, w := range all {
		w.ends(0, "succeeded")
		w.totals()
		w.recordings(0)
		w.hidesQuery("hunter2")
		if name := deref(w.last().Workflow.Name); !strings.HasPrefix(name, "SELECT x.k") || len(w.last().Jobs) != 1 {
			t.Errorf("a workflow of %d jobs is called %q, not as its query begins", len(w.last().Jobs), name)
		}
		totals[i] = fmt.Sprintf("%.0f s", *w.last().Elapsed)
	}
	if begins := all[1].frames[0].At; begins == nil || !begins.Before(*all[0].last().At) {
		t.Error("the two GROUP BYs did not run at once")
	}
	w := all[0]
	bare := w.score("bare")
	known := w.score("own", "--profile", w.learn())
	l.addRow("Hive 4.0.1 on MapReduce: the same query, hive.exec.parallel", bare, &known, "",
		"four jobs ("+strings.Join(totals, ", ")+"), two at once, each a workflow of its own, as Hive 4 writes no workflow properties; literal in nothing that is written; totals, replay, score, learn; the figures are those of the first; the profile is the run's own")
}

// TestHiveMany runs 2,000 tasks of a record each.
func TestHiveMany(t *testing.T) {
	l := up(t, "--with", "hive")
	client := l.client("hive", "hive", "many")
	session := l.awaitHive()
	w := l.attach("attach", l.awaitDAG(session, 1), "--session=false")
	w.ends(0, "succeeded")
	client.succeed()
	truth := w.ofTez(0, "Map 1 > Reducer 2 slow_start")
	if truth.tasks["Map 1"] < 2000 {
		t.Errorf("Map 1 had %d tasks, want 2,000", truth.tasks["Map 1"])
	}
	bytes := 0
	records := l.records(w.capture)
	for _, r := range records {
		bytes += len(r.Body)
	}
	w.addTezRow("Hive on Tez: 2,000 short tasks", -1, fmt.Sprintf(
		"every task done; %d answers of %d kB in %d ticks; the length of the master's log", len(records), bytes>>10,
		len(w.frames)))
}
