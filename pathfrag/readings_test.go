package pathfrag_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/pathfrag"
)

type source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// attributionOf replays a source and attributes the time of every tenth snapshot and the last.
func attributionOf(t *testing.T, src source) (*dag.Snapshot, *pathfrag.Attribution) {
	t.Helper()
	var m pathfrag.Marks
	var last *dag.Snapshot
	check := func() *pathfrag.Attribution {
		a, err := pathfrag.Attribute(last, &m)
		if err != nil {
			t.Fatal(err)
		}
		if err := partition(last, a); err != nil {
			t.Fatalf("at %d: %v\n%s", last.At, err, text(last, a))
		}
		return a
	}
	for n := 0; ; n++ {
		s, err := src.Next(t.Context())
		var missed *dag.MissedError
		if errors.As(err, &missed) {
			continue
		}
		if errors.Is(err, io.EOF) {
			return last, check()
		}
		if err != nil {
			t.Fatal(err)
		}
		last = s
		if m.See(s); n%10 == 0 {
			check()
		}
	}
}

func captured(t *testing.T, path string) source {
	t.Helper()
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	src, err := engine.Replay(rec, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func remembered(t *testing.T, dir, name string) source {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, name+".job_*.jhist.gz"))
	if err != nil || len(files) == 0 {
		return nil
	}
	tmp := t.TempDir()
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tmp, filepath.Base(f)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := history.ReadFiles(t.Context(), os.DirFS(tmp), ".")
	if err != nil {
		t.Fatal(err)
	}
	src, err := history.NewSource(history.Group(found.Jobs)[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestRecordings checks the partition on all recordings, and that both readings of a run, its capture and its job
// history, give the same account: to half a second the engine's instants, to a tick where an AM's container
// is only seen by looking, and where set-up ends by reports. History has nothing of the attempts of a dead master
// (amrestart).
func TestRecordings(t *testing.T) {
	files, err := fixtures.Recordings("recordings")
	if err != nil {
		t.Fatal(err)
	}
	both := 0
	for _, f := range files {
		name := fixtures.Name(f)
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("playing a capture takes a second")
			}
			s, a := attributionOf(t, captured(t, f))
			src := remembered(t, filepath.Dir(f), name)
			if src == nil {
				return
			}
			h, b := attributionOf(t, src)
			both++
			if a.From != b.From || a.To != b.To {
				t.Errorf("from %d to %d, in history %d to %d", a.From, a.To, b.From, b.To)
			}
			if name != "amrestart-1" {
				agree(t, a, b)
			}
			if t.Failed() {
				t.Logf("captured\n%shistory\n%s", text(s, a), text(h, b))
			}
		})
	}
	if both == 0 && !testing.Short() {
		t.Error("no run was read twice")
	}
}

func agree(t *testing.T, a, b *pathfrag.Attribution) {
	t.Helper()
	x, y := a.ByCause(), b.ByCause()
	for _, of := range []struct {
		off    time.Duration
		causes []pathfrag.Cause
	}{
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Queueing, pathfrag.Launch}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.SetUp, pathfrag.Work}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Containers}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Shuffle}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Sort}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Skew}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Failures}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Finish}},
		{500 * time.Millisecond, []pathfrag.Cause{pathfrag.Unknown}},
		{1500 * time.Millisecond, []pathfrag.Cause{pathfrag.Queueing}},
	} {
		off := time.Duration(0)
		for _, c := range of.causes {
			off += x[c] - y[c]
		}
		if off.Abs() > of.off {
			t.Errorf("%v: history has %v less", of.causes, off)
		}
	}
}
