package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/dag"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		want   int
		stderr string
	}{
		{nil, 0, ""},
		{follow.Ended(dag.Succeeded), 0, ""},
		{follow.Ended(dag.Failed), 1, ""},
		{follow.Ended(dag.Killed), 1, ""},
		{
			follow.Ended(dag.EndedUnconfirmed), 3,
			"paratimer: it is not known whether the query succeeded: the end of a job was not reported, or jobs never came\n",
		},
		{follow.Ended(dag.Running), 3, "paratimer: the observations end while the query is running\n"},
		{command.Usage("no %s", "x"), 2, "paratimer: no x\n"},
		{fmt.Errorf("file: %w", command.Usage("no plan")), 2, "paratimer: file: no plan\n"},
		{command.Usage("cannot read: %w", fs.ErrNotExist), 2, "paratimer: cannot read: file does not exist\n"},
		{errors.New("a\x1b[31m\nb"), 3, "paratimer: a\\x1b[31m\nb\n"},
		{command.ErrTimeout, 124, "paratimer: the time limit has passed\n"},
		{command.ErrInterrupted, 130, "paratimer: interrupted\n"},
		{context.Canceled, 130, "paratimer: context canceled\n"},
	} {
		var b bytes.Buffer
		if got := code(c.err, &b); got != c.want || b.String() != c.stderr {
			t.Errorf("code(%v) = %d, %q; want %d, %q", c.err, got, &b, c.want, c.stderr)
		}
	}
}
