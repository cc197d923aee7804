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

// A command runs a shell command for each notification, with its JSON on standard input, at least once.
type command struct {
	line  string
	limit time.Duration
	env   []string
	body  *body
}

// commandAttempts is how often a failing command is tried: with the back-off, for about a quarter of an hour.
const commandAttempts = 10

// NewCommand makes a sink that runs a shell command. template makes its input: one of Inputs, the text of a template
// over Message, or "" for the notification's JSON. The command gets env without ParaTimer's own settings, which may
// contain secrets such as the webhook's.
func NewCommand(line, template string, limit time.Duration, env []string) (*notify.Sink, error) {
	c := &command{line: line, limit: limit}
	var err error
	if c.body, err = newBody(template, Inputs); err != nil {
		return nil, err
	}
	for _, e := range env {
		if !strings.HasPrefix(e, "PARATIMER_") && !strings.HasPrefix(e, "OPENLINEAGE_API_KEY=") {
			c.env = append(c.env, e)
		}
	}
	return &notify.Sink{
		Key: keyOf("exec", line), Attempts: commandAttempts,
		Send: func(ctx context.Context, n notify.Notification) (string, error) {
			in, err := c.input(n)
			if err != nil {
				return "", &notify.Failure{Refused: true, Err: err}
			}
			return c.run(ctx, in)
		},
		Preview: func(n notify.Notification) notify.Preview {
			in, _ := c.input(n) // its values always encode
			if c.body.t != nil {
				in, _ = json.Marshal(string(in)) // a string always encodes
			}
			return notify.Preview{Command: line, Body: bytes.TrimSpace(in)}
		},
	}, nil
}

// input returns the command's standard input.
func (c *command) input(n notify.Notification) ([]byte, error) {
	if c.body.t != nil {
		return c.body.write(n, "")
	}
	in, err := json.Marshal(n)
	return append(in, '\n'), err
}

var errSlow = errors.New("it took too long")

// run runs the command and returns the last of its output. A command that takes too long is killed with all its child
// processes.
func (c *command) run(ctx context.Context, in []byte) (string, error) {
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
		return "", fmt.Errorf("the command was killed after exec-timeout %v%s", c.limit, output.quoted())
	case errors.Is(err, exec.ErrWaitDelay), errors.Is(err, syscall.EPIPE):
		// the command succeeded: a child process lives on, or it did not read its input
	case err != nil:
		return "", fmt.Errorf("the command failed: %w%s", err, output.quoted())
	}
	return "the command succeeded" + output.quoted(), nil
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
