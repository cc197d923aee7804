package webhdfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// A status is HDFS's status of a file or folder.
type status struct {
	Suffix   string `json:"pathSuffix"`
	Kind     string `json:"type"` // FILE, DIRECTORY or SYMLINK
	Length   int64  `json:"length"`
	Modified int64  `json:"modificationTime"` // ms since the epoch
}

func (s *status) Name() string       { return s.Suffix }
func (s *status) Size() int64        { return s.Length }
func (s *status) ModTime() time.Time { return time.UnixMilli(s.Modified) }
func (s *status) IsDir() bool        { return s.Kind == "DIRECTORY" }
func (s *status) Sys() any           { return nil }

func (s *status) Mode() fs.FileMode {
	kinds := map[string]fs.FileMode{"DIRECTORY": fs.ModeDir | 0o111, "SYMLINK": fs.ModeSymlink}
	return kinds[s.Kind] | 0o444
}

// A file is an open file.
type file struct {
	io.ReadCloser
	info fs.FileInfo
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// An idle body fails if no data arrives for patience, so that a hanging DataNode cannot block its reader forever. The
// length of a file is not limited.
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
