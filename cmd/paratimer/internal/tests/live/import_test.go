package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestRecordGoodAndBad checks that recordings are written of what can be read. The rest is named, and the exit code
// says that something is missing.
func TestRecordGoodAndBad(t *testing.T) {
	t.Parallel()
	alone(t)
	bad := filepath.Join(t.TempDir(), "bad.jhist")
	if err := os.WriteFile(bad, []byte("Avro-Json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const good, other = "../../adapters/history/testdata/quadratic.jhist.gz",
		"../../adapters/history/testdata/failure.jhist.gz"
	for _, output := range []string{"text", "json"} {
		out := t.TempDir()
		code, stdout, stderr := session.Run(t, "history", "add", good, bad, "/nowhere", other, "-o", out, "--output", output)
		tapes, err := filepath.Glob(filepath.Join(out, "*.jsonl.zst"))
		if err != nil || len(tapes) != 2 || code != program.ExitUsage {
			t.Errorf("%s: exit code %d, %d tapes, %v", output, code, len(tapes), err)
		}
		for _, want := range []string{"bad.jhist: jhist: the schema in line 2 is missing", "/nowhere: "} {
			if strings.Count(stderr, want) != 1 {
				t.Errorf("%s: want once: %s, got\n%s", output, want, stderr)
			}
		}
		if output == "text" {
			continue
		}
		var result struct {
			Runs []struct{ File, Recording string }
		}
		if err := json.Unmarshal([]byte(stdout), &result); err != nil || len(result.Runs) != 2 ||
			result.Runs[1].File != good || !slices.Contains(tapes, result.Runs[1].Recording) {
			t.Errorf("%s, %v", stdout, err)
		}
	}
	if code, _, stderr := session.Run(t, "history", "add", bad, "-o", t.TempDir()); code != program.ExitUsage ||
		strings.Count(stderr, "bad.jhist") != 1 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
