// Package eventlog reads event logs of Apache Spark. It uncompresses their files. It also reduces a history server's
// zip of a log to the edges between stages.
package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/internal/loose"
)

// ZipMagic begins a zip.
const ZipMagic = "PK\x03\x04"

// ReadSize is the number of bytes per read.
const ReadSize = 1 << 16

// Unpack returns the text of a log file: plain, or compressed by gzip, zstd, lz4 or snappy. Compressed data that
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

// mark is the byte order mark that some editors add.
const mark = "\ufeff"

var (
	firstName = regexp.MustCompile(`^\s*\{\s*"Event"\s*:\s*"([^"\\]*)"`)
	ofSpark   = regexp.MustCompile(`(?m)^\s*\{.*?"Event"\s*:\s*"(SparkListener|org\.apache\.spark\.|DBCEventLogging|com\.databricks\.)`)
)

// Event returns the name of the event in a line of a log; "" if there is none. Spark writes the name first, so that a
// cut-off line has it too.
func Event(line []byte) string {
	if !bytes.Contains(line, []byte(`"Event"`)) {
		return "" // as millions of lines may be
	}
	if name := firstName.FindSubmatch(line); name != nil {
		return string(name[1])
	}
	var e struct{ Event loose.Text }
	_ = json.Unmarshal(line, &e) // it stays "" if the line is not an event
	return string(e.Event)
}

// IsLog reports whether a text, the beginning of a file, has a line that is an event of Spark or Databricks. Its first
// lines may be damaged or incomplete.
func IsLog(text []byte) bool { return ofSpark.Match(text) }
