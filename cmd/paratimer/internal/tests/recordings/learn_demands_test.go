package recordings

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestDemandsOfReadings: the capture of a run and the history files of its jobs give the same demands, each by counters
// of its own source: the history server's answers and the files.
func TestDemandsOfReadings(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, name := range readings {
		folder := historyOf(t, name)
		learn := func(path string) *training.JobFile {
			out := filepath.Join(t.TempDir(), "job.yaml")
			if code, _, stderr := session.Run(t, "learn", "--demands", path, "-o", out); code != program.ExitOK {
				t.Fatalf("%s: exit %d: %s", path, code, stderr)
			}
			f, err := training.ReadJobFile(out, nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			return f
		}
		seen, read := learn(fixtures.Recording(name+".jsonl.zst")), learn(folder)
		if diff := cmp.Diff(read.Jobs, seen.Jobs, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-history +capture)\n%s", name, diff)
		}
		for _, j := range read.Jobs {
			for _, d := range []queueing.Demand{j.Map, j.Shuffle, j.Merge} {
				if d.Total() > 0 {
					compared++
				}
			}
		}
	}
	if compared < 30 {
		t.Errorf("only %d demands were compared", compared)
	}
	t.Logf("%d demands compared", compared)
}
