package mapreduce

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// load decodes a body that a real Hadoop gave (testdata: copied from recordings).
func load[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := yarn.Read[T](name, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func of[T any](t *testing.T, body string) T {
	t.Helper()
	v, err := yarn.Read[T]("test", []byte(body), nil)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

func TestAttemptsAndTasks(t *testing.T) {
	failed := load[attemptsBody](t, "attempts-failed.json").TaskAttempts.V.TaskAttempt
	if len(failed) != 2 || failed[0].State != "FAILED" || failed[1].State != "STARTING" ||
		failed[1].StartTime.Instant().Known() {
		t.Errorf("%+v", failed)
	}
	if got := input.FirstLine(string(failed[0].Diagnostics)); got != "Container killed on request. Exit code is 137" {
		t.Errorf("diagnosis %q", got)
	}
	if n := len(load[attemptsBody](t, "attempts-none.json").TaskAttempts.V.TaskAttempt); n != 0 {
		t.Errorf("%d attempts of a task that has none", n)
	}
	// A list of one is an object in the history server of 3.5.0, and its progress an integer.
	jhs := load[attemptsBody](t, "jhs-attempts-3.5.0.json").TaskAttempts.V.TaskAttempt
	if len(jhs) != 1 || jhs[0].Progress.V != 100 || !jhs[0].CopyEnd.Instant().Known() {
		t.Errorf("%+v", jhs)
	}
	if n := len(load[tasksBody](t, "jhs-tasks-3.5.0.json").Tasks.V.Task); n != 10 {
		t.Errorf("%d tasks", n)
	}
	if b := load[jobBody](t, "jhs-job.json").Job.V; b.State != "SUCCEEDED" || !b.SubmitTime.Known || b.MapsTotal.V != 20 {
		t.Errorf("%+v", b)
	}
	if b := load[appAttemptsBody](t, "appattempts.json"); len(b.Attempts.V.Attempt) == 0 {
		t.Errorf("%+v", b)
	} else if n, _ := b.newest(); n != 2 {
		t.Errorf("newest attempt %d", n)
	}
}

// allocates is how many bytes f allocates.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestKeysOfAnObject: an object in place of a list is not taken apart only to see that it is not empty.
func TestKeysOfAnObject(t *testing.T) {
	text := `{"tasks":{"task":{` + strings.Repeat(`"":0,`, 1<<18) + `"id":"task_1_0001_m_000000"}}}`
	var b tasksBody
	var err error
	n := allocates(func() { b, err = yarn.Read[tasksBody]("tasks", []byte(text), nil) })
	if err != nil || len(b.Tasks.V.Task) != 1 || n > uint64(2*len(text))+100_000 {
		t.Errorf("%d bytes make %d: %v, %d tasks", len(text), n, err, len(b.Tasks.V.Task))
	}
}

// TestRealAnswersAreLight: the lists of recorded answers take a half of what they may at most, and what is counted is
// what they take.
func TestRealAnswersAreLight(t *testing.T) {
	t.Parallel()
	tasks := 0
	for pattern, body := range map[string]any{
		"*-tasks*.json": &tasksBody{}, "*-attempts*.json": &attemptsBody{},
	} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := rest.Decode(file, text, body, (rest.Lists(len(text))-rest.Lists(0))/2); err != nil {
				t.Error(err)
			}
			if b, ok := body.(*tasksBody); ok && len(b.Tasks.V.Task) > 0 {
				tasks++
				n := len(b.Tasks.V.Task) * int(reflect.TypeFor[wireTask]().Size())
				if err := rest.Decode(file, text, body, n); err != nil {
					t.Error(err)
				}
				if err := rest.Decode(file, text, body, n-1); !errors.Is(err, rest.ErrTooBig) {
					t.Errorf("%s: %d tasks take less than %d bytes: %v", file, len(b.Tasks.V.Task), n, err)
				}
			}
		}
	}
	if tasks == 0 {
		t.Error("no list of tasks was weighed")
	}
}

// TestVersions reads what masters and history servers of several Hadoops reported of the same script (testdata: our own
// live runs).
func TestVersions(t *testing.T) {
	for _, version := range []string{"2.10.2"} {
		am, over := load[jobBody](t, "am-job-"+version+".json").Job.V,
			load[jobBody](t, "jhs-job-"+version+".json").Job.V
		if am.State != "RUNNING" || am.FinishTime.Instant().Known() || !am.StartTime.Instant().Known() || am.MapsTotal.V != 3 ||
			am.ReducesTotal.V != 2 || am.MapsCompleted.V != 3 {
			t.Errorf("%s: the master's job is %+v", version, am)
		}
		if over.State != "SUCCEEDED" || !over.SubmitTime.Instant().Known() || !(over.SubmitTime.V < over.StartTime.V &&
			over.StartTime.V < over.FinishTime.V) || !over.ReducesCompleted.Known {
			t.Errorf("%s: the history server's job is %+v", version, over)
		}
		for _, from := range []string{"am", "jhs"} {
			all := load[attemptsBody](t, from+"-attempts-reduce-"+version+".json").TaskAttempts.V.TaskAttempt
			if len(all) != 1 {
				t.Errorf("%s, %s: %d attempts, want one", version, from, len(all))
				continue
			}
			a := all[0]
			if kind, _, number, ok := AttemptOf(string(a.ID)); !ok || kind != dag.Reduce || number != 0 {
				t.Errorf("%s, %s: attempt %q", version, from, a.ID)
			}
			if a.State != "SUCCEEDED" || a.NodeHTTPAddress == "" || a.Progress.Ratio() != 1 ||
				!(a.StartTime.V < a.CopyEnd.V && a.CopyEnd.V <= a.SortEnd.V && a.SortEnd.V <= a.FinishTime.V) {
				t.Errorf("%s, %s: %+v", version, from, a)
			}
		}
	}
}

// TestOddReduces: before MAPREDUCE-7133 a list of reduce attempts named a schema's type beside their own.
func TestOddReduces(t *testing.T) {
	const fields = `"id":"attempt_1_0001_r_000000_0","state":"RUNNING","type":"REDUCE","shuffleFinishTime":7`
	for _, body := range []string{
		`{"taskAttempts":{"taskAttempt":[{"type":"reduceTaskAttemptInfo",` + fields + `}]}}`,
		`{"taskAttempts":{"taskAttempt":[{"@xsi.type":"reduceTaskAttemptInfo",` + fields + `}]}}`,
		`{"taskAttempts":{"taskAttempt":{"@type":"reduceTaskAttemptInfo","@xmlns.xsi":"http://www.w3.org/2001/XMLSchema-instance",` + fields + `}}}`,
	} {
		if all := of[attemptsBody](t, body).TaskAttempts.V.TaskAttempt; len(all) != 1 || all[0].State != "RUNNING" ||
			all[0].CopyEnd.V != 7 {
			t.Errorf("%s: %+v", body, all)
		}
	}
}
