// Package eventlog reads what applications of Apache Spark write as event logs: it unpacks their files, and reduces a
// log that a history server answers as a zip to the edges between stages.
package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// The first bytes of what event logs may be packed in beside gzip and zstd.
const (
	ZipMagic    = "PK\x03\x04"
	SnappyMagic = "\x82SNAPPY\x00"
	lzfMagic    = "ZV"
)

// ReadSize is how many bytes of a log are read at a time.
const ReadSize = 1 << 16

// Unpack returns the text of a file of a log: plain, or packed by gzip, zstd or lz4. Packed data that breaks off or is
// damaged ends in an error that is io.ErrUnexpectedEOF. Data that snappy or lzf have packed is an error.
func Unpack(in io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(in, ReadSize)
	head, _ := b.Peek(len(SnappyMagic))
	switch {
	case bytes.HasPrefix(head, []byte(LZ4Magic)):
		return bufio.NewReaderSize(&lz4Reader{in: b}, ReadSize), nil
	case bytes.HasPrefix(head, []byte(SnappyMagic)), bytes.HasPrefix(head, []byte(lzfMagic)):
		return nil, errors.New(
			"the event log is packed by snappy or lzf, which is not read: unpack it, or set spark.eventLog.compression.codec to zstd or lz4")
	}
	return input.Unpack(b, ReadSize)
}
