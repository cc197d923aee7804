package webhdfs

import (
	"io"
	"io/fs"
	"time"
)

// A status is HDFS's word on a file or folder.
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
	switch s.Kind {
	case "DIRECTORY":
		return fs.ModeDir | 0o555
	case "SYMLINK":
		return fs.ModeSymlink | 0o444
	}
	return 0o444
}

// A file is one that is being read.
type file struct {
	info fs.FileInfo
	body io.ReadCloser
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Read(b []byte) (int, error) { return f.body.Read(b) }
func (f *file) Close() error               { return f.body.Close() }
