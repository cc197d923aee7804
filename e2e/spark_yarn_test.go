//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestSparkYARN watches applications on YARN, through the proxy of its ResourceManager: the driver in the client, the
// driver in a container, and one that the ResourceManager kills.
func TestSparkYARN(t *testing.T) {
	l := up(t)
	l.takeSpark("--yarn")
	for _, mode := range []string{"client", "cluster"} {
		l.part(mode, func(l *lab) {
			name := "yarn-" + mode
			job := l.application(name, append([]string{"--deploy-mode", mode}, append(adaptive(false), "sql", "report",
				"8x60x80", "6x40x120", "60")...)...)
			id := l.awaitApp(name).ID // it may well be waiting for its master
			byID := l.attach("by-id", id)
			w := l.attach("attach", "")
			for _, x := range []*watcher{w, byID} {
				x.ends(0, "succeeded")
				if x.app() != id {
					l.t.Errorf("%s has watched %s, not %s", x.name, x.app(), id)
				}
				x.checkOutput(0)
			}
			job.succeed()
			late := l.attach("late", id)
			late.ends(0, "succeeded")
			for _, x := range []*watcher{w, late} {
				if n := len(x.stages()); n != 5 {
					l.t.Errorf("%s: there are %d stages: %q", x.name, n, x.stages())
				}
			}
			known := w.score("own", "--profile", w.learn())
			l.addRow(fmt.Sprintf("Spark on YARN, in %s mode: the query", mode), w.score("bare"), &known, "",
				"`attach` alone and by application id, before the master runs; through the ResourceManager's proxy; the history server found at the end; the profile is the run's own")
		})
	}
	l.part("killed", func(l *lab) {
		job := l.application("yarn-killed", "--deploy-mode", "cluster", "rdd", "group", "8x60x40", "60")
		w := l.attach("attach", l.awaitApp("yarn-killed").ID)
		w.awaitStage(0, 4)
		l.kill(w.appNow())
		if job.wait() == 0 {
			l.t.Error("the application should have been killed")
		}
		w.ends(1, "killed")
		w.plays(1)
		l.note("Spark on YARN: an application that the ResourceManager kills", *w.last().Elapsed,
			"exit code 1, `killed`; both recordings")
	})
}

// TestSparkYARNKerberos does so on a cluster with web pages that require Kerberos, for the application's owner and for
// another user.
func TestSparkYARNKerberos(t *testing.T) {
	k := kerberizedUp(t)
	k.takeSpark("--yarn")
	t.Setenv("HADOOP_USER_NAME", "alice") // who submits: RPC stays simple
	job := k.application("secured", append([]string{"--deploy-mode", "cluster", "--conf", "spark.acls.enable=true"},
		append(adaptive(false), "sql", "report", "10x80x80", "6x60x120", "60")...)...)
	t.Setenv("HADOOP_USER_NAME", "")
	id := k.awaitApp("secured").ID
	w := k.attach("attach", "", "--keytab", k.keytab("alice"))
	byBob := k.attach("acl", id, "--keytab", k.keytab("bob"))
	w.ends(0, "succeeded")
	job.succeed()
	w.checkOutput(0)
	byBob.ends(0, "succeeded")
	if refusal := "bob@LAB.PARATIMER may not see"; !strings.Contains(string(byBob.raw), refusal) {
		t.Errorf("no frame of bob's has %q: %+v", refusal, byBob.last().Warnings)
	}
	k.noSecrets()
	k.addRow("Spark on YARN with Kerberos, in cluster mode", w.score("bare"), nil, "",
		"by keytab, through the ResourceManager's proxy; another user is refused by Spark's ACL, with the reason; no key, ticket or cookie in any file")
}

// appNow is the application that a watcher who runs has seen.
func (w *watcher) appNow() (id string) {
	w.lab.t.Helper()
	w.awaitFrame("the application", func(f *frame) bool { id = deref(f.Workflow.ID); return id != "" })
	return id
}

// TestSparkStreaming watches micro-batches of structured streaming, each an execution of SQL: one by its own watcher,
// all by a watcher of the session.
func TestSparkStreaming(t *testing.T) {
	l := upSpark(t)
	job := l.submit("stream", append(adaptive(false), "stream", "20x60x40", "100")...)
	w := l.attachSpark("batch", "--sql", "newest")
	all := l.start("session", l.paratimer("attach", "--output", "ndjson", "--every", every.String(), "--sql", "newest",
		"--session", "--spark", l.spark.driver, "--spark-history", l.spark.history))
	w.ends(0, "succeeded")
	profile := w.learn()
	job.succeed()
	all.succeed()
	app, own, _ := strings.Cut(deref(w.last().Workflow.ID), "/sql/")
	_, frames := l.readFrames(all.stdout)
	batches := map[string]float64{}
	for _, f := range frames {
		_, id, _ := strings.Cut(deref(f.Workflow.ID), "/sql/")
		if f.Workflow.State == "succeeded" && deref(f.Workflow.Name) == "counts" { // the count at the end is another query
			batches[id] = *f.Elapsed
		}
	}
	if name := deref(w.last().Workflow.Name); name != "counts" {
		t.Errorf("a batch is called %q, which the next one is not", name)
	}
	if len(batches) < 4 {
		t.Errorf("of five batches the watcher of the session has seen %v", batches)
	}
	batches[own] = *w.last().Elapsed
	for id, e := range batches {
		if truth := l.sparkTruth(app, l.ofSQL(app, id)); math.Abs(e-truth) > 0.5 {
			t.Errorf("execution %s: got %.1f s, want %.1f s as in the history server", id, e, truth)
		}
	}
	w.plays(0)
	known := w.score("profile", "--profile", profile)
	l.addRow("Spark: a micro-batch of structured streaming", w.score("bare"), &known, "", fmt.Sprintf(
		"`--sql newest` ends with its batch; with `--session` %d of five batches are watched, each with the length of the history server; the profile is the batch's own",
		len(batches)))
}

// ofSQL returns the jobs of an execution of SQL, as the history server reports them.
func (l *lab) ofSQL(app, id string) func(sparkJob) bool {
	l.t.Helper()
	var x struct{ SuccessJobIds []int }
	l.await("execution "+id+" in the history server", func() bool {
		return l.get(l.spark.history+"/api/v1/applications/"+app+"/sql/"+id+"?details=false", &x) && len(x.SuccessJobIds) > 0
	})
	jobs := map[int]bool{}
	for _, n := range x.SuccessJobIds {
		jobs[n] = true
	}
	return func(j sparkJob) bool { return jobs[j.JobID] }
}
