//go:build e2e

// Package e2e has the tests against real clusters, with the tag e2e, and the benchmarks of NearestFit's paper that they
// run.
package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTargets names the same workflow in every way, with nothing but HADOOP_CONF_DIR to find the cluster.
func TestTargets(t *testing.T) {
	l := up(t)
	l.failsWith("nothing runs", 3, "no application of MapReduce, Tez or Spark", "attach")
	l.failsWith("unknown id", 3, "application_1_0001", "attach", "application_1_0001")
	l.failsWith("no id", 2, "application_x", "attach", "application_x")

	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	app := l.awaitApp("join.pig")
	watchers := []*watcher{l.attach("nothing", ""), l.attach("app", app.ID), l.attach("job", app.job())}
	watchers = append(watchers, l.attach("workflow", l.awaitWorkflow(watchers[0])))
	l.doctor()
	l.whatif(app.ID)
	shown := l.onScreen(app.ID)
	l.report(app.ID, "running", 3)
	for _, w := range watchers {
		w.ends(0, "succeeded")
		if a, b := w.last(), watchers[0].last(); !slices.Equal(a.jobs(), b.jobs()) ||
			number(a.Elapsed) != number(b.Elapsed) ||
			deref(a.Workflow.ID) != deref(b.Workflow.ID) || len(a.jobs()) != 3 {
			t.Errorf("attach %s saw %s of %v, %s s; attach alone %s of %v, %s s", w.name, deref(a.Workflow.ID),
				a.jobs(), number(a.Elapsed),
				deref(b.Workflow.ID), b.jobs(), number(b.Elapsed))
		}
		w.recordings(0)
	}
	pig.succeed()
	shown()
	// Of a workflow that has ended only the history is left.
	late := l.attach("late", app.ID)
	late.ends(0, "succeeded")
	l.report(app.ID, "succeeded", 3)
	watchers[0].summarize("the join, named in every way", -1,
		"`attach` alone, by application, job and workflow id, after the end; no script; unknown and wrong ids; `doctor`; `whatif` while it runs; the screen under tmux; `report` while it runs and after")
}

// failsWith runs a command that must end with this exit code and print this on stderr.
func (l *lab) failsWith(name string, code int, what string, args ...string) {
	l.t.Helper()
	name = strings.ReplaceAll(name, " ", "-")
	l.run(name, code, args...)
	errs, err := os.ReadFile(l.dir + "/" + name + ".err")
	l.must(err)
	if !strings.Contains(string(errs), what) {
		l.t.Errorf("paratimer %s: got %q, want %q in it", strings.Join(args, " "), errs, what)
	}
	l.t.Logf("paratimer %s: %s", strings.Join(args, " "), errs)
}

// doctor checks that all is well with the cluster while a script runs.
func (l *lab) doctor() {
	l.t.Helper()
	l.t.Logf("doctor\n%s", l.run("doctor", 0, "doctor"))
	var got struct {
		Checks []struct{ Name, Status, Text string }
	}
	l.must(json.Unmarshal(l.run("doctor-json", 0, "doctor", "--output", "json"), &got))
	if len(got.Checks) < 5 {
		l.t.Errorf("doctor makes only %d checks", len(got.Checks))
	}
	for _, c := range got.Checks {
		if c.Status != "ok" {
			l.t.Errorf("doctor: %s: %s: %s", c.Name, c.Status, c.Text)
		}
	}
}

// whatif checks the saving of twice the containers for a running script, which is never below 0.
func (l *lab) whatif(id string) {
	l.t.Helper()
	type row struct {
		Name      string
		Remaining *float64 `json:"remaining_seconds"`
		Floor     *float64 `json:"floor_seconds"`
	}
	var got struct {
		Workflow struct{ State string }
		Slots    struct{ Containers *int }
		Base     row
		Changes  []row
	}
	l.must(json.Unmarshal(l.run("whatif", 0, "whatif", id, "--slots", "2x", "--output", "json"), &got))
	if got.Workflow.State != "running" || got.Slots.Containers == nil || *got.Slots.Containers < 2 ||
		len(got.Changes) != 1 || got.Changes[0].Name != "slots 2x" {
		l.t.Fatalf("whatif of a running script: got %+v", got)
	}
	twice := got.Changes[0]
	switch {
	case got.Base.Remaining != nil && twice.Remaining != nil:
		if *twice.Remaining > *got.Base.Remaining {
			l.t.Errorf("whatif: %v s with twice the containers, %v s without", *twice.Remaining, *got.Base.Remaining)
		}
	case got.Base.Remaining == nil && got.Base.Floor == nil:
		l.t.Errorf("whatif gives neither a time nor a floor: %+v", got.Base)
	}
}

// awaitWorkflow waits until a watcher that runs has printed its workflow's id.
func (l *lab) awaitWorkflow(w *watcher) (id string) {
	l.t.Helper()
	l.await("the workflow's id", func() bool {
		raw, err := os.ReadFile(w.stdout)
		l.must(err)
		for line := range strings.Lines(string(raw)) {
			var f frame
			if json.Unmarshal([]byte(line), &f) == nil && f.Workflow.ID != nil {
				id = *f.Workflow.ID
			}
		}
		return strings.HasPrefix(id, "pig_")
	})
	return id
}
