// Package shell runs shell commands of users: training runs, and commands that get alerts.
package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// An Outcome is the result of a command.
type Outcome struct {
	Took   time.Duration
	Err    error  // nil if it succeeded
	Code   int    // its exit code; -1 if it has none
	Output string // the last of its output
}

// pipeWait is how long to wait for more output after the command has ended: a background process may keep the pipe
// open.
const pipeWait = 200 * time.Millisecond

// A Shell runs commands with sh. Each has its own process group, which ends with the context: a command may start
// child processes. Its output goes to Log.
type Shell struct {
	In  io.Reader        // standard input of a command; nil: empty
	Log io.Writer        // nil: the output is not logged
	Env []string         // NAME=VALUE of the commands; nil: the process's own
	Now func() time.Time // of a monotonic clock
	// Grace is how long a command's processes have to end after SIGTERM before they are killed.
	Grace time.Duration
}

// Run runs a command and returns its result.
func (s Shell) Run(ctx context.Context, command string) Outcome {
	r, w, err := os.Pipe()
	if err != nil {
		return Outcome{Err: err, Code: -1}
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = s.In, w, w, s.Env
	grouped(cmd)
	cmd.WaitDelay = s.Grace
	from := s.Now()
	err = cmd.Start()
	w.Close()
	if err != nil {
		return Outcome{Err: err, Code: -1}
	}
	output := tail{log: s.Log}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(&output, r) // ends at the pipe's end or at the deadline
	}()
	err = cmd.Wait()
	o := Outcome{Took: s.Now().Sub(from), Code: cmd.ProcessState.ExitCode()}
	if err != nil && ctx.Err() != nil {
		killGroup(cmd) // kills what ignored SIGTERM; usually nothing is left
		err = context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it succeeded, and a child process keeps its input open
	}
	_ = r.SetReadDeadline(time.Now().Add(pipeWait))
	<-copied
	o.Err, o.Output = err, strings.TrimSpace(string(bytes.ToValidUTF8(output.b, []byte("�")))) // its beginning may be cut
	if errors.As(err, new(*exec.ExitError)) && o.Code >= 0 {
		o.Err = fmt.Errorf("exit code %d", o.Code)
	}
	return o
}

// A tail copies a command's output to log and keeps the last of it. An error of log does not stop the command.
type tail struct {
	log io.Writer
	b   []byte
}

const tailBytes = 400

func (t *tail) Write(p []byte) (int, error) {
	if t.log != nil {
		_, _ = t.log.Write(p)
	}
	t.b = append(t.b, p[max(0, len(p)-tailBytes):]...)
	t.b = t.b[max(0, len(t.b)-tailBytes):]
	return len(p), nil
}
