//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"
)

// TestTwoWorkflows watches two scripts that run at once, each with a watcher of its own.
func TestTwoWorkflows(t *testing.T) {
	l := up(t)
	join := l.client("pig-join", append([]string{"pig"}, joinSmall...)...)
	one := l.awaitApp("join.pig")
	a := l.attach("join", one.ID)
	skew := l.client("pig-skew", "pig", "skew", "-p", "a=4x300x60z1.2", "-p", "pace=15", "-p", "pace_out=15")
	two := l.awaitApp("skew.pig")
	b := l.attach("skew", two.ID)
	a.ends(0, "succeeded")
	b.ends(0, "succeeded")
	join.succeed()
	skew.succeed()
	for _, w := range []*watcher{a, b} {
		w.recordings(0)
		if !slices.ContainsFunc(w.frames, func(f frame) bool { return f.warned("other_load") }) {
			t.Errorf("%s: no frame reports the other script's load", w.name)
		}
	}
	joins, skews := a.last().jobs(), b.last().jobs()
	if len(joins) != 3 || len(skews) != 1 || skews[0] != two.job() || !slices.Contains(joins, one.job()) ||
		slices.Contains(joins, skews[0]) {
		t.Errorf("the workflows mix: join has the jobs %v, skew %v", joins, skews)
	}
	for _, f := range a.frames {
		if len(f.Jobs) > 3 {
			t.Errorf("a frame of join at %v has %d jobs", f.At, len(f.Jobs))
		}
	}
	a.summarize("two scripts at once: the join", -1, "only its own jobs, `other_load`")
	b.summarize("two scripts at once: one job with skewed reducers", -1, "only its own job, `other_load`")
}

// TestFailing watches a script with a last job that fails.
func TestFailing(t *testing.T) {
	l := up(t)
	pig := l.client("pig", "pig", "failing", "-p", "a=4x240x120", "-p", "b=3x160x80", "-p", "pace=15", "-p",
		"pace_out=250",
		"-p", "bad=user00079", "-p", "parallel_a=3", "-p", "parallel_b=2", "-p", "parallel=3")
	l.awaitApp("failing.pig")
	w := l.attach("attach", "")
	w.ends(1, "failed")
	if code := pig.wait(); code == 0 {
		t.Error("the script should have failed")
	}
	w.recordings(1)
	if last := w.last().Jobs[2]; last.State != "failed" {
		t.Errorf("the last job is %s, not failed", last.State)
	}
	w.logChanges()
	reason := ""
	for _, f := range w.frames {
		for _, c := range f.Changes {
			if c.Reason == "failure" && reason == "" && c.Subject != nil && f.failed("_r_") {
				reason = *c.Subject
			}
		}
	}
	if reason == "" {
		t.Error("no change names a failed attempt of the last job")
	}
	w.summarize("a script whose last job fails", -1, "exit code 1, `failed`, the attempts in `changes`")
}

// TestStreaming watches Hadoop Streaming. Its counters report all records as read when the work has hardly begun.
func TestStreaming(t *testing.T) {
	l := up(t)
	job := l.client("stream", "stream", "-D", "mapreduce.job.reduces=2", "-input", "3x300x50z1.0",
		"-mapper", "python3 pace.py 20", "-reducer", "python3 power.py 2 250")
	var run app
	l.await("the streaming job", func() bool {
		if apps := l.apps(); len(apps) > 0 {
			run = apps[0]
		}
		return run.ID != ""
	})
	w := l.attach("attach", run.ID)
	w.ends(0, "succeeded")
	job.succeed()
	w.recordings(0)
	points := 0
	for _, f := range w.frames {
		if f.Workflow.State == "running" && f.Headline.Remaining != nil {
			points++
		}
	}
	w.summarize("Hadoop Streaming, a reducer of quadratic time", -1,
		fmt.Sprintf("end; a point in %d of %d ticks, else \"at least\"", points, len(w.frames)))
}

// TestSleep watches a plain MapReduce job: a workflow of one.
func TestSleep(t *testing.T) {
	l := up(t)
	job := l.client("sleep", "run", "org.apache.hadoop.mapreduce.SleepJob", "-m", "4", "-r", "2", "-mt", "12000", "-rt",
		"12000", "-recordt", "500")
	w := l.attach("attach", l.awaitApp("Sleep job").ID)
	w.ends(0, "succeeded")
	job.succeed()
	w.recordings(0)
	if n := len(w.last().Jobs); n != 1 {
		t.Errorf("%d jobs, want one", n)
	}
	w.summarize("SleepJob, a plain MapReduce job", -1, "a workflow of one job")
}
