package recording

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Create creates the file of a recording. Every Write is flushed to the file before it returns, so that a crash loses
// at most the current line. The caller must close it.
func Create(name string) (io.WriteCloser, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &created{Compress(f), f}, nil
}

// created is a file with its compression.
type created struct {
	io.WriteCloser
	file io.Closer
}

func (c *created) Close() error { return errors.Join(c.WriteCloser.Close(), c.file.Close()) }

// Compress returns a writer that compresses what is written to w in the caller's goroutine, and flushes every Write.
// Close does not close w.
func Compress(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // an option is wrong
	}
	return &compressed{z}
}

type compressed struct{ *zstd.Encoder }

func (c *compressed) Write(b []byte) (int, error) {
	n, err := c.Encoder.Write(b)
	if err != nil {
		return n, err
	}
	return n, c.Flush()
}

// window is the number of bytes before a line in which a repeated text is found: more than a poll of a wide job.
const window = 8 << 20

// Open opens the file of observations and reads its header. The caller must close it.
func Open(name string) (*Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	r.file = f
	return r, nil
}
