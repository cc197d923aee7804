package recording

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/dag"
)

// A Source yields snapshots of one query.
type Source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// Tee returns a source that writes the snapshots and missed observations of src to w before it returns them. Each
// line is one Write.
//
// A write error does not end the watch. It ends the recording, and all later snapshots have a warning
// (dag.WarnTornTape).
func Tee(src Source, w io.Writer) Source { return &tee{src: src, w: w} }

type tee struct {
	src  Source
	w    io.Writer
	enc  encoder
	open bool
	torn error
}

func (t *tee) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := t.src.Next(ctx)
	var missed *dag.MissedError
	switch {
	case t.torn != nil:
	case err == nil:
		t.write(t.enc.snapshot(s))
	case errors.As(err, &missed):
		t.write(t.enc.missed(missed))
	}
	if err == nil && t.torn != nil {
		s = withWarnings(s, dag.Warning{Code: dag.WarnTornTape, Text: "the recording ends here: " + t.torn.Error()})
	}
	return s, err
}

func (t *tee) write(line []byte, err error) {
	if err == nil && !t.open {
		_, err = t.w.Write(headerOf(wordObservations))
		t.open = true
	}
	if err == nil {
		_, err = t.w.Write(line)
	}
	if err != nil {
		t.torn = fmt.Errorf("cannot write it: %w", err)
	}
}
