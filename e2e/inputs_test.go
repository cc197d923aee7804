//go:build e2e

package e2e

import (
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/planfile"
)

// TestInputsOnHDFS: a real NameNode tells the sizes of the inputs of a script's jobs, and they are in its tape, its
// capture and its profile.
func TestInputsOnHDFS(t *testing.T) {
	l := up(t, "--hdfs")
	pig := l.client("pig", append([]string{"pig"}, joinSmall...)...)
	l.awaitApp("join.pig")
	w := l.attach("inputs", "")
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	plan, err := planfile.ReadFile(w.learn(), planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for j := range plan.Jobs {
		job := &plan.Jobs[j]
		if len(job.After) > 0 || len(job.Input) != 1 {
			continue
		}
		size, _, _ := strings.Cut(strings.TrimSpace(l.hadoop("run", "org.apache.hadoop.fs.FsShell", "-du", "-s",
			job.Input[0])), " ")
		if want, err := strconv.ParseFloat(size, 64); err != nil || job.InputBytes != want {
			t.Errorf("job %s reads %v bytes of %s, HDFS has %s (%v)", job.Node, job.InputBytes, job.Input, size, err)
		}
		told++
	}
	if told != 2 {
		t.Errorf("the sizes of %d jobs could be held against HDFS, want 2", told)
	}
}
