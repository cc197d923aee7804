package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tty"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// The exit codes of every command but check. TestExitTable checks them all.
const (
	ExitOK          = 0
	ExitFailed      = 1   // the query failed or was killed; with --fail-on-regression, it became slower
	ExitUsage       = 2   // wrong usage, or a damaged or unsuitable file
	ExitBlind       = 3   // the query cannot be observed, or the output cannot be written
	ExitTimeout     = 124 // time limit
	ExitInterrupted = 130
)

// code returns the exit code of a command's error. It prints the error to stderr unless the output has shown it
// already.
func code(err error, stderr io.Writer) int {
	if err == nil {
		return ExitOK
	}
	switch exit, ok := errors.AsType[command.Exit](err); {
	case ok:
		return exit.Code // the command has reported why
	case errors.Is(err, tty.ErrLeft):
		return ExitInterrupted // the user quit the screen before the query ended
	}
	fmt.Fprintf(stderr, "paratimer: %s\n", view.EscapeLines(frame.Reason(err)))
	switch {
	case slices.ContainsFunc(unwritten, func(e error) bool { return errors.Is(err, e) }):
		return ExitBlind
	case errors.Is(err, command.ErrTimeout):
		return ExitTimeout
	case errors.Is(err, command.ErrInterrupted), errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, new(command.UsageError)):
		return ExitUsage
	}
	return ExitBlind
}

// unwritten are errors of a disk that is full or broken, or of a pipe that has no reader any more.
var unwritten = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EPIPE}

// A wholeOutput remembers if a write failed, e.g. on a full disk. Then the exit code must show that the output is
// incomplete.
type wholeOutput struct {
	io.Writer
	err error
}

func (o *wholeOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// code returns the exit code of a command: ExitBlind if the command has done its work but could not write its output.
func (o *wholeOutput) code(code int, stderr io.Writer) int {
	if code != ExitOK && code != ExitFailed || o.err == nil {
		return code
	}
	fmt.Fprintf(stderr, "paratimer: the output is not whole: %s\n", view.EscapeLines(o.err.Error()))
	return ExitBlind
}
