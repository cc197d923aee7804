package usage

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestErnestRunInterrupted sends SIGINT in the middle of the second training run: everything that it has started ends,
// and the table has the first one, whole.
func TestErnestRunInterrupted(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "design.json"),
		[]byte(`{"rows":[{"machines":2,"scale":0.5},{"machines":1,"scale":0.5}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// All processes of the second run hold the pipe open.
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	const command = "test {machines} = 2 || { exec 3>pipe; sh -c 'echo begun >&3; sleep 1000' & sleep 1000 & wait; }"
	var stdout, stderr bytes.Buffer
	cmd := session.Process(t, dir, "ernest", "run", "--design", "design.json", "--out", "rows.csv", "--command", command)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(filepath.Join(dir, "pipe")) // waits for a writer
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := io.ReadFull(pipe, make([]byte, len("begun\n"))); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, pipe); err != nil { // until the last of them has ended
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code has more detail
	if code := cmd.ProcessState.ExitCode(); code != program.ExitInterrupted || stdout.Len() > 0 ||
		!strings.HasSuffix(stderr.String(), "\nparatimer: interrupted\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q; want %d", code, &stdout, &stderr, program.ExitInterrupted)
	}
	b, err := os.ReadFile(filepath.Join(dir, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) != 4 || lines[1] != "machines,scale,seconds" || !strings.HasPrefix(lines[2], "2,0.5,") ||
		lines[3] != "" {
		t.Errorf("the table is\n%s", b)
	}
}
