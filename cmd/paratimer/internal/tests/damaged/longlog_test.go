package damaged

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestLongLog checks that a log of three hours is observed at most 300 times, and at the interval of --every.
func TestLongLog(t *testing.T) {
	t.Parallel()
	l := fixtures.NewSparkLog(2)
	l.End(l.Job(time.Second, 900*time.Second, 24, -1) + time.Second)
	path := write(t, filepath.Join(t.TempDir(), "app-1"), l.Bytes())
	for _, c := range []struct {
		every       string
		least, most int
	}{
		{"0", 250, 302},
		{"30s", 360, 370},
	} {
		code, stdout, stderr := session.Run(t, "replay", path, "--speed", "0", "--output", "ndjson", "--every", c.every)
		if n := strings.Count(stdout, "\n"); code != 0 || n < c.least || n > c.most {
			t.Errorf("replay --every %s: exit code %d, %d frames, %s", c.every, code, n, stderr)
		}
	}
	code, stdout, stderr := session.Run(t, "score", path, "--output", "json")
	var all struct{ Runs []struct{ Ticks int } }
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || code != 0 || len(all.Runs) != 1 {
		t.Fatalf("score: exit code %d, %v, %s", code, err, stderr)
	}
	if n := all.Runs[0].Ticks; n < 250 || n > 302 {
		t.Errorf("score: %d ticks", n)
	}
}
