//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// sides are the environments of both sides, and of one where nothing is measured.
var sides = map[string][]string{"map": mapTask, "reduce": reduceTask, "reduce --every 1s": nil}

// begin starts a tap and waits until its command reports that it is ready.
func begin(t *testing.T, side string, env []string, command string) (cmd *exec.Cmd, in io.WriteCloser,
	out *bufio.Reader,
) {
	t.Helper()
	cmd = tapped(t, side, "sh", "-c", command)
	cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+t.TempDir())
	in = must(cmd.StdinPipe())(t)
	out = bufio.NewReader(must(cmd.StdoutPipe())(t))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, in, out
}

// TestSignals checks that a signal for the tap is the command's, and that the command's end is the tap's.
func TestSignals(t *testing.T) {
	// A shell handles a signal between two commands.
	const handles = `trap 'echo got %; exit 7' %; echo ready; while :; do sleep 0.01; done`
	for side, env := range sides {
		for name, s := range map[string]syscall.Signal{
			"TERM": unix.SIGTERM, "INT": unix.SIGINT, "HUP": unix.SIGHUP, "USR1": unix.SIGUSR1, "USR2": unix.SIGUSR2,
			"QUIT": unix.SIGQUIT, "ALRM": unix.SIGALRM,
		} {
			if signal.Ignored(s) {
				t.Logf("SKIPPED: %s is ignored here, so no process can get it", name)
				continue
			}
			command := strings.ReplaceAll(handles, "%", name)
			cmd, in, out := begin(t, side, env, command)
			_ = cmd.Process.Signal(s)
			rest, _ := io.ReadAll(out)
			_ = cmd.Wait()
			in.Close()
			if code := exitCode(cmd.ProcessState); code != 7 || string(rest) != "got "+name+"\n" {
				t.Errorf("%s, %s: exit %d, %q", side, name, code, rest)
			}
		}
		cmd, in, out := begin(t, side, env, "echo ready; exec sleep 1000")
		_ = cmd.Process.Signal(unix.SIGTERM)
		_, _ = io.ReadAll(out)
		_ = cmd.Wait()
		in.Close()
		// Java and shells see the same number for a command that a signal has killed and for a tap that reports it.
		if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !(s.Exited() && s.ExitStatus() == 143) &&
			!(s.Signaled() && s.Signal() == unix.SIGTERM) {
			t.Errorf("%s: %v", side, cmd.ProcessState)
		}
	}
}

// TestKilledTap checks that a command does not outlive its tap.
func TestKilledTap(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux kills a command with its tap")
	}
	for side, env := range sides {
		cmd, in, out := begin(t, side, env, "echo ready; exec sleep 1000")
		_ = cmd.Process.Kill()
		_, _ = io.ReadAll(out) // ends when the command has: else it waits for long
		_ = cmd.Wait()
		in.Close()
		if code := exitCode(cmd.ProcessState); code != 128+9 {
			t.Errorf("%s: exit %d", side, code)
		}
	}
}

// TestIgnored checks that a command inherits which signals are ignored, as far as Go lets it.
func TestIgnored(t *testing.T) {
	for side, env := range sides {
		cmd := exec.Command("sh", "-c", `trap '' INT HUP; exec "$@"`, "sh", must(os.Executable())(t))
		cmd.Args = append(cmd.Args, append(strings.Fields(side), "--", "sh", "-c",
			"kill -INT $$; kill -HUP $$; echo done")...)
		cmd.Env = append(append(clean(), "TEST_OF_TAP=tap", "LOG_DIRS="+t.TempDir()), env...)
		if got := play(t, cmd, strings.NewReader("")); got.code != 0 || got.out != "done\n" {
			t.Errorf("%s: exit %d, %q", side, got.code, got.out)
		}
	}
}

// TestClosed checks that it is seen at once, on either side of a tap, that a command has closed its input or output and
// goes on.
func TestClosed(t *testing.T) {
	for side, env := range sides {
		cmd, in, out := begin(t, side, env, "exec <&-; echo ready; exec sleep 1000")
		var err error
		for range 100 { // a tap may have read ahead, but not for long
			if _, err = in.Write(make([]byte, 1<<20)); err != nil {
				break
			}
		}
		if !errors.Is(err, unix.EPIPE) {
			t.Errorf("%s: input is still taken: %v", side, err)
		}
		_ = cmd.Process.Signal(unix.SIGTERM)
		_, _ = io.ReadAll(out)
		_ = cmd.Wait()

		cmd, in, out = begin(t, side, env, "echo ready; exec >&-; exec sleep 1000")
		if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // else it waits for long
			t.Errorf("%s: %q, %v", side, rest, err)
		}
		_ = cmd.Process.Signal(unix.SIGTERM)
		_ = cmd.Wait()
		in.Close()
	}
}

// TestGrandchildren checks that what a command has started may go on reading and writing after it.
func TestGrandchildren(t *testing.T) {
	input := strings.Repeat("key\tvalue\n", 50_000)
	for _, side := range []string{"map", "reduce"} {
		cmd := tapped(t, side, "sh", "-c", "exec 3<&0; cat <&3 & exit 6")
		cmd.Env = append(append(cmd.Env, sides[side]...), "LOG_DIRS="+t.TempDir())
		if got := play(t, cmd, strings.NewReader(input)); got.code != 6 || got.out != input {
			t.Errorf("%s: exit %d, %d bytes of %d", side, got.code, len(got.out), len(input))
		}
	}
}

// TestDescriptors checks that a command gets the descriptors that the tap was given, and no other.
func TestDescriptors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: no /proc")
	}
	r, w := must2(os.Pipe())(t)
	defer r.Close()
	defer w.Close()
	const list = "ls /proc/self/fd | grep -v '^[0-2]$' | wc -l; echo x >&3"
	for side, env := range sides {
		cmd := tapped(t, side, "sh", "-c", list)
		cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+t.TempDir())
		cmd.ExtraFiles = []*os.File{w}
		bare := exec.Command("sh", "-c", list)
		bare.ExtraFiles = cmd.ExtraFiles
		want, got := play(t, bare, strings.NewReader("")), play(t, cmd, strings.NewReader(""))
		if got.out != want.out || got.code != 0 {
			t.Errorf("%s: %q descriptors and exit %d, without a tap %q", side, got.out, got.code, want.out)
		}
	}
}

func must2[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a, b
	}
}
