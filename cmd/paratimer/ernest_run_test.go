package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestErnestRunInterrupted sends SIGINT in the middle of the second training run: everything that it has started ends, and
// the table has the first one, whole.
func TestErnestRunInterrupted(t *testing.T) {
	setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	if err := os.WriteFile("design.json", []byte(`{"rows":[{"machines":2,"scale":0.5},{"machines":1,"scale":0.5}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// All processes of the second run hold the pipe open.
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	const command = "test {machines} = 2 || { exec 3>pipe; sh -c 'echo begun >&3; sleep 1000' & sleep 1000 & wait; }"
	var stdout, stderr bytes.Buffer
	exit := make(chan int, 1)
	go func() {
		exit <- run(t.Context(), []string{"paratimer", "ernest", "run", "--design", "design.json", "--out", "rows.csv", "--command", command}, environ(t), strings.NewReader(""), &stdout, &stderr)
	}()
	pipe, err := os.Open("pipe") // waits for a writer
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := io.ReadFull(pipe, make([]byte, len("begun\n"))); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, pipe); err != nil { // until the last of them has ended
		t.Fatal(err)
	}
	if code := <-exit; code != exitInterrupted || stdout.Len() > 0 || !strings.HasSuffix(stderr.String(), "\nparatimer: interrupted\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q; want %d", code, &stdout, &stderr, exitInterrupted)
	}
	b, err := os.ReadFile("rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) != 4 || lines[1] != "machines,scale,seconds" || !strings.HasPrefix(lines[2], "2,0.5,") || lines[3] != "" {
		t.Errorf("the table is\n%s", b)
	}
}
