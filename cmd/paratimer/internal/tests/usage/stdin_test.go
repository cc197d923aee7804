package usage

import (
	"bytes"
	"os"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestReplayStdin checks that a recording through a pipe gives what its file gives.
func TestReplayStdin(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	const path = "../../examples/join.jsonl.zst"
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out, stderr bytes.Buffer
	if code := program.Run(t.Context(), []string{"paratimer", "replay", "-"}, session.Environ(t), f, &out, &stderr); code != program.ExitOK {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	if _, want, _ := session.Run(t, "replay", path); out.String() != want {
		t.Errorf("from stdin:\n%s\nfrom the file:\n%s", out.String(), want)
	}
}
