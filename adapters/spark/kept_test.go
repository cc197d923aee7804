package spark

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/dag"
)

// A snapshot that takes over what has not changed since the one before is the same as one that is made anew.
func TestSnapshotsTakeOverTheSame(t *testing.T) {
	t.Parallel()
	logs, err := filepath.Glob("testdata/*eventlog*")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	opts := []cmp.Option{cmpopts.EquateNaNs(), cmp.Exporter(func(reflect.Type) bool { return true })}
	for _, path := range logs {
		log, err := OpenLog(path)
		if err != nil {
			continue // bad ones are other tests'
		}
		kept, anew := log.Reader(""), log.Reader("")
		shared := 0
		var before *dag.Snapshot
		for now := log.First; now <= log.Last+1000; now += 1000 {
			for _, s := range anew.app.stages {
				s.changes++
			}
			if l := &anew.app.lanes; len(l.dealt) > 0 {
				l.counts[0]++ // as if an executor had changed
			}
			got, ok := kept.At(now)
			want, wantOK := anew.At(now)
			if diff := cmp.Diff(want, got, opts...); ok != wantOK || diff != "" {
				t.Fatalf("%s at %d (-anew +kept):\n%s", path, now, diff)
			}
			if before != nil && got != nil && len(before.Jobs[0].Stages) > 0 {
				x, y := before.Jobs[0].Stages[0].Attempts, got.Jobs[0].Stages[0].Attempts
				if len(x) > 0 && len(y) > 0 && &x[0] == &y[0] {
					shared++
				}
			}
			before = got
		}
		if shared == 0 && log.Last-log.First > 20_000 {
			t.Errorf("%s: no attempts were taken over", path)
		}
	}
}
