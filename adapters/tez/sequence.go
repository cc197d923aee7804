package tez

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A sequenceFile is a Hadoop SequenceFile with uncompressed records, or records compressed one by one. After an error
// all reads return zero values.
type sequenceFile struct {
	in     *bufio.Reader
	value  string // class of the values
	unpack func(io.Reader) (io.ReadCloser, error)
	err    error // the first one
}

const (
	sequenceMagic  = "SEQ"
	sequenceSync   = 16       // bytes of the mark between records
	mostRecord     = 64 << 20 // bytes of a record, compressed or not
	mostClassName  = 4 << 10
	mostSequenceKV = 1000 // entries of the metadata
)

var errSequence = errors.New("a SequenceFile that cannot be read")

// openSequence reads the head of a file.
func openSequence(in *bufio.Reader) (*sequenceFile, error) {
	f := &sequenceFile{in: in}
	head := f.read(int64(len(sequenceMagic) + 1))
	if f.err != nil || string(head[:3]) != sequenceMagic || head[3] < 5 || head[3] > 6 {
		return nil, fmt.Errorf("%w: it does not begin as version 5 or 6 does", errSequence)
	}
	f.text() // class of the keys
	f.value = f.text()
	isPacked, isBlocked := f.number(1) != 0, f.number(1) != 0
	if isBlocked {
		f.fail("its records are packed in blocks")
	}
	if isPacked {
		f.setCodec(f.text())
	}
	if head[3] >= 6 {
		n := f.number(4)
		if n > mostSequenceKV {
			f.fail("its metadata are no list")
		}
		for i := uint64(0); i < 2*n && f.err == nil; i++ {
			f.text()
		}
	}
	f.read(sequenceSync)
	if f.err != nil && !errors.Is(f.err, errSequence) {
		return nil, fmt.Errorf("%w: %w", errSequence, f.err)
	}
	return f, f.err
}

func (f *sequenceFile) setCodec(class string) {
	switch class[strings.LastIndexByte(class, '.')+1:] {
	case "DefaultCodec", "DeflateCodec":
		f.unpack = zlib.NewReader
	case "GzipCodec":
		f.unpack = func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }
	default:
		f.fail(fmt.Sprintf("packed by %s; DefaultCodec and GzipCodec are known", class))
	}
}

func (f *sequenceFile) fail(why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", errSequence, why)
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
func (f *sequenceFile) number(n int) (v uint64) {
	for _, b := range f.read(int64(n)) {
		v = v<<8 | uint64(b)
	}
	return v
}

// text reads a string after its length, a number of variable size in Hadoop's encoding.
func (f *sequenceFile) text() string {
	n := f.number(1)
	if size := 256 - n; n > 127 && size > 112 { // the byte is -112 minus the size of the number
		n = f.number(int(size - 112)) //nolint:gosec // G115: at most 16
	} else if n > 127 {
		n = mostClassName + 1 // a negative number
	}
	if n > mostClassName {
		f.fail("a name of it is too long")
	}
	return string(f.read(int64(min(n, mostClassName)))) //nolint:gosec // G115: bounded
}

// next returns the uncompressed value of the next record, and io.EOF after the last one. It returns
// io.ErrUnexpectedEOF if the file is cut off, as a file that is still being written may be.
func (f *sequenceFile) next() ([]byte, error) {
	const mark = 1<<32 - 1
	length := uint64(mark)
	for range 2 { // Hadoop may write a mark before a record, and at the end
		if _, err := f.in.Peek(1); err != nil {
			return nil, err
		}
		if length = f.number(4); length != mark {
			break
		}
		f.read(sequenceSync)
	}
	key := f.number(4)
	if length > mostRecord || key > length {
		f.fail(fmt.Sprintf("a record of %d bytes with a key of %d", length, key))
		return nil, f.err
	}
	f.read(int64(key))                   //nolint:gosec // G115: bounded
	value := f.read(int64(length - key)) //nolint:gosec // G115: bounded
	if f.err != nil || f.unpack == nil {
		return value, f.err
	}
	r, err := f.unpack(bytes.NewReader(value))
	if err == nil {
		value, err = io.ReadAll(io.LimitReader(r, mostRecord))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSequence, err)
	}
	return value, nil
}

// fields calls see for each field of a protocol buffers message that is a number or bytes. It returns false if the
// message is invalid.
func fields(b []byte, see func(field uint64, n uint64, text []byte)) bool {
	ok := true
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		ok = ok && n > 0
		b = b[max(n, 0):]
		return v
	}
	take := func(n uint64) (part []byte) {
		ok = ok && n <= uint64(len(b))
		n = min(n, uint64(len(b)))
		part, b = b[:n], b[n:]
		return part
	}
	for ok && len(b) > 0 {
		tag, n, text := number(), uint64(0), []byte(nil)
		switch tag & 7 {
		case 0:
			n = number()
		case 2:
			text = take(number())
		case 1:
			take(8)
		case 5:
			take(4)
		default:
			ok = false
		}
		if kind := tag & 7; ok && (kind == 0 || kind == 2) {
			see(tag>>3, n, text)
		}
	}
	return ok
}
