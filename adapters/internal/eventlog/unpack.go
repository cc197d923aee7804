// Package eventlog reads event logs of Apache Spark. It uncompresses their files. It also reduces a history server's
// zip of a log to the edges between stages.
package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// The magic bytes of event log compressions, other than gzip and zstd.
const (
	ZipMagic    = "PK\x03\x04"
	snappyMagic = "\x82SNAPPY\x00" // of SnappyOutputStream of snappy-java
	lzfMagic    = "ZV"
)

// ReadSize is the number of bytes per read.
const ReadSize = 1 << 16

// mostBlock bounds a block in bytes, compressed or not: the limit of lz4-java and snappy-java.
const mostBlock = 32 << 20

// Unpack returns the text of a log file: plain, or compressed by gzip, zstd, lz4, snappy or lzf. Compressed data that
// is cut off or damaged ends in an error that is io.ErrUnexpectedEOF. A byte order mark is left out.
func Unpack(in io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(in, ReadSize)
	head, _ := b.Peek(len(snappyMagic))
	var err error
	switch is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }; {
	case is(LZ4Magic):
		b = bufio.NewReaderSize(&blocks{in: b, next: lz4Next}, ReadSize)
	case is(snappyMagic):
		b = bufio.NewReaderSize(&blocks{in: b, next: snappyNext}, ReadSize)
	case is(lzfMagic) && len(head) > len(lzfMagic) && head[len(lzfMagic)] <= lzfPacked:
		b = bufio.NewReaderSize(&blocks{in: b, next: lzfNext}, ReadSize)
	default:
		if b, err = input.Unpack(b, ReadSize); err != nil {
			return nil, err
		}
	}
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		_, err = b.Discard(len(mark))
	}
	return b, err
}

// damaged returns the error for data that cannot be uncompressed.
func damaged(by string) error {
	return fmt.Errorf("%w: the data packed by %s is damaged or breaks off", io.ErrUnexpectedEOF, by)
}

// blocks uncompresses a stream by blocks. next returns the next block, which may be empty, and io.EOF after the last.
type blocks struct {
	in   io.Reader
	next func(in io.Reader) ([]byte, error)
	rest []byte
	err  error // it stays set, so that no read continues after damage
}

func (r *blocks) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.next(r.in)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// readBlock reads the bytes of a block of the given size.
func readBlock(in io.Reader, size uint32, by string) ([]byte, error) {
	if size > mostBlock {
		return nil, fmt.Errorf("%w: a block has more than %d MB", damaged(by), mostBlock>>20)
	}
	// The buffer grows as data arrives, so that a wrong size costs no memory.
	var b bytes.Buffer
	switch _, err := io.CopyN(&b, in, int64(size)); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, damaged(by)
	case err != nil:
		return nil, err
	}
	return b.Bytes(), nil
}
