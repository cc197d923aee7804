package mapreduce

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/yarn"
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
	failed := load[attemptsBody](t, "attempts-failed.json").Attempts.V.Attempt
	if len(failed) != 2 || failed[0].State != "FAILED" || failed[1].State != "STARTING" ||
		failed[1].Started.Instant().Known() {
		t.Errorf("%+v", failed)
	}
	if got := input.FirstLine(string(failed[0].Diagnostics)); got != "Container killed on request. Exit code is 137" {
		t.Errorf("diagnosis %q", got)
	}
	if n := len(load[attemptsBody](t, "attempts-none.json").Attempts.V.Attempt); n != 0 {
		t.Errorf("%d attempts of a task that has none", n)
	}
	// A list of one is an object in the history server of 3.5.0, and its progress an integer.
	jhs := load[attemptsBody](t, "jhs-attempts-3.5.0.json").Attempts.V.Attempt
	if len(jhs) != 1 || jhs[0].Progress.V != 100 || !jhs[0].CopyEnd.Instant().Known() {
		t.Errorf("%+v", jhs)
	}
	if n := len(load[tasksBody](t, "jhs-tasks-3.5.0.json").Tasks.V.Task); n != 10 {
		t.Errorf("%d tasks", n)
	}
	if b := load[jobBody](t, "jhs-job.json").Job.V; b.State != "SUCCEEDED" || !b.Submitted.Known || b.Maps.V != 20 {
		t.Errorf("%+v", b)
	}
	if b := load[appAttemptsBody](t, "appattempts.json"); len(b.Attempts.V.Attempt) == 0 {
		t.Errorf("%+v", b)
	} else if n, _ := b.newest(); n != 2 {
		t.Errorf("newest attempt %d", n)
	}
}
