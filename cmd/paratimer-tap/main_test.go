//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary is the tap too: as a process of its own, with the words of a command line.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_OF_TAP") == "tap" {
		os.Unsetenv("TEST_OF_TAP")
		main()
	}
	os.Exit(m.Run())
}

const (
	mapAttempt    = "attempt_1700000000000_0001_m_000004_0"
	reduceAttempt = "attempt_1700000000000_0001_r_000002_0"
)

// The environments of tasks of Hadoop Streaming, as far as the tap looks at them (seen with 3.4.2).
var (
	mapTask = []string{
		"mapreduce_task_attempt_id=" + mapAttempt, "mapreduce_job_reduces=3", "stream_map_streamprocessor=cat",
		"stream_map_output_reader_class=" + textReader,
	}
	reduceTask = []string{
		"mapreduce_task_attempt_id=" + reduceAttempt, "mapreduce_job_reduces=3", "stream_map_streamprocessor=cat",
		"stream_reduce_input_writer_class=" + textWriter,
	}
)

// A result is what is seen of a command from outside.
type result struct {
	code        int
	out, err    string // err without the tap's own lines
	said        []string
	inputBroken bool // not all of the input could be written
}

// tapped is the command line of a tap around a command.
func tapped(t testing.TB, side string, command ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(side)
	cmd := exec.Command(self, append(append(args, "--"), command...)...)
	cmd.Env = append(clean(), "TEST_OF_TAP=tap")
	return cmd
}

// clean is an environment in which no task is.
func clean() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "mapred") || strings.HasPrefix(name, "stream_") ||
			strings.HasPrefix(name, "PARATIMER_") || name == "LOG_DIRS"
	})
}

// play runs a command with an input.
func play(t testing.TB, cmd *exec.Cmd, input io.Reader) result {
	t.Helper()
	in, out, stderr := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t), must(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var r result
	var text bytes.Buffer
	var all sync.WaitGroup
	all.Go(func() {
		_, err := io.Copy(in, input)
		r.inputBroken = errors.Is(err, unix.EPIPE)
		in.Close()
	})
	all.Go(func() { b, _ := io.ReadAll(out); r.out = string(b) })
	all.Go(func() { _, _ = io.Copy(&text, stderr) })
	all.Wait()
	_ = cmd.Wait()
	r.code = exitCode(cmd.ProcessState)
	var own strings.Builder
	for line := range strings.Lines(text.String()) {
		if said, ok := strings.CutPrefix(line, "paratimer-tap: "); ok {
			r.said = append(r.said, strings.TrimSpace(said))
		} else {
			own.WriteString(line)
		}
	}
	r.err = own.String()
	return r
}

// rss is the most memory that a process or its child had at a time, in bytes.
func rss(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
