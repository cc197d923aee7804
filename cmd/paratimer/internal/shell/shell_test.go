package shell_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
)

// watch is a clock that goes on by a second each time it is looked at.
func watch() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time { at = at.Add(time.Second); return at }
}

func newShell(log io.Writer) shell.Shell {
	return shell.Shell{Log: log, Now: watch(), Grace: 50 * time.Millisecond}
}

func TestShell(t *testing.T) {
	var log strings.Builder
	out := newShell(&log).Run(t.Context(), `echo "it's"; cat; echo done >&2`)
	if out.Err != nil || out.Code != 0 || out.Took != time.Second || log.String() != "it's\ndone\n" {
		t.Errorf("%+v, log %q", out, &log)
	}
	out = newShell(io.Discard).Run(t.Context(), "head -c 100000 /dev/zero | tr '\\0' x; echo; echo broken; exit 7")
	if out.Code != 7 || out.Err.Error() != "exit code 7" || !strings.HasSuffix(out.Output, "x\nbroken") ||
		len(out.Output) > 500 {
		t.Errorf("%+v", out)
	}
	if out = newShell(io.Discard).Run(t.Context(), "kill -9 $$"); out.Code != -1 || out.Err == nil ||
		out.Err.Error() != "signal: killed" {
		t.Errorf("%+v", out)
	}
	// What cannot be logged does not stop the command.
	if out = newShell(failing{}).Run(t.Context(), "head -c 1000000 /dev/zero"); out.Err != nil {
		t.Errorf("%+v", out)
	}
	// A process that it leaves behind holds its output; the shell does not wait for it.
	out = newShell(io.Discard).Run(t.Context(), "sleep 1000 & echo $!")
	pid, err := strconv.Atoi(out.Output)
	if err != nil || out.Err != nil {
		t.Fatalf("%+v, %v", out, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("it does not live on: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// The processes that a command started end with it, also if they ignore SIGTERM.
func TestShellEndsAll(t *testing.T) {
	for _, command := range []string{
		"sleep 1000 & echo $!; wait",
		"trap 'echo asked; exit 1' TERM; sleep 1000 & echo $!; wait; echo not asked",
		"trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1000; done' & wait; while :; do sleep 1000; done",
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, w := io.Pipe()
		ended := make(chan shell.Outcome)
		go func() {
			ended <- newShell(w).Run(ctx, command)
			w.Close()
		}()
		line, err := bufio.NewReader(r).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		interrupted := errors.New("interrupted")
		cancel(interrupted)
		go io.Copy(io.Discard, r)
		if out := <-ended; !errors.Is(out.Err, interrupted) || strings.Contains(command, "asked") &&
			!strings.HasSuffix(out.Output, "\nasked") {
			t.Errorf("%s: %+v", command, out)
		}
		awaitEnd(t, pid)
	}
}

// awaitEnd waits until a process has ended, or is a zombie that was not reaped yet.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) || zombie(pid) {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("process %d lives on", pid)
		}
	}
}

func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(b), ") Z ")
}
