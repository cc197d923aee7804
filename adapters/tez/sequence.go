package tez

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A sequenceFile is a Hadoop SequenceFile of messages as Tez writes it: version 6 with uncompressed records, or records
// compressed one by one, and without metadata. After an error all reads return zero values.
type sequenceFile struct {
	in       *bufio.Reader
	isPacked bool
	err      error // the first one
}

const (
	sequenceMagic = "SEQ"
	sequenceSync  = 16       // bytes of the mark between records
	mostRecord    = 64 << 20 // bytes of a record, compressed or not
	// protoClass is the class of the values of ProtoHistoryLoggingService.
	protoClass = "ProtoMessageWritable"
)

// openSequence reads the head of a file.
func openSequence(in *bufio.Reader) (*sequenceFile, error) {
	f := &sequenceFile{in: in}
	version, codec := string(f.read(4)), ".DefaultCodec"
	f.text() // class of the keys
	class := f.text()
	f.isPacked = f.number(1) != 0
	inBlocks := f.number(1) != 0
	if f.isPacked {
		codec = f.text()
	}
	metadata := f.number(4)
	f.read(sequenceSync)
	if version != sequenceMagic+"\x06" || !strings.HasSuffix(class, protoClass) || inBlocks ||
		!strings.HasSuffix(codec, ".DefaultCodec") || metadata != 0 {
		f.fail("it has version %q, values of %s, packed in blocks %v by %s, and %d metadata. Tez writes version 6, "+
			"values of %s, packed one by one by DefaultCodec, and no metadata", version, dag.Clean(class), inBlocks,
			dag.Clean(codec), metadata, protoClass)
	}
	if f.err != nil {
		return nil, fmt.Errorf("a SequenceFile that cannot be read: %w", f.err)
	}
	return f, nil
}

func (f *sequenceFile) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// read reads n bytes. The memory that it uses is bounded by the file's length, whatever n is.
func (f *sequenceFile) read(n int64) []byte {
	if f.err != nil {
		return nil
	}
	var b bytes.Buffer
	if _, f.err = io.CopyN(&b, f.in, n); errors.Is(f.err, io.EOF) {
		f.err = io.ErrUnexpectedEOF
	}
	return b.Bytes()
}

// number reads an unsigned number of n bytes.
func (f *sequenceFile) number(n int64) (v int64) {
	for _, b := range f.read(n) {
		v = v<<8 | int64(b)
	}
	return v
}

// text reads a string after its length. Hadoop writes lengths above 127 in a form that no class of Tez needs.
func (f *sequenceFile) text() string { return string(f.read(f.number(1))) }

// next returns the uncompressed value of the next record, and io.EOF after the last one. It returns
// io.ErrUnexpectedEOF if the file is cut off, as a file that is still being written may be.
func (f *sequenceFile) next() ([]byte, error) {
	const mark = 1<<32 - 1
	length := int64(mark)
	for length == mark && f.err == nil { // Hadoop may write a mark before a record, and at the end
		if _, err := f.in.Peek(1); err != nil {
			return nil, err
		}
		if length = f.number(4); length == mark {
			f.read(sequenceSync)
		}
	}
	key := f.number(4)
	if length > mostRecord || key > length {
		f.fail("a record of %d bytes with a key of %d", length, key)
	}
	f.read(key)
	value := f.read(length - key)
	if f.err != nil || !f.isPacked {
		return value, f.err
	}
	r, err := zlib.NewReader(bytes.NewReader(value))
	if err == nil {
		value, err = io.ReadAll(io.LimitReader(r, mostRecord))
	}
	if err != nil {
		return nil, fmt.Errorf("a record of the SequenceFile cannot be read: %w", err)
	}
	return value, nil
}
