//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// twice runs an application, and one with other arguments that is watched with the profile of the first, whose score it
// returns.
func (l *lab) twice(scenario, checked string, first, second []string) (w *watcher, known graded) {
	l.t.Helper()
	bare, _, truth := l.once("first", first...)
	w, known = l.again("second", bare.ofLog("succeeded", truth), scenario, checked, second...)
	if a, b := bare.stages(), w.stages(); len(a) != len(b) {
		l.t.Errorf("the stages were %q, now they are %q", a, b)
	}
	return w, known
}

// foresees checks that a run's estimate is better than the share of its tasks that have ended, as it is where one of
// them has most of the records.
func (l *lab) foresees(known *graded) {
	l.t.Helper()
	if ours, ratio := known.of("standard"), known.of("hadoop"); ours.Mean == nil || ratio.Mean == nil ||
		*ours.Mean >= *ratio.Mean {
		l.t.Errorf("standard is off by %s points, the share of tasks by %s", number(ours.Mean), number(ratio.Mean))
	}
}

// TestSparkShapes runs applications of other shapes than a query's: hot keys, jobs over a cached data set, many tasks.
func TestSparkShapes(t *testing.T) {
	l := upSpark(t)
	l.part("group", func(l *lab) {
		_, known := l.twice("Spark: groups of RDDs with a hot key, the second run",
			"better than the share of tasks that have ended: the hot key is known by its records", []string{"rdd", "group", "8x60x40z1.6", "60"},
			[]string{"rdd", "group", "10x70x40z1.6", "60"})
		l.foresees(&known)
	})
	l.part("join", func(l *lab) {
		_, known := l.twice("Spark: a join of SQL with a hot key, the second run",
			"adaptive execution off; better than the share of tasks that have ended: the hot key is known by its records",
			append(adaptive(false), "sql", "skew", "8x60x40z1.6", "6x40x60", "60"),
			append(adaptive(false), "sql", "skew", "10x70x40z1.6", "6x50x60", "60"))
		l.foresees(&known)
	})
	l.part("iterate", func(l *lab) {
		w, _ := l.twice("Spark: six jobs over a cached data set, the second run",
			"twelve stages: no work is taken for what is skipped or cached",
			[]string{"rdd", "iterate", "8x40x40", "60", "6"}, []string{"rdd", "iterate", "10x50x40", "60", "6"})
		if n := len(w.stages()); n != 12 {
			l.t.Errorf("6 jobs of 2 stages have %d: %q", n, w.stages())
		}
	})
	l.part("many", func(l *lab) {
		w, _ := l.twice("Spark: 5,000 tasks, the second run", "stages, edges, totals; both recordings",
			append(adaptive(false), "rdd", "many", "1000", "10"), append(adaptive(false), "rdd", "many", "5000", "10"))
		if s := w.last().Jobs[0].Stages[0]; s.Total == nil || *s.Total != 5000 {
			l.t.Errorf("the first stage has %s tasks", number(s.Total))
		}
	})
}

// TestSparkFailures runs applications of which tasks fail: until they succeed, and once too often.
func TestSparkFailures(t *testing.T) {
	l := upSpark(t)
	l.part("retried", func(l *lab) {
		w, _, _ := l.once("fail", "rdd", "fail", "8x40x40", "60", "2")
		if n := w.failedTasks(); n != 2 {
			l.t.Errorf("%d tasks are listed as failed, want 2", n)
		}
		i := slices.IndexFunc(w.frames, func(f frame) bool { return len(f.Failures) > 0 })
		l.addRow("Spark: a task fails twice, and then succeeds", w.score("bare"), nil, w.errors(w.frames[max(i, 0):]).String(),
			"both failures with their causes; exit code 0")
	})
	l.part("aborted", func(l *lab) {
		job := l.submit("abort", "rdd", "fail", "8x40x40", "60", "4")
		w := l.attachSpark("abort-attach")
		w.ends(1, "failed")
		if job.wait() == 0 {
			l.t.Error("the application should have failed")
		}
		truth := w.checkOutput(1)
		const why = "Job aborted due to stage failure: Task 2 in stage 1.0 failed 4 times"
		if got := deref(w.last().Jobs[0].Diagnosis); !strings.Contains(got, why) || !strings.Contains(got, "ValueError") {
			l.t.Errorf("why it failed is %q", got)
		}
		if n := w.failedTasks(); n != 4 {
			l.t.Errorf("%d tasks are listed as failed, want 4", n)
		}
		l.note("Spark: a task fails four times, so its stage and the application do", truth,
			"exit code 1, `failed`; four failures with their causes; the length of the history server; both recordings")
	})
}

// failedTasks counts the failures that frames have reported, each once.
func (w *watcher) failedTasks() int {
	seen := map[string]bool{}
	for _, f := range w.frames {
		for _, x := range f.Failures {
			seen[x.Attempt] = true
			if deref(x.Why) == "" {
				w.lab.t.Errorf("%s failed without a cause", x.Attempt)
			}
		}
	}
	return len(seen)
}

// TestSparkExecutors kills an executor, has one lag behind, and has executors come and go.
func TestSparkExecutors(t *testing.T) {
	l := upSpark(t)
	profile := ""
	l.part("undisturbed", func(l *lab) {
		w, _, _ := l.once("undisturbed", "rdd", "group", "8x60x40", "100")
		profile = w.learn()
	})
	for _, kept := range []bool{false, true} {
		l.part(fmt.Sprintf("killed-%v", kept), func(l *lab) { l.executorKilled(profile, kept) })
	}
	l.part("speculation", func(l *lab) {
		w, _, truth := l.once("straggle", "--conf", "spark.speculation=true", "rdd", "straggle", "12", "4")
		if truth > 40 {
			l.t.Errorf("it took %.1f s: no copy has overtaken the task", truth)
		}
		if n := w.failedTasks(); n > 0 {
			l.t.Errorf("%d tasks are listed as failed: the one that a copy has overtaken has not", n)
		}
		l.addRow("Spark: speculation overtakes a task that takes ten times as long", w.score("bare"), nil, "",
			"the task that a copy has overtaken is no failure")
	})
	l.part("dynamic", func(l *lab) {
		w, _, _ := l.once("waves", "--conf", "spark.dynamicAllocation.enabled=true",
			"--conf", "spark.dynamicAllocation.executorIdleTimeout=3s", "--conf", "spark.dynamicAllocation.minExecutors=1",
			"--conf", "spark.executor.cores=1", "--conf", "spark.shuffle.service.enabled=true", "rdd", "waves", "3")
		most, removed := 0, 0
		for _, f := range w.frames {
			removed = max(removed, f.nodesIn("decommissioned"))
			if len(f.Jobs) == 1 {
				most = max(most, f.Jobs[0].running())
			}
		}
		if most != 4 || removed < 2 {
			l.t.Errorf("got at most %d running tasks and %d removed executors in the frames, want 4 and at least 2", most, removed)
		}
		if n := w.failedTasks(); n > 0 {
			l.t.Errorf("%d tasks are listed as failed", n)
		}
		l.addRow("Spark: executors that come and go by dynamic allocation", w.score("bare"), nil, "",
			fmt.Sprintf("one executor to four and back, %d go; what they wrote stays with the external shuffle service", removed))
	})
}

// executorKilled kills an executor when a stage has ended whose output is on it. kept is true if a shuffle service
// keeps that output.
func (l *lab) executorKilled(profile string, kept bool) {
	l.t.Helper()
	job := l.submit("kill", "--conf", fmt.Sprintf("spark.shuffle.service.enabled=%v", kept), "rdd", "group", "8x80x40",
		"100")
	w := l.attachSpark("kill-attach")
	w.awaitStage(0, 8)
	killed := l.killed("executors at " + strings.TrimSpace(l.output("spark/spark.sh", "kill-executor", "127.0.0.2")))
	w.ends(0, "succeeded")
	job.succeed()
	w.checkOutput(0)
	// Tasks that were done and are open again.
	again := 0
	for i := 1; i < len(w.frames); i++ {
		if a, b := w.frames[i-1], w.frames[i]; len(a.Jobs) == 1 && len(b.Jobs) == 1 && len(a.Jobs[0].Stages) > 0 &&
			len(b.Jobs[0].Stages) > 0 {
			again = max(again, a.Jobs[0].Stages[0].Done-b.Jobs[0].Stages[0].Done)
		}
	}
	if kept != (again == 0) {
		l.t.Errorf("%d tasks with output on the executor are open again", again)
	}
	if !slices.ContainsFunc(w.frames, func(f frame) bool { return f.nodesIn("lost") > 0 }) {
		l.t.Error("no frame shows a lost executor")
	}
	checked := fmt.Sprintf("%d tasks that had ended are open again before Spark notices; the profile is that of an undisturbed run in another size",
		again)
	if kept {
		checked = "its output is kept by the external shuffle service, and no task is open again; the profile is that of an undisturbed run in another size"
	}
	w.summarizeWith(profile, "Spark: an executor killed while groups are read that it has written"+
		map[bool]string{true: ", with a shuffle service"}[kept], w.at(killed.Add(time.Second)), checked)
}

// awaitStage waits until the newest frame of a watcher has a number of tasks of a stage done.
func (p *process) awaitStage(stage, done int) {
	p.lab.t.Helper()
	p.awaitFrame(fmt.Sprintf("%d tasks of stage %d", done, stage), func(f *frame) bool {
		return len(f.Jobs) == 1 && len(f.Jobs[0].Stages) > stage && f.Jobs[0].Stages[stage].Done >= done
	})
}

// TestSparkDriverKilled kills a driver: how its application ended is unknown.
func TestSparkDriverKilled(t *testing.T) {
	l := upSpark(t)
	job := l.submit("killed", "rdd", "group", "8x60x40", "60")
	w := l.attachSpark("attach")
	w.awaitStage(0, 4)
	l.output("spark/spark.sh", "kill-driver")
	if job.wait() == 0 {
		t.Error("the driver should have been killed")
	}
	killed := time.Now()
	w.ends(3, "ended_unconfirmed")
	awaited := time.Since(killed)
	if !w.last().warned("observation") {
		t.Errorf("the last frame does not say that the end is unconfirmed: %+v", w.last().Warnings)
	}
	w.plays(3)
	l.note("Spark: the driver killed", *w.last().Elapsed,
		fmt.Sprintf("the history server awaited for %.0f s, then exit code 3, `ended_unconfirmed`; both recordings", awaited.Seconds()))
}

// TestSpark4 watches the query on Spark 4, with adaptive execution, whose event logs are packed and rolling by default.
func TestSpark4(t *testing.T) {
	l := upSpark(t, "4.0.5")
	l.twice("Spark 4.0.5: the query, adaptive execution on, the second run",
		"stages, edges, totals; `score`, `history profile`, `history add --out` of a rolling event log in zstd; both recordings",
		append(adaptive(true), sqlSmall...), append(adaptive(true), "sql", "report", "12x70x80", "8x50x120", "60"))
}
