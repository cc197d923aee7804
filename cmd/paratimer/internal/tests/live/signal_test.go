package live

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestInterrupt sends SIGINT once the first line has come.
func TestInterrupt(t *testing.T) {
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	r, w := io.Pipe()
	var stderr bytes.Buffer
	exit := make(chan int)
	go func() {
		code := program.Run(t.Context(), []string{"paratimer", "demo", "--speed", "0.001"}, session.Environ(t), strings.NewReader(""),
			w, &stderr)
		w.Close()
		exit <- code
	}()
	first := make([]byte, 1)
	if _, err := r.Read(first); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	if code := <-exit; code != program.ExitInterrupted || stderr.String() != "paratimer: interrupted\n" {
		t.Errorf("exit code %d, stderr %q; want %d", code, &stderr, program.ExitInterrupted)
	}
}
