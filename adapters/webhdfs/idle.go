package webhdfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// An idle body breaks off where nothing has come of it for patience: a DataNode that hangs must not hold up its reader
// for ever. A file may be as long as it likes.
type idle struct {
	io.ReadCloser
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
}

func (b *idle) Read(p []byte) (int, error) {
	timer := time.AfterFunc(patience, func() { b.cancel(fmt.Errorf("nothing has come for %v", patience)) })
	defer timer.Stop()
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *idle) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
