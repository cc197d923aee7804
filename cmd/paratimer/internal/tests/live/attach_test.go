package live

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestAttach watches a query over HTTP to its end. Its tape gives the same frames, its capture the same end.
func TestAttach(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	tapeFile, captureFile := filepath.Join(dir, "run.tape.gz"), filepath.Join(dir, "run.capture.gz")
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, live, stderr := session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms",
		"--output", "ndjson", "--record", tapeFile, "--set", "capture="+captureFile)
	if code != program.ExitOK {
		t.Fatalf("attach: exit code %d\n%s", code, stderr)
	}
	if n := strings.Count(live, "\n"); n < 8 {
		t.Fatalf("only %d frames:\n%s", n, live)
	}
	for _, want := range []string{`"node":"scope-50"`, `"state":"succeeded"},"elapsed_seconds"`} {
		if !strings.Contains(live, want) {
			t.Errorf("no frame has %s", want)
		}
	}
	code, replayed, stderr := session.Run(t, "replay", tapeFile, "--output", "ndjson")
	if code != program.ExitOK || replayed != live {
		t.Errorf("replay of the tape: exit code %d, %s\n%s", code, Difference([]byte(live), []byte(replayed)), stderr)
	}
	// In a capture this cluster's time leaps within a tick, so only the leap can be reported.
	if code, output, stderr := session.Run(t, "replay", captureFile); code == program.ExitUsage ||
		!strings.HasPrefix(output, "join.pig: ") {
		t.Errorf("replay of the capture: exit code %d\n%s%s", code, output, stderr)
	}
}

func TestAttachToAFailingQuery(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{
		MaxAttempts: 1, Fail: []simulate.Failure{{Job: "scope-40", Task: 3, At: 15 * time.Second}},
	})
	code, out, stderr := session.Run(t, "attach", "--rm", url, "--jhs", url, "--user", "alice", "--every", "100ms")
	if code != program.ExitFailed || !strings.Contains(out, "failed after") {
		t.Errorf("exit code %d, want %d\n%s%s", code, program.ExitFailed, out, stderr)
	}
}

func TestAttachToNothing(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	url := restsim.HadoopServer(t, "../../examples/pig-join.yaml", simulate.Options{})
	code, out, stderr := session.Run(t, "attach", "application_1_0001", "--rm", url, "--jhs", url)
	if code != program.ExitBlind || out != "" || !strings.Contains(stderr, "application_1_0001") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, stderr)
	}
}

// TestAttachToALog watches an event log whose application has ended, in a folder and by itself, and one that is still
// written.
func TestAttachToALog(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	packed, err := os.Open("../../adapters/spark/testdata/skew-3.eventlog.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	dir, open := t.TempDir(), t.TempDir()
	write := func(dir, name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ended := write(dir, "app-20261122165821-0001", whole)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"attach", ended}, program.ExitOK, "succeeded after 46s"},
		{[]string{"attach", dir}, program.ExitOK, "succeeded after 46s"},
		{[]string{"attach", dir, "--sql", "99"}, program.ExitBlind, "has no execution 99 of SQL"},
		{[]string{"attach", filepath.Join(dir, "none")}, program.ExitUsage, "no such file"},
		{[]string{"attach", write(t.TempDir(), "notes.txt", []byte("x"))}, program.ExitUsage, "no event log in"},
		{[]string{"status", write(open, "app-20261122165821-0002.inprogress", whole[:len(whole)/2])}, program.ExitOK, "running"},
		{[]string{"status", open}, program.ExitOK, "running"},
	} {
		code, out, stderr := session.Run(t, c.args...)
		if code != c.code || !strings.Contains(out+stderr, c.want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", c.args, code, c.code, c.want, out, stderr)
		}
	}
}
