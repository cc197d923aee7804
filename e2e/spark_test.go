//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
)

// Settings that make of small files as many tasks as there are files, and of a join one that shuffles.
var shuffled = []string{
	"--conf", "spark.sql.files.maxPartitionBytes=1m", "--conf", "spark.sql.autoBroadcastJoinThreshold=-1",
	"--conf", "spark.sql.shuffle.partitions=6",
}

// adaptive sets adaptive query execution.
func adaptive(on bool) []string {
	return append([]string{"--conf", fmt.Sprintf("spark.sql.adaptive.enabled=%v", on)}, shuffled...)
}

// sqlSmall is a join of two data sets, a GROUP BY and an ORDER BY that take some 25 s on an idle machine.
var sqlSmall = []string{"sql", "report", "10x60x80", "6x40x120", "60"}

// TestSpark watches a query of SQL on Spark: a join, a GROUP BY and an ORDER BY.
func TestSpark(t *testing.T) {
	l := upSpark(t)
	job := l.submit("nightly", append(adaptive(false), sqlSmall...)...)
	w := l.attachSpark("attach")
	w.ends(0, "succeeded")
	job.succeed()
	truth := w.checkOutput(0)
	if n := deref(w.last().Workflow.Name); n != "nightly" {
		t.Errorf("the workflow is called %q", n)
	}
	// Two scans and, as the sort samples first, the join twice.
	if got := w.stages(); len(got) != 5 || w.edges() < 5 {
		t.Errorf("the stages are %q, with %d edges", got, w.edges())
	}
	if output := job.printed(); output != "70 rows, the first user00067 14" {
		t.Errorf("the query's result is %q", output)
	}
	bare := w.score("bare")
	known := w.score("own", "--profile", w.ofLog("succeeded", truth))
	s := known.of("standard")
	w.foretold(&s)
	l.addRow("Spark: a join, GROUP BY and ORDER BY of SQL", bare, &known, "",
		"3.5.6, standalone, two workers; stages and edges from the pages of the jobs; the length of the history server; both recordings; `score`, `history profile`, `history add --out` of the event log; the profile is the run's own")
}

// again runs an application and watches it with a profile, whose row it adds beside what the same run gives without.
func (l *lab) again(name, profile, scenario, checked string, args ...string) (*watcher, graded) {
	l.t.Helper()
	job := l.submit(name, args...)
	w := l.attachSpark(name+"-attach", "--profile", profile)
	w.ends(0, "succeeded")
	job.succeed()
	w.checkOutput(0)
	known := w.score("profile", "--profile", profile)
	s := known.of("standard")
	w.foretold(&s)
	l.addRow(scenario, w.score("bare"), &known, "", checked)
	return w, known
}

// once runs an application and watches it to its end.
func (l *lab) once(name string, args ...string) (w *watcher, output string, truth float64) {
	l.t.Helper()
	job := l.submit(name, args...)
	w = l.attachSpark(name + "-attach")
	w.ends(0, "succeeded")
	job.succeed()
	return w, job.printed(), w.checkOutput(0)
}

// TestSparkSQL runs the query with adaptive query execution and without, each twice: the second run is longer, and
// watched with the profile of the first.
func TestSparkSQL(t *testing.T) {
	l := upSpark(t)
	for _, on := range []bool{false, true} {
		name := fmt.Sprintf("adaptive-%v", on)
		w, _, truth := l.once(name, append(adaptive(on), sqlSmall...)...)
		profile := w.ofLog("succeeded", truth)
		second, _ := l.again(name+"-again", profile,
			fmt.Sprintf("Spark: the query, adaptive execution %s, the second run", map[bool]string{false: "off", true: "on"}[on]),
			"a number at once from the event log of a run in other sizes; as many stages as before",
			append(adaptive(on), "sql", "report", "12x70x80", "8x50x120", "60")...)
		if a, b := w.stages(), second.stages(); len(a) != len(b) {
			t.Errorf("%s: the stages were %q, now they are %q", name, a, b)
		}
	}
}

// TestSparkPython runs functions of Python in SQL, and a sort of RDDs, which samples what it sorts: each twice.
func TestSparkPython(t *testing.T) {
	l := upSpark(t)
	w, _, truth := l.once("udf", append(adaptive(true), "sql", "udf", "8x60x80", "6x40x120", "60")...)
	l.again("udf-again", w.ofLog("succeeded", truth), "Spark: SQL with functions of Python, the second run",
		"records that run ahead of Python are not taken for progress",
		append(adaptive(true), "sql", "udf", "10x70x80", "6x50x120", "60")...)
	w, output, truth := l.once("sort", "rdd", "sort", "8x60x40", "6x40x60", "80")
	if !strings.HasSuffix(output, " records") {
		t.Errorf("the job's result is %q", output)
	}
	l.again("sort-again", w.ofLog("succeeded", truth), "Spark: a join of RDDs and a sort, the second run",
		"the sampling job and the stage that runs twice are stages of their own", "rdd", "sort", "10x70x40", "6x50x60", "80")
}

// TestSparkUnits watches executions of SQL and job groups of applications that go on: the execution that runs, one by
// its id, and a group of either pool.
func TestSparkUnits(t *testing.T) {
	l := upSpark(t)
	// A notebook: two queries with a pause between them, in which the first one's watcher ends.
	job := l.submit("notebook", append(adaptive(true), "sql", "report", "8x30x80", "6x20x120", "60", "2", "30")...)
	first := l.attachSpark("first", "--sql", "newest")
	first.ends(0, "succeeded")
	if name := job.printed(); !strings.HasPrefix(name, "42 rows") || strings.Count(name, "rows") != 1 {
		t.Errorf("when the first query had ended the notebook had printed %q", name)
	}
	second := l.attachSpark("second", "--sql", "3") // 0 and 1 have made the tables known
	second.ends(0, "succeeded")
	job.succeed()
	app := first.app()
	for i, w := range []*watcher{first, second} {
		if id := deref(w.last().Workflow.ID); id != fmt.Sprintf("%s/sql/%d", app, 2+i) {
			t.Errorf("the workflow is %s, not execution %d", id, 2+i)
		}
		w.plays(0)
		if n := len(w.stages()); n != 5 {
			t.Errorf("execution %d has %d stages: %q", 2+i, n, w.stages())
		}
	}
	if l.sparkTruth(app, wholeApplication) < *first.last().Elapsed+*second.last().Elapsed+20 {
		t.Errorf("the executions took %s s and %s s of an application that paused for 30 s", number(first.last().Elapsed),
			number(second.last().Elapsed))
	}

	known := second.score("profile", "--profile", first.learn())
	l.addRow("Spark: a notebook's second execution of SQL", second.score("bare"), &known, "",
		"`--sql newest` ends with its execution, `--sql 3` waits for its own; stages, tape and capture; with the profile of the first one")
}

// TestSparkPools watches two users' groups of jobs in an application whose scheduler is fair, and whose pools have a
// file.
func TestSparkPools(t *testing.T) {
	l := upSpark(t)
	file := filepath.Join(l.dir, "pools.xml")
	l.must(os.WriteFile(file, []byte(`<allocations>
	<pool name="a"><weight>3</weight><minShare>1</minShare><schedulingMode>FAIR</schedulingMode></pool>
</allocations>`), 0o600))
	job := l.submit("pools", "--conf", "spark.scheduler.mode=FAIR", "--conf",
		"spark.scheduler.allocation.file=file://"+file, "rdd", "pools", "16x30x40", "60")
	all := l.attachSpark("all")
	a := l.attachSpark("a", "--group", "a")
	b := l.attachSpark("b", "--group", "b")
	for _, w := range []*watcher{a, b, all} {
		w.ends(0, "succeeded")
	}
	job.succeed()
	all.checkOutput(0)
	if n := len(all.stages()); n != 4 {
		t.Errorf("the application has %d stages: %q", n, all.stages())
	}
	for name, w := range map[string]*watcher{"a": a, "b": b} {
		truth := l.sparkTruth(all.app(), func(j sparkJob) bool { return j.JobGroup == name })
		if e := *w.last().Elapsed; math.Abs(e-truth) > 0.5 || len(w.stages()) != 2 {
			t.Errorf("group %s: got %.1f s, want %.1f s as in the history server; stages %q", name, e, truth, w.stages())
		}
		if n := deref(w.last().Workflow.Name); n != "the report of "+name {
			t.Errorf("group %s is called %q", name, n)
		}
		w.plays(0)
	}
	all.weighs(dag.Pool{Name: "a", Weight: 3, MinShare: 1, Fair: true}, dag.Pool{Name: "b", Weight: 1},
		dag.Pool{Name: "default", Weight: 1})
	l.addRow("Spark: two users' job groups in FAIR pools, the application", all.score("bare"), nil, "",
		"`--group` of either, each with the length of the history server; weights of pools; both recordings")
}

// weighs checks that the watcher and its profile have the pools of the driver, and that no frame but the first ones,
// which come before a job, lacks one.
func (w *watcher) weighs(pools ...dag.Pool) {
	l := w.lab
	l.t.Helper()
	profile, err := planfile.ReadFile(w.learn(), planfile.Options{})
	l.must(err)
	for of, plan := range map[string]*dag.Plan{"the tape": w.lastSnapshot().Plan, "the profile": profile} {
		if got := plan.Cluster.Pools; !slices.Equal(got, pools) {
			l.t.Errorf("%s: %s has the pools %+v, want %+v", w.name, of, got, pools)
		}
	}
	for _, f := range w.frames {
		for _, warning := range f.Warnings {
			if strings.Contains(warning.Text, "minimal shares") {
				l.t.Errorf("%s: a frame has the warning %q", w.name, warning.Text)
			}
		}
	}
}

// TestSparkLog watches an application by the event log that it writes, without its driver, and scores the recording.
func TestSparkLog(t *testing.T) {
	l := upSpark(t)
	job := l.submit("nightly-log", append(adaptive(false), sqlSmall...)...)
	l.await("the event log", func() bool {
		logs, err := filepath.Glob(filepath.Join(l.spark.events, "*.inprogress"))
		l.must(err)
		if len(logs) == 0 {
			return false
		}
		info, err := os.Stat(logs[0])
		return err == nil && info.Size() > 0
	})
	tape := filepath.Join(l.dir, "log.tape")
	out := l.run("attach", 0, "attach", "--every", "1s", "--output", "ndjson", "--record", tape, l.spark.events)
	job.succeed()
	var frames []frame
	for line := range strings.Lines(string(out)) {
		var f frame
		l.must(json.Unmarshal([]byte(line), &f))
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		t.Fatal("no frame")
	}
	last := frames[len(frames)-1]
	if name := deref(last.Workflow.Name); name != "nightly-log" || last.Workflow.State != "succeeded" || len(frames) < 10 {
		t.Errorf("%d frames, the last one of %q, which %s", len(frames), name, last.Workflow.State)
	}
	log := l.eventLog(deref(last.Workflow.ID))
	var watched, whole struct{ Runs []graded }
	l.must(json.Unmarshal(l.run("score-watched", 0, "score", "--output", "json", tape), &watched))
	l.must(json.Unmarshal(l.run("score-log", 0, "score", "--output", "json", log), &whole))
	if math.Abs(watched.Runs[0].Total-whole.Runs[0].Total) > 0.05 {
		t.Errorf("it took %.2f s as watched, %.2f s by the whole log", watched.Runs[0].Total, whole.Runs[0].Total)
	}
	l.addRow("Spark: the same query, watched by the event log that it writes", watched.Runs[0], nil, "",
		"no request to the driver; the length of the whole log")
}
