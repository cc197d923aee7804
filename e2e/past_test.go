//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestPast makes recordings of the job history of a script: from the history server's folder in a real HDFS, and from a
// copy of it on disk.
func TestPast(t *testing.T) {
	l := up(t, "--hdfs")
	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	pig.succeed()
	var jobs []string
	for _, a := range l.apps() {
		jobs = append(jobs, a.job())
	}
	truth := l.truth(jobs)
	namenode := strings.TrimPrefix(settings(l.hadoop("env"))["PARATIMER_NN"], "http://")
	const done = "/staging/history/done"
	l.await("the history of three jobs in "+done, func() bool {
		return strings.Count(l.hadoop("run", "org.apache.hadoop.fs.FsShell", "-ls", "-R", done), ".jhist") == 3
	})
	local := filepath.Join(l.dir, "done")
	l.hadoop("run", "org.apache.hadoop.fs.FsShell", "-get", done, local)

	disk := l.imported("disk", truth, local)
	hdfs := l.imported("hdfs", truth, "webhdfs://"+namenode+done)
	if !bytes.Equal(disk, hdfs) {
		t.Errorf("the tapes differ: %s", firstDifference(disk, hdfs))
	}
	if len(jobs) != 3 {
		t.Errorf("%d jobs, want 3", len(jobs))
	}
	l.note("job history of a script, in HDFS and on disk", truth,
		"`history add --out` makes the same recording of both, with the length of the history server")
}

// imported is the one recording that `paratimer history add --out` makes of what is at a place, unzipped.
func (l *lab) imported(name string, truth float64, place string) []byte {
	l.t.Helper()
	out := filepath.Join(l.dir, name)
	var got struct {
		Runs []struct {
			ID               string `json:"run_id"`
			Recording, State string
			Jobs             int
			TotalSeconds     float64 `json:"total_seconds"`
		}
	}
	l.must(json.Unmarshal(l.run("import-"+name, 0, "history", "add", place, "-o", out, "--output", "json"), &got))
	if len(got.Runs) != 1 {
		l.t.Fatalf("%s: %d workflows", name, len(got.Runs))
	}
	w := got.Runs[0]
	l.t.Logf("%s: %+v", name, w)
	if w.Jobs != 3 || w.State != "succeeded" || !strings.HasPrefix(w.ID, "pig_") ||
		math.Abs(w.TotalSeconds-truth) > 0.001 {
		l.t.Errorf("%s: %+v, want a script of 3 jobs that took %.3f s", name, w, truth)
	}
	l.run("replay-"+name, 0, "replay", "--output", "ndjson", w.Recording)
	text, err := fixtures.Unpacked(w.Recording)
	l.must(err)
	return text
}
