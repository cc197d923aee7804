// Package eventlog reads event logs of Apache Spark. It uncompresses their files. It also reduces a history server's
// zip of a log to the edges between stages.
package eventlog

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// ZipMagic begins a zip.
const ZipMagic = "PK\x03\x04"

// ReadSize is the number of bytes per read.
const ReadSize = 1 << 16

// Unpack returns the text of a log file: plain, or compressed by gzip, zstd, lz4, snappy or lzf. Compressed data that
// is cut off or damaged ends in an error that is io.ErrUnexpectedEOF. A byte order mark is left out.
func Unpack(in io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(in, ReadSize)
	head, _ := b.Peek(len(snappyMagic))
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	var next func(io.Reader) ([]byte, error)
	switch {
	case is(LZ4Magic):
		next = lz4Next
	case is(snappyMagic):
		next = snappyNext
	case is(lzfMagic) && len(head) > len(lzfMagic) && head[len(lzfMagic)] <= lzfPacked:
		next = lzfNext
	}
	var err error
	if next != nil {
		b = bufio.NewReaderSize(&blocks{in: b, next: next}, ReadSize)
	} else if b, err = input.Unpack(b, ReadSize); err != nil {
		return nil, err
	}
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		_, err = b.Discard(len(mark))
	}
	return b, err
}

// Event returns the name of the event in a complete or cut-off line of a log; "" if there is none. Spark writes the
// name first.
func Event(line []byte) string {
	if !bytes.Contains(line, []byte(`"Event"`)) {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(line))
	t, err := d.Token()
	isObject := t == json.Delim('{')
	var skipped json.RawMessage
	for isObject && err == nil && d.More() {
		if t, err = d.Token(); t == "Event" {
			var name string
			_ = d.Decode(&name) // it stays "" if it is not a string
			return name
		}
		err = cmp.Or(err, d.Decode(&skipped))
	}
	return ""
}

// mark is the byte order mark that some editors add.
const mark = "\ufeff"

// IsLog reports whether a text starts like an event log: one of its first lines is an event of Spark or Databricks.
// The last line may be cut off.
func IsLog(text []byte) bool {
	const most = 20 // lines: the first ones may be damaged or incomplete
	lines := bytes.SplitN(text, []byte("\n"), most+1)
	for _, line := range lines[:min(len(lines), most)] {
		name := Event(line)
		for _, by := range []string{"SparkListener", "org.apache.spark.", "DBCEventLogging", "com.databricks."} {
			if strings.HasPrefix(name, by) {
				return true
			}
		}
	}
	return false
}
