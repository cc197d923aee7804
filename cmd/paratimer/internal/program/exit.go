package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/live"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/past"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// The exit codes of every command but check. TestExitTable holds them for all.
const (
	ExitOK          = 0
	ExitFailed      = 1   // the query failed or was killed; with --fail-on-regression, it became slower
	ExitUsage       = 2   // wrong usage, or a file that is damaged or not what it should be
	ExitBlind       = 3   // the query cannot be observed, or the output not be written
	ExitTimeout     = 124 // time limit
	ExitInterrupted = 130
)

// code is the exit code of a command's error, which it says on stderr where that adds anything.
func code(err error, stderr io.Writer) int {
	if err == nil {
		return ExitOK
	}
	var verdict live.PluginExit
	if errors.As(err, &verdict) {
		return int(verdict.State) // it is said
	}
	if errors.Is(err, command.ErrQueryFailed) || errors.Is(err, past.ErrRegressed) {
		return ExitFailed // the last frame, or the comparison, has said so
	}
	if errors.Is(err, command.ErrLeft) {
		return ExitInterrupted // it was the reader's wish
	}
	fmt.Fprintf(stderr, "paratimer: %s\n", view.EscapeLines(frame.Reason(err)))
	var bad command.UsageError
	switch {
	case unwritten(err):
		return ExitBlind
	case errors.Is(err, command.ErrTimeout):
		return ExitTimeout
	case errors.Is(err, command.ErrInterrupted), errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &bad):
		return ExitUsage
	}
	return ExitBlind
}

// unwritten reports whether an error means that a disk is full or broken, or that nobody reads a pipe any more.
func unwritten(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EPIPE},
		func(e error) bool { return errors.Is(err, e) })
}

// A wholeOutput remembers that it could not be written, e.g. to a full disk. Whoever reads it must not take it for
// whole.
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

// code returns the exit code of a command: exitBlind if it has done its work but could not write its output.
func (o *wholeOutput) code(code int, stderr io.Writer) int {
	if code != ExitOK && code != ExitFailed || o.err == nil {
		return code
	}
	fmt.Fprintf(stderr, "paratimer: the output is not whole: %s\n", view.EscapeLines(o.err.Error()))
	return ExitBlind
}
