package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strconv"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func exitText(err error) string {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return strconv.Itoa(e.ExitCode())
	}
	return err.Error()
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want int
		says string
	}{
		{nil, 0, ""},
		{ended(dag.Succeeded), 0, ""},
		{ended(dag.Failed), 1, ""},
		{ended(dag.Killed), 1, ""},
		{ended(dag.EndedUnconfirmed), 3, "paratimer: every known job has ended, but jobs of the query never came, or nobody tells how one ended: whether it succeeded is not known\n"},
		{ended(dag.Running), 3, "paratimer: the observations end while the query is running\n"},
		{usage("no %s", "x"), 2, "paratimer: no x\n"},
		{fmt.Errorf("file: %w", usage("no plan")), 2, "paratimer: file: no plan\n"},
		{usage("cannot read: %w", fs.ErrNotExist), 2, "paratimer: cannot read: file does not exist\n"},
		{errors.New("a\x1b[31m\nb"), 3, "paratimer: a\\x1b[31m\nb\n"},
		{errTimeout, 124, "paratimer: the time limit has passed\n"},
		{errInterrupted, 130, "paratimer: interrupted\n"},
		{context.Canceled, 130, "paratimer: context canceled\n"},
	} {
		var b bytes.Buffer
		if got := code(c.err, &b); got != c.want || b.String() != c.says {
			t.Errorf("code(%v) = %d, %q; want %d, %q", c.err, got, &b, c.want, c.says)
		}
	}
}
