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
	body  *body // nil: the notification's JSON
}

// commandAttempts is how often a failing command is tried: with the back-off, for about a quarter of an hour.
const commandAttempts = 10

// NewCommand makes a sink that runs a shell command. template makes its input: one of Inputs, the text of a template
// over Message, or "" for the notification's JSON. The command gets env without ParaTimer's own settings, which may
// contain secrets such as the webhook's.
func NewCommand(line, template string, limit time.Duration, env []string) (*Command, error) {
	c := &Command{line: line, limit: limit}
	if template != "" {
		var err error
		if c.body, err = newBody(template, Inputs, false); err != nil {
			return nil, err
		}
	}
	for _, e := range env {
		if !strings.HasPrefix(e, "PARATIMER_") && !strings.HasPrefix(e, "OPENLINEAGE_API_KEY=") {
			c.env = append(c.env, e)
		}
	}
	return c, nil
}

// Key implements notify.Sink.
func (c *Command) Key() string { return keyOf("exec", c.line) }

// Options implements notify.Sink.
func (c *Command) Options() notify.Options {
	return notify.Options{Batch: 1, Attempts: commandAttempts}
}

// Send runs the command. A command that takes too long is killed with all its child processes.
func (c *Command) Send(ctx context.Context, batch []notify.Notification) error {
	for _, n := range batch {
		if _, err := c.Answer(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// Answer runs the command for a notification and returns the last of its output.
func (c *Command) Answer(ctx context.Context, n notify.Notification) (string, error) {
	in, err := c.input(n)
	if err != nil {
		return "", &notify.Refused{Err: err}
	}
	output, err := c.run(ctx, in)
	return "the command succeeded" + output, err
}

// input returns the command's standard input.
func (c *Command) input(n notify.Notification) ([]byte, error) {
	if c.body != nil {
		return c.body.write(n, "")
	}
	in, err := json.Marshal(n)
	return append(in, '\n'), err
}

var errSlow = errors.New("it took too long")

func (c *Command) run(ctx context.Context, in []byte) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, errSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.line)
	cmd.Env = c.env
	cmd.Stdin = bytes.NewReader(in)
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	grouped(cmd)
	cmd.WaitDelay = time.Second // a child process may keep our pipes open
	err := cmd.Run()
	switch {
	case errors.Is(context.Cause(ctx), errSlow) && err != nil:
		return "", fmt.Errorf("the command was killed after --exec-timeout %v%s", c.limit, output.quoted())
	case errors.Is(err, exec.ErrWaitDelay), errors.Is(err, syscall.EPIPE):
		// the command succeeded: a child process lives on, or it did not read its input
	case err != nil:
		return "", fmt.Errorf("the command failed: %w%s", err, output.quoted())
	}
	return output.quoted(), nil
}

// tail keeps the last 200 bytes of a command's output.
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

// Preview returns the command and its input.
func (c *Command) Preview(n notify.Notification) Preview {
	in, _ := c.input(n) // its values always encode
	if c.body != nil {
		in, _ = json.Marshal(string(in)) // a string always encodes
	}
	return Preview{Command: c.line, Body: bytes.TrimSpace(in)}
}
