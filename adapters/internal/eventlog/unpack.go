// Package eventlog reads what applications of Apache Spark write as event logs: it unpacks their files, and reduces a
// log that a history server answers as a zip to the edges between stages.
package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// The first bytes of what event logs may be packed in beside gzip and zstd.
const (
	ZipMagic    = "PK\x03\x04"
	snappyMagic = "\x82SNAPPY\x00" // of SnappyOutputStream of snappy-java
	lzfMagic    = "ZV"
)

// ReadSize is how many bytes of a log are read at a time.
const ReadSize = 1 << 16

// mostBlock is the most bytes of a block, packed or not: lz4-java's and snappy-java's own limit.
const mostBlock = 32 << 20

// Unpack returns the text of a file of a log: plain, or packed by gzip, zstd, lz4, snappy or lzf. Packed data that
// breaks off or is damaged ends in an error that is io.ErrUnexpectedEOF. A byte order mark is left out.
func Unpack(in io.Reader) (*bufio.Reader, error) {
	b, err := unpack(in)
	if err != nil {
		return nil, err
	}
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		_, err = b.Discard(len(mark))
	}
	return b, err
}

func unpack(in io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(in, ReadSize)
	head, _ := b.Peek(len(snappyMagic))
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case is(LZ4Magic):
		return bufio.NewReaderSize(&blocks{in: b, next: lz4Next}, ReadSize), nil
	case is(snappyMagic):
		return bufio.NewReaderSize(&blocks{in: b, next: snappyNext}, ReadSize), nil
	case is(lzfMagic) && len(head) > len(lzfMagic) && head[len(lzfMagic)] <= lzfPacked:
		return bufio.NewReaderSize(&blocks{in: b, next: lzfNext}, ReadSize), nil
	}
	return input.Unpack(b, ReadSize)
}

// damaged returns the error for data that cannot be unpacked.
func damaged(by string) error {
	return fmt.Errorf("%w: the data packed by %s is damaged or breaks off", io.ErrUnexpectedEOF, by)
}

// blocks unpacks a stream block by block. next returns the next block, which may be empty, and io.EOF after the last.
type blocks struct {
	in   io.Reader
	next func(in io.Reader) ([]byte, error)
	rest []byte
	err  error // it stays what it is: a second read does not go on behind damage
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

// readBlock reads the bytes of a block whose head gave their number.
func readBlock(in io.Reader, size uint32, by string) ([]byte, error) {
	if size > mostBlock {
		return nil, fmt.Errorf("%w: a block has more than %d MB", damaged(by), mostBlock>>20)
	}
	// The block grows as it arrives: a head that lies costs no memory.
	var b bytes.Buffer
	switch _, err := io.CopyN(&b, in, int64(size)); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, damaged(by)
	case err != nil:
		return nil, err
	}
	return b.Bytes(), nil
}
