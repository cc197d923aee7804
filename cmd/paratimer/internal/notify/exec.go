package notify

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/shell"
)

// commandAttempts is how often a failing command is tried: with the back-off, for about a quarter of an hour.
const commandAttempts = 10

// commandGrace is how long a command that takes too long has between SIGTERM and SIGKILL.
const commandGrace = time.Second

// NewCommand makes a sink that runs a shell command for each notification, at least once. text makes its standard
// input: one of Inputs, the text of a template over Message, or "" for the notification's JSON. The command gets env
// without ParaTimer's own settings, which may contain secrets such as the webhook's. It fails after limit.
func NewCommand(line, text string, limit time.Duration, env []string) (*Sink, error) {
	write, err := bodyOf(text, Inputs)
	if err != nil {
		return nil, err
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return strings.HasPrefix(e, "PARATIMER_") || strings.HasPrefix(e, "OPENLINEAGE_API_KEY=")
	})
	return &Sink{
		Key: keyOf("exec", line), Attempts: commandAttempts,
		Send: func(ctx context.Context, n Notification) (string, error) {
			in, err := write(n, "")
			if err != nil {
				return "", &Failure{Refused: true, Err: err}
			}
			late := fmt.Errorf("it did not end within exec-timeout %v", limit)
			ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
			defer cancel()
			in = append(in, '\n')
			out := shell.Shell{In: bytes.NewReader(in), Env: env, Now: time.Now, Grace: commandGrace}.Run(ctx, line)
			said := ""
			if out.Output != "" {
				said = fmt.Sprintf(": %q", out.Output)
			}
			if out.Err != nil {
				return "", fmt.Errorf("the command failed: %w%s", out.Err, said)
			}
			return "the command succeeded" + said, nil
		},
		Preview: func(n Notification) ([]byte, error) { return write(n, "") },
	}, nil
}
