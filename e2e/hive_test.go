//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestHiveStages runs jobs that carry the properties that Hive gives to a query's stages, one after the other as Hive
// does: two scans and a join of them. The stage that fetches the result needs no job. Hive itself is not part of it.
func TestHiveStages(t *testing.T) {
	l := up(t)
	const query = "-- nightly\nselect a.k\nfrom a join b on a.k = b.k\nwhere a.secret = 'hunter2'"
	stage := func(n string) *process {
		return l.client("stage-"+n, "run", "org.apache.hadoop.mapreduce.SleepJob",
			"-D", "mapreduce.workflow.id=hive_root_20261122_1", "-D", "mapreduce.workflow.name="+query, "-D",
			"hive.query.string="+query,
			"-D", "hive.exec.parallel=false", "-D", "mapreduce.workflow.node.name=Stage-"+n,
			"-D", "mapreduce.workflow.adjacency.Stage-1=Stage-2", "-D", "mapreduce.workflow.adjacency.Stage-3=Stage-2",
			"-D", "mapreduce.workflow.adjacency.Stage-2=Stage-0",
			"-m", "3", "-r", "1", "-mt", "5000", "-rt", "4000", "-recordt", "500")
	}
	one := stage("1")
	w := l.attach("attach", l.awaitApp("Sleep job").ID)
	one.succeed()
	for _, n := range []string{"3", "2"} {
		stage(n).succeed()
	}
	w.ends(0, "succeeded")
	last := w.last()
	if nodes := last.nodes(); !slices.Equal(nodes, []string{"Stage-1", "Stage-3", "Stage-2"}) || len(last.jobs()) != 3 {
		t.Errorf("the stages are %v, their jobs %v", nodes, last.jobs())
	}
	if name := deref(last.Workflow.Name); name != "select a.k" || deref(last.Workflow.ID) != "hive_root_20261122_1" {
		t.Errorf("the workflow is %q, %q", name, deref(last.Workflow.ID))
	}
	known := slices.IndexFunc(w.frames, func(f frame) bool { return len(f.Jobs) == 3 })
	if known < 0 || w.frames[known].Jobs[1].State != "blocked" || w.frames[known].Jobs[2].State != "blocked" {
		t.Errorf("from the first conf on three stages should be known, two of them to come: frame %d", known)
	}
	w.totals()
	w.recordings(0)
	w.hidesQuery("hunter2")
	w.summarize("three jobs with Hive's workflow properties, one after the other", -1,
		"the stages from the first conf on, without the one that needs no job; titled by the query's first line, its literals in no frame or recording")
}

// nodes are the names of the jobs in the graph, in its order.
func (f frame) nodes() (all []string) {
	for _, j := range f.Jobs {
		all = append(all, j.Node)
	}
	return all
}

// hidesQuery checks that what a query compares with is in nothing that the watcher wrote.
func (w *watcher) hidesQuery(literal string) {
	l := w.lab
	l.t.Helper()
	for _, r := range l.records(w.capture) {
		if strings.Contains(r.Body, literal) {
			l.t.Errorf("%s is in the capture's answer to %s", literal, r.path())
		}
	}
	tape, err := os.ReadFile(w.tape)
	l.must(err)
	errs, err := os.ReadFile(w.stderr)
	l.must(err)
	for name, b := range map[string][]byte{"tape": tape, "frames": w.raw, "stderr": errs} {
		if bytes.Contains(b, []byte(literal)) {
			l.t.Errorf("%s is in the %s", literal, name)
		}
	}
}
