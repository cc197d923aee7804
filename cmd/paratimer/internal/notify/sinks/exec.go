package sinks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// A Command runs a shell command for each notification, with its JSON on standard input, at least once.
type Command struct {
	line  string
	limit time.Duration
	env   []string
}

// commandAttempts is how often a command that fails is tried: with the back-off, for about a quarter of an hour.
const commandAttempts = 10

// NewCommand makes the sink of a shell command. env is the environment, of which it is not given our own settings: they
// may hold secrets, such as the webhook's.
func NewCommand(line string, limit time.Duration, env []string) *Command {
	c := &Command{line: line, limit: limit}
	for _, e := range env {
		if !strings.HasPrefix(e, "PARATIMER_") {
			c.env = append(c.env, e)
		}
	}
	return c
}

// Key is a notify.Sink's.
func (c *Command) Key() string { return keyOf("exec", c.line) }

// Options are those of a notify.Sink.
func (c *Command) Options() notify.Options {
	return notify.Options{Batch: 1, Attempts: commandAttempts}
}

// Send runs the command. One that takes too long is killed with all that it has started.
func (c *Command) Send(ctx context.Context, batch []notify.Notification) error {
	for _, n := range batch {
		in, err := json.Marshal(n)
		if err != nil {
			return &notify.Refused{Err: err}
		}
		if err := c.run(ctx, append(in, '\n')); err != nil {
			return err
		}
	}
	return nil
}

var errSlow = errors.New("it took too long")

func (c *Command) run(ctx context.Context, in []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, errSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.line)
	cmd.Env = c.env
	cmd.Stdin = bytes.NewReader(in)
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a group of its own, to be killed as one
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // what it left running may hold our pipes
	err := cmd.Run()
	switch {
	case errors.Is(context.Cause(ctx), errSlow) && err != nil:
		return fmt.Errorf("the command was killed after --exec-timeout %v%s", c.limit, output.quoted())
	case errors.Is(err, exec.ErrWaitDelay), errors.Is(err, syscall.EPIPE):
		// it has ended well; a child of it lives on, or it did not read
		return nil
	case err != nil:
		return fmt.Errorf("the command failed: %w%s", err, output.quoted())
	}
	return nil
}

// tail keeps the last of what a command says.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-200):]
	return len(p), nil
}

func (t *tail) quoted() string {
	if s := strings.TrimSpace(string(t.b)); s != "" {
		return fmt.Sprintf(": %q", s)
	}
	return ""
}

// Preview is what would be run.
func (c *Command) Preview(n notify.Notification) Preview {
	in, _ := json.Marshal(n) // it has no value that cannot be
	return Preview{Command: c.line, Body: in}
}
