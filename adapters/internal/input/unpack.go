// Package input takes what others have written: files of lines, packed or not and damaged here and there, and answers
// to quote.
package input

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The first bytes of what is packed.
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// maxWindow bounds the bytes that a zstd file makes its reader keep: all that zstd's own levels ask for, up to
// --long=25.
const maxWindow = 32 << 20

// Unpack returns the text of in: plain, or packed by gzip or zstd, as its first bytes tell. It reads size bytes at a
// time. Packed data that breaks off or is damaged ends in an error that is io.ErrUnexpectedEOF; an error of in stays
// what it is.
func Unpack(in io.Reader, size int) (*bufio.Reader, error) {
	from := &source{in: in}
	b := bufio.NewReaderSize(from, size)
	magic, _ := b.Peek(len(zstdMagic)) // what is too short for it is plain
	var packed io.Reader
	var err error
	switch {
	case len(magic) >= len(gzipMagic) && string(magic[:len(gzipMagic)]) == gzipMagic:
		packed, err = gzip.NewReader(b)
	case string(magic) == zstdMagic:
		packed, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
	default:
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot unpack: %w", err)
	}
	return bufio.NewReaderSize(&text{packed: packed, from: from}, size), nil
}

// A source remembers what its reader failed with.
type source struct {
	in  io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// A text tells damage in what is packed from a source that cannot be read.
type text struct {
	packed io.Reader
	from   *source
}

func (t *text) Read(p []byte) (int, error) {
	n, err := t.packed.Read(p)
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case t.from.err != nil:
		return n, t.from.err
	}
	return n, fmt.Errorf("%w: what is packed is damaged: %w", io.ErrUnexpectedEOF, err)
}
