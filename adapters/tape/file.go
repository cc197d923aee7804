package tape

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Create creates the file of a tape, gzipped if its name ends in .gz. Every Write is flushed to the file before it
// returns, so that a crash loses at most the current line. The caller must close it.
func Create(name string) (io.WriteCloser, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("tape: %w", err)
	}
	if strings.HasSuffix(name, ".gz") {
		return &zipped{file: f, zip: gzip.NewWriter(f)}, nil
	}
	return f, nil
}

type zipped struct {
	file io.WriteCloser
	zip  *gzip.Writer
}

func (z *zipped) Write(b []byte) (int, error) {
	n, err := z.zip.Write(b)
	if err != nil {
		return n, err
	}
	return n, z.zip.Flush()
}

func (z *zipped) Close() error { return errors.Join(z.zip.Close(), z.file.Close()) }

// Open opens the file of a tape, gzipped or not, and reads its header. The caller must close it.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("tape: %w", err)
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return &File{Reader: r, file: f}, nil
}

// A File is a Reader with its file.
type File struct {
	*Reader
	file *os.File
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
