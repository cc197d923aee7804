package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestLogIsRotated: a watch in a process of its own, with a log that logrotate moves away, goes on in a new one;
// a real SIGHUP, with which the rules are read again, does it no harm, and nothing is on stderr but why it ended.
func TestLogIsRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, rulesFile := filepath.Join(dir, "paratimer.log"), filepath.Join(dir, "rules.yaml")
	if err := os.WriteFile(rulesFile, []byte("rules:\n  - {name: long, match: {user: alice}, within: 24h}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	url := restsim.ServeCrowd(t, restsim.Crowd(t, "../../examples/pig-join.yaml", 1, dag.InstantOf(time.Now()), 0), 1)
	cmd := exec.Command("paratimer", "watch", "--rules", rulesFile, "--rm", url, "--jhs", url, "--output", "none",
		"--log-level", "info", "--log-file", log)
	cmd.Env = append(session.Environ(t), "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	logged := func(path, what string) {
		t.Helper()
		eventually(t, path+" has "+what, func() bool {
			b, _ := os.ReadFile(path)
			return strings.Contains(string(b), what)
		})
	}
	logged(log, `"message":"watching"`)
	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	logged(log, "the rules were read again")
	logged(log+".1", `"message":"watching"`)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != program.ExitInterrupted {
		t.Errorf("%v", err)
	}
	if stderr.String() != "paratimer: interrupted\n" {
		t.Errorf("on stderr: %s", stderr.String())
	}
}

// TestLogNowhere checks that a log that cannot be written is an error before anything is done.
func TestLogNowhere(t *testing.T) {
	t.Parallel()
	code, _, stderr := session.Run(t, "version", "--log-file", filepath.Join(t.TempDir(), "none", "a.log"))
	if code != program.ExitUsage || !strings.Contains(stderr, "--log-file") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
