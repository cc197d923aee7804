//go:build unix

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/flow"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/lines"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/mapoutput"
)

// mapSide runs the command and measures its output.
func (j *job) mapSide() (int, error) {
	r, w, err := pipe()
	if err != nil {
		say("nothing is measured: " + err.Error())
		return j.plain()
	}
	theirs := os.NewFile(uintptr(w), "output")
	p, err := j.start(os.Stdin, theirs)
	_ = theirs.Close()
	if err != nil {
		return 0, err
	}
	rounds := j.rounds(nothing, nil)
	leave(0)
	meter := mapoutput.New(mapoutput.Params{
		Format: j.task.format, Reduces: j.task.reduces, Lambda: j.options.lambda, Show: j.options.show,
	})
	copied := make(chan error)
	whole := false
	go func() {
		var err error
		whole, err = flow.Copy(r, 1, func(piece []byte) { j.care.do(func() { meter.Feed(piece) }) })
		// Closing both descriptors shows the command that the reader has gone, and the reader that no data follows.
		_ = unix.Close(r)
		leave(1)
		copied <- err
	}()
	code := wait(p)
	if err := <-copied; err != nil {
		// The command itself would have got this error.
		if err != unix.EPIPE { //nolint:errorlint // a system call's error is a number
			say("write error: " + err.Error())
			if code == 128+int(unix.SIGPIPE) {
				code = 1
			}
		}
	}
	b := tap.Batch{}
	if whole && (code == 0 || os.Getenv("stream_non_zero_exit_is_failure") == "false") {
		j.care.do(func() {
			if b.Map = meter.End(); b.Map == nil {
				b.Note = fmt.Sprintf("no promises: a key is longer than %d bytes", lines.Most)
			}
		})
	}
	if fault := j.care.note(); fault != "" {
		b.Map, b.Note = nil, fault
	}
	rounds.End(b)
	return code, nil
}
