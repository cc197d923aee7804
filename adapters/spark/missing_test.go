package spark

import (
	"errors"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestSourceNoUnit holds that a watcher of a job group that never comes says what it waits for, and ends with the
// driver.
func TestSourceNoUnit(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 4, now: 1795366700000}
	s := NewSource(f, IDOf("app-1", "", "nope"))
	snap, err := s.Next(t.Context())
	if err != nil || len(snap.Warnings) != 1 ||
		!strings.Contains(snap.Warnings[0].Text, `waiting: app-1 has no job group "nope"`) {
		t.Fatalf("while it waits: %+v, %v", snap, err)
	}
	f.gone = true
	for range 20 {
		f.now += 10_000
		_, err = s.Next(t.Context())
		if _, missed := errors.AsType[*dag.MissedError](err); !missed {
			break
		}
	}
	if _, none := errors.AsType[*NoUnitError](err); !none {
		t.Errorf("the driver has gone: %v", err)
	}
}

// TestNoUnitWords holds what is said of a unit that is not there, and which ones are listed.
func TestNoUnitWords(t *testing.T) {
	t.Parallel()
	for unit, want := range map[string]string{
		"/group/nope": `spark: app-1 has no job group "nope"; it has "a", "b"`,
		"/sql/99":     "spark: app-1 has no execution 99 of SQL; it has 0, 1, 2, 3, 4 and 1 other",
	} {
		a := NewApp("app-1" + unit)
		took(a, 0, "jobs", `[{"jobId":0,"jobGroup":"a"},{"jobId":1,"jobGroup":"b"},{"jobId":2,"jobGroup":"a"}]`)
		took(a, 0, "sql", `[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`)
		if err := a.Missing(); err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
