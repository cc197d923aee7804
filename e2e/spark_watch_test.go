//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// sparkRule matches Spark applications by their name.
const sparkRule = `rules:
  - name: nightly-late
    match: {engine: Spark, name: "nightly*", queue: default}
    within: 12s
    hold: 2
    severity: page
    labels: {team: data}
`

// TestSparkYARNWatch watches a YARN cluster by a rule that matches one of two Spark applications, and no job of
// MapReduce.
func TestSparkYARNWatch(t *testing.T) {
	l := up(t)
	l.takeSpark("--yarn")
	o := l.oncall()
	file := filepath.Join(l.dir, "rules.yaml")
	l.must(os.WriteFile(file, []byte(sparkRule), 0o600))
	l.run("rules-check", 0, "watch", "--check", "--rules", file)
	cmd := l.paratimer(append([]string{
		"watch", "--rules", file, "--every", "1s", "--output", "ndjson", "--metrics", o.metrics,
	}, o.sinks()...)...)
	p := l.start("watch", cmd)
	cluster := []string{"--deploy-mode", "cluster", "--conf", "spark.executor.instances=1"}
	other := l.application("adhoc", append(cluster, append(adaptive(false), "rdd", "waves", "1")...)...)
	other.succeed()
	job := l.application("nightly-report", append(cluster, append(adaptive(false), "sql", "report", "8x60x40", "6x40x60",
		"60")...)...)
	id := l.awaitApp("nightly-report").ID
	for _, series := range []string{
		`paratimer_workflow_info{engine="Spark",workflow="nightly-report"} 1`, `paratimer_workflows 1`,
		`paratimer_alert_state{bound="nightly-late",state="late",workflow="nightly-report"} 1`,
	} {
		l.await(series, func() bool { return strings.Contains(scrape("http://"+o.metrics+"/metrics"), series) })
	}
	if fires := o.awaitAlert("nightly-late"); o.alertmanager.url != "" && fires != id {
		t.Errorf("the alert is of %s, want %s", fires, id)
	}
	job.succeed()
	p.awaitSucceeded()
	o.over(id, "nightly-late")
	for _, m := range o.alertmanager.all() {
		if m.Labels["engine"] != "Spark" || m.Labels["severity"] != "page" || m.Labels["team"] != "data" ||
			m.Labels["workflow"] != "nightly-report" {
			t.Errorf("Alertmanager has sent %v", m.Labels)
		}
	}
	l.await("no workflow", func() bool { return strings.Contains(scrape("http://"+o.metrics+"/metrics"), "paratimer_workflows 0") })
	l.must(cmd.Process.Signal(syscall.SIGTERM))
	if code := p.wait(); code != 130 {
		t.Errorf("watch: exit code %d after SIGTERM\n%s", code, tail(p.stderr))
	}
	_, frames := l.readFrames(p.stdout)
	w := &watcher{process: p, frames: frames}
	if state := frames[0].Workflow.State; state != "submitted" {
		t.Errorf("when it was found it was %s", state)
	}
	for i, f := range frames {
		if deref(f.Workflow.ID) != id || f.Workflow.Engine != "Spark" || deref(f.Workflow.Name) != "nightly-report" {
			t.Fatalf("frame %d is of %s, an application of %q called %s", i+1, deref(f.Workflow.ID), f.Workflow.Engine,
				deref(f.Workflow.Name))
		}
	}
	// While the driver has gone, and the history server has not read the end yet, nothing is seen.
	seen := &watcher{process: p, frames: slices.DeleteFunc(slices.Clone(frames), func(f frame) bool {
		return f.alert("nightly-late") == "blind"
	})}
	seen.missed("nightly-late", false)
	if truth := l.sparkTruth(id, wholeApplication); *w.last().Elapsed < truth-0.5 || *w.last().Elapsed > truth+0.5 {
		t.Errorf("the last frame's elapsed_seconds: got %.1f, want %.1f as in the history server", *w.last().Elapsed, truth)
	}
	o.runs(w)
	l.note("Spark on YARN: two applications, watched by a rule that matches one", *w.last().Elapsed,
		"`watch` finds it before its driver runs; frames of that one alone, to its end; engine `Spark` in metrics and alerts; late and over, each reported once; remembered")
}
