package capture

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// recordings lists the recorded runs, or skips.
func recordings(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("PARATIMER_RECORDINGS")
	if dir == "" {
		dir = "../../../shared/recordings"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no recordings in %s: set PARATIMER_RECORDINGS", dir)
	}
	return files
}

// play returns all snapshots of the recording's default workflow.
func play(t *testing.T, file string, o Options) []*dag.Snapshot {
	t.Helper()
	rec, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := NewSource(rec, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []*dag.Snapshot
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("after %d snapshots: %v", len(out), err)
		}
		out = append(out, s)
	}
}

// Every recording is played to an end that is earned.
func TestEndOfRecordings(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			run := play(t, file, Options{})
			if len(run) == 0 {
				t.Fatal("no snapshot")
			}
			last := run[len(run)-1]
			if !last.State.Ended() {
				t.Errorf("the last snapshot is %v", last.State)
			}
			t.Logf("%d snapshots, %v, %d jobs", len(run), last.State, len(last.Jobs))
		})
	}
}
