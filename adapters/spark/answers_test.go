package spark

import (
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// few is an application in its tenth job. The driver has the jobs and stages from the ninth on: each job
// joins what the first one has written with something new.
func few(t *testing.T) *App {
	t.Helper()
	a := NewApp("app-1")
	for _, ok := range []bool{
		took(a, 0, "jobs", `[{"jobId":9,"stageIds":[27,28,29],"status":"RUNNING"},{"jobId":8,"stageIds":[24,25,26],"status":"SUCCEEDED"}]`),
		took(a, 0, "stages", `[
			{"stageId":29,"attemptId":0,"name":"count","numTasks":2,"rddIds":[30,31],"status":"PENDING"},
			{"stageId":28,"attemptId":0,"name":"new","numTasks":4,"rddIds":[28,29],"status":"ACTIVE"},
			{"stageId":27,"attemptId":0,"name":"first","numTasks":4,"rddIds":[1,2],"status":"PENDING"},
			{"stageId":26,"attemptId":0,"name":"count","numTasks":2,"rddIds":[26,27],"status":"COMPLETE"},
			{"stageId":25,"attemptId":0,"name":"new","numTasks":4,"rddIds":[24,25],"status":"COMPLETE"}]`),
		took(a, 0, jobPage(9), `<div class="stage-metadata" stage-id="27"></div><div class="stage-metadata" stage-id="28"></div>
			<div class="stage-metadata" stage-id="29"><div class="incoming-edge">2,30</div><div class="incoming-edge">29,30</div></div>`),
	} {
		if !ok {
			t.Fatal("an answer was not taken")
		}
	}
	return a
}

func stagesOf(t *testing.T, a *App) (names []string, warned string) {
	t.Helper()
	s, ok := a.Snapshot(1795366700000, false)
	if !ok {
		t.Fatal("no snapshot")
	}
	for _, st := range s.Plan.Jobs[0].Stages {
		names = append(names, st.Name)
	}
	for _, w := range s.Warnings {
		if strings.Contains(w.Text, "has dropped") {
			warned = w.Text
		}
	}
	return names, warned
}

// TestDroppedStage checks that a stage which waits for nothing, beside one of its job that runs, is taken to be
// skipped if the stage that has written its output may have been dropped, and not otherwise.
func TestDroppedStage(t *testing.T) {
	t.Parallel()
	a := few(t)
	want := []string{"new [RDD 25]", "count [RDD 27]", "new [RDD 29]", "count [RDD 31]"}
	if got, _ := stagesOf(t, a); !slices.Equal(got, want) {
		t.Errorf("the stages are %q, want %q", got, want)
	}
	a = few(t)
	a.stages[28].tries, a.stages[28].status = nil, "PENDING" // the job has just been submitted
	want = slices.Insert(want, 2, "first [RDD 2]")
	if got, _ := stagesOf(t, a); !slices.Equal(got, want) {
		t.Errorf("before any stage of the job runs they are %q, want %q", got, want)
	}
	a = few(t)
	a.listedBelow = 100 // all earlier stages are known
	if got, _ := stagesOf(t, a); !slices.Equal(got, want) {
		t.Errorf("if no stage has been dropped they are %q, want %q", got, want)
	}
}

// TestForgottenWarned checks that dropped data of a driver is a warning, and that there is none about gaps which
// its limits do not explain.
func TestForgottenWarned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting, value, want string
		unit                 string
	}{
		{"", "", "", "app-1"},
		{"spark.ui.retainedJobs", "2", "8 jobs (spark.ui.retainedJobs)", "app-1"},
		{"spark.ui.retainedJobs", "2", "1 job (spark.ui.retainedJobs)", "app-1/sql/3"},
		{"spark.ui.retainedStages", "5", "1 stage (spark.ui.retainedStages)", "app-1"},
		{"spark.ui.retainedStages", "many", "", "app-1"},
		{"spark.ui.retainedTasks", "1", "tasks of stage 28 (spark.ui.retainedTasks)", "app-1"},
	} {
		a := few(t)
		_, a.unit = parseID(c.unit)
		took(a, 0, "sql", `[{"id":3,"status":"RUNNING","successJobIds":[7,8],"runningJobIds":[9]}]`)
		a.stages[28].newest().complete = 2
		a.conf[c.setting] = c.value
		if _, got := stagesOf(t, a); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s of %s=%s: %q, want %q", c.unit, c.setting, c.value, got, c.want)
		}
	}
}

// TestForgottenTasks checks that tasks are still listed when the driver drops the first ones of a stage, so that those
// after them move up.
func TestForgottenTasks(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 1000, keeps: 80, now: 1795366700000}
	s := NewSource(f, "")
	var snap *dag.Snapshot
	for done := 0; done <= 600; done += 20 {
		f.done, f.now = done, f.now+1000
		var err error
		if snap, err = s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := snap.Jobs[0].Stages[0].Succeeded(); got != done {
			t.Errorf("%d tasks are known to have succeeded, %d have", got, done)
		}
	}
	listed := 0
	for _, at := range snap.Jobs[0].Stages[0].Attempts {
		if at.State == dag.AttemptSucceeded && at.Slot >= 0 {
			listed++
		}
	}
	if listed < 300 {
		t.Errorf("the times of %d of 600 tasks are known", listed)
	}
}

func TestCause(t *testing.T) {
	t.Parallel()
	const python = "Traceback (most recent call last):\n  File \"/lab/worker.py\", line 1247, in main\n    process()\n" +
		"ValueError: a bad record\n\n\tat org.apache.spark.api.python.BasePythonRunner.read(PythonRunner.scala:572)\n"
	for text, want := range map[string]string{
		"":                                    "",
		"java.io.IOException: no\n\tat X.y()": "java.io.IOException: no",
		python:                                "ValueError: a bad record",
		"org.apache.spark.api.python.PythonException: " + python:                                      "ValueError: a bad record",
		"Lost task 2.3 in stage 1.0 (TID 17): org.apache.spark.api.python.PythonException: " + python: "Lost task 2.3 in stage 1.0 (TID 17): ValueError: a bad record",
		"Traceback (most recent call last):\n  cut":                                                   "Traceback (most recent call last):",
	} {
		if got := cause(text); got != want {
			t.Errorf("cause(%q) = %q, want %q", text, got, want)
		}
	}
}
