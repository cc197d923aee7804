//go:build foreign

package history

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestHadoopsOwn reads histories that Hadoop's own tests have, of 0.23, 2.0 and 2.4.
func TestHadoopsOwn(t *testing.T) {
	dir := fixtures.Foreign("jhist")
	for _, c := range []struct {
		prefix        string
		state         dag.State
		maps, reduces int
		attempts      int
		seconds       float64 // from submission to end, as in the file
	}{
		{"job_0.23.9-FAILED", dag.Failed, 2, 1, 8, 29.950},
		{"job_2.4.0-FAILED", dag.Failed, 2, 1, 4, 27.010},
		{"job_1329348432655_0001-", dag.Succeeded, 10, 1, 12, 25.374},
		{"job_1416424547277_0002-", dag.Succeeded, 2, 0, 2, 10.152},
	} {
		files, _ := filepath.Glob(filepath.Join(dir, c.prefix+"*.jhist"))
		if len(files) != 1 {
			t.Errorf("%s: %v", c.prefix, files)
			continue
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		j := read(t, b)
		if j.State != c.state || j.Maps != c.maps || j.Reduces != c.reduces ||
			len(j.Attempts[0])+len(j.Attempts[1]) != c.attempts ||
			j.Bad > 0 || j.Torn || j.Finished.Seconds(j.Submitted) != c.seconds {
			t.Errorf("%s: %v, %d maps, %d reduces, %d attempts, %v s, %d bad", c.prefix, j.State, j.Maps, j.Reduces,
				len(j.Attempts[0])+len(j.Attempts[1]), j.Finished.Seconds(j.Submitted), j.Bad)
		}
	}
}
