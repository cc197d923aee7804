package spark

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/dag"
)

// TestSnapshotsShareWhatStays checks that a snapshot that shares what has not changed with the one before is the same
// as one that is made anew, and that no later snapshot changes it.
func TestSnapshotsShareWhatStays(t *testing.T) {
	t.Parallel()
	logs, err := filepath.Glob("testdata/*eventlog*")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	step := dag.Instant(1000)
	if testing.Short() {
		step = 5000
	}
	opts := []cmp.Option{cmpopts.EquateNaNs(), cmp.Exporter(func(reflect.Type) bool { return true })}
	for _, path := range logs {
		log, err := openLog(path)
		if err != nil {
			continue // bad ones are other tests'
		}
		shares, anew := log.Reader(""), log.Reader("")
		shared := 0
		var before *dag.Snapshot
		var text string
		for now := log.First; now <= log.Last+step; now += step {
			for _, s := range anew.app.stages {
				s.table.changed = true
			}
			got, ok := shares.At(now)
			want, wantOK := anew.At(now)
			if diff := cmp.Diff(want, got, opts...); ok != wantOK || diff != "" {
				t.Fatalf("%s at %d (-anew +shared):\n%s", path, now, diff)
			}
			if before != nil {
				if inWords(before) != text {
					t.Fatalf("%s: the snapshot at %d has changed since", path, before.At)
				}
				shared += sharing(before, got)
			}
			if before = got; got != nil {
				text = inWords(got)
			}
		}
		if shared == 0 && log.Last-log.First > 20_000 {
			t.Errorf("%s: no attempts are shared", path)
		}
	}
}

func inWords(s *dag.Snapshot) string { return fmt.Sprintf("%+v %+v", *s, *s.Plan) }

// sharing is how many stages of two snapshots share their attempts.
func sharing(x, y *dag.Snapshot) int {
	n := 0
	for k := range x.Jobs[0].Stages {
		p, q := x.Jobs[0].Stages[k].Attempts, y.Jobs[0].Stages[k].Attempts
		if len(p) > 0 && len(p) == len(q) && &p[0] == &q[0] {
			n++
		}
	}
	return n
}

// TestTaskThatEndsMovesOneStage checks that a snapshot copies the attempts of the stages that have changed and of no
// others.
func TestTaskThatEndsMovesOneStage(t *testing.T) {
	t.Parallel()
	log := benchLog(t, 4, 4000)
	r := log.Reader("")
	now := log.Last - (log.Last-log.First)/8
	before, _ := r.At(now)
	same, _ := r.At(now + 1)
	if n := sharing(before, same); n != 4 {
		t.Errorf("no task has ended, and %d of 4 stages share their attempts", n)
	}
	later, _ := r.At(now + benchStep)
	if n := sharing(before, later); n != 3 {
		t.Errorf("a task has ended, and %d of 4 stages share their attempts", n)
	}
}
