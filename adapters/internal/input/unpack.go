// Package input takes what others have written: files of lines, packed or not and damaged here and there, and answers
// to quote.
package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The first bytes of what is packed.
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	lz4Magic  = "\x04\x22\x4d\x18"
	// snappyMagic begins the framing format of snappy's own tools.
	snappyMagic = "\xff\x06\x00\x00sNaPpY"
)

// maxWindow bounds the bytes that a zstd file makes its reader keep: what zstd itself unpacks without a flag, up to
// --long=27.
const maxWindow = 128 << 20

// Unpack returns the text of in: plain, or packed by gzip, zstd, lz4 or snappy, as its first bytes tell. It reads size
// bytes at a time. Packed data that breaks off or is damaged ends in an error that is io.ErrUnexpectedEOF; an error of
// in stays what it is.
func Unpack(in io.Reader, size int) (*bufio.Reader, error) {
	from := &source{in: in}
	b := bufio.NewReaderSize(from, size)
	magic, _ := b.Peek(len(snappyMagic)) // a file that is too short for its magic is plain
	is := func(want string) bool { return bytes.HasPrefix(magic, []byte(want)) }
	var packed io.Reader
	var err error
	switch {
	case is(gzipMagic):
		packed, err = gzip.NewReader(b)
	case is(zstdMagic):
		packed, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
	case is(lz4Magic):
		packed = lz4.NewReader(b)
	case is(snappyMagic):
		packed = s2.NewReader(b)
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
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return n, fmt.Errorf("%w: zstd needs more than %d MB to unpack it: unpack it with zstd -d --long=31 first", err,
			maxWindow>>20)
	}
	return n, fmt.Errorf("%w: what is packed is damaged: %w", io.ErrUnexpectedEOF, err)
}
