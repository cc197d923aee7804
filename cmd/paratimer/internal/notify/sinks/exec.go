package sinks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// commandAttempts is how often a failing command is tried: with the back-off, for about a quarter of an hour.
const commandAttempts = 10

// NewCommand makes a sink that runs a shell command for each notification, at least once. text makes its standard
// input: one of Inputs, the text of a template over Message, or "" for the notification's JSON. The command gets env
// without ParaTimer's own settings, which may contain secrets such as the webhook's. It fails after limit.
func NewCommand(line, text string, limit time.Duration, env []string) (*notify.Sink, error) {
	write, err := bodyOf(text, Inputs)
	if err != nil {
		return nil, err
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return strings.HasPrefix(e, "PARATIMER_") || strings.HasPrefix(e, "OPENLINEAGE_API_KEY=")
	})
	return &notify.Sink{
		Key: keyOf("exec", line), Attempts: commandAttempts,
		Send: func(ctx context.Context, n notify.Notification) (string, error) {
			in, err := write(n, "")
			if err != nil {
				return "", &notify.Failure{Refused: true, Err: err}
			}
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
			cmd.Env, cmd.Stdin = env, bytes.NewReader(append(in, '\n'))
			return run(ctx, cmd, limit)
		},
		Preview: func(n notify.Notification) ([]byte, error) { return write(n, "") },
	}, nil
}

// run runs a command and returns the last of its output. A command that takes too long is killed with all its child
// processes.
func run(ctx context.Context, cmd *exec.Cmd, limit time.Duration) (string, error) {
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	grouped(cmd)
	cmd.WaitDelay = time.Second // a child process may keep our pipes open
	err := cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil:
		return "", fmt.Errorf("the command was killed after exec-timeout %v%s", limit, output.quoted())
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
