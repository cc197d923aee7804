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

// A sequenceFile is a Hadoop SequenceFile with uncompressed records, or records compressed one by one.
type sequenceFile struct {
	in     *bufio.Reader
	value  string // class of the values
	unpack func(io.Reader) (io.ReadCloser, error)
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
	head := make([]byte, len(sequenceMagic)+1)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:3]) != sequenceMagic || head[3] < 5 || head[3] > 6 {
		return nil, fmt.Errorf("%w: it does not begin as version 5 or 6 does", errSequence)
	}
	f := &sequenceFile{in: in}
	if _, err := f.text(); err != nil { // class of the keys
		return nil, err
	}
	var err error
	if f.value, err = f.text(); err != nil {
		return nil, err
	}
	flags := make([]byte, 2)
	if _, err := io.ReadFull(in, flags); err != nil {
		return nil, fmt.Errorf("%w: %w", errSequence, err)
	}
	if flags[1] != 0 {
		return nil, fmt.Errorf("%w: its records are packed in blocks", errSequence)
	}
	if flags[0] != 0 {
		codec, err := f.text()
		if err != nil {
			return nil, err
		}
		switch codec[strings.LastIndexByte(codec, '.')+1:] {
		case "DefaultCodec", "DeflateCodec":
			f.unpack = zlib.NewReader
		case "GzipCodec":
			f.unpack = func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }
		default:
			return nil, fmt.Errorf("%w: packed by %s; DefaultCodec and GzipCodec are known", errSequence, codec)
		}
	}
	if head[3] >= 6 {
		n, err := f.number()
		if err != nil || n > mostSequenceKV {
			return nil, fmt.Errorf("%w: its metadata are no list", errSequence)
		}
		for range 2 * n {
			if _, err := f.text(); err != nil {
				return nil, err
			}
		}
	}
	if _, err := in.Discard(sequenceSync); err != nil {
		return nil, fmt.Errorf("%w: %w", errSequence, err)
	}
	return f, nil
}

// number reads four bytes.
func (f *sequenceFile) number() (uint32, error) {
	b := make([]byte, 4)
	if _, err := io.ReadFull(f.in, b); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

// text reads a string after its length, a number of variable size in Hadoop's encoding.
func (f *sequenceFile) text() (string, error) {
	first, err := f.in.ReadByte()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errSequence, err)
	}
	n := int(int8(first)) //nolint:gosec // G115: the byte has a sign
	if n < -112 {
		more := -112 - n
		n = 0
		for range more {
			b, err := f.in.ReadByte()
			if err != nil || n > mostClassName {
				return "", fmt.Errorf("%w: a name of it is too long", errSequence)
			}
			n = n<<8 | int(b)
		}
	}
	if n < 0 || n > mostClassName {
		return "", fmt.Errorf("%w: a name of it is too long", errSequence)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(f.in, b); err != nil {
		return "", fmt.Errorf("%w: %w", errSequence, err)
	}
	return string(b), nil
}

// next returns the uncompressed value of the next record, and io.EOF after the last one. It returns
// io.ErrUnexpectedEOF if the file is cut off, as a file that is still being written may be.
func (f *sequenceFile) next() ([]byte, error) {
	const mark = 1<<32 - 1
	length, err := f.number()
	if err == nil && length == mark {
		if _, err = f.in.Discard(sequenceSync); err == nil {
			length, err = f.number()
		}
		if errors.Is(err, io.EOF) {
			return nil, io.EOF // Hadoop may write a mark at the end
		}
	}
	if err != nil {
		return nil, err
	}
	key, err := f.number()
	if err != nil {
		return nil, noEOF(err)
	}
	if length > mostRecord || key > length {
		return nil, fmt.Errorf("%w: a record of %d bytes with a key of %d", errSequence, length, key)
	}
	if _, err := f.in.Discard(int(key)); err != nil {
		return nil, noEOF(err)
	}
	var value bytes.Buffer
	if _, err := io.CopyN(&value, f.in, int64(length-key)); err != nil {
		return nil, noEOF(err)
	}
	if f.unpack == nil {
		return value.Bytes(), nil
	}
	r, err := f.unpack(&value)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSequence, err)
	}
	out, err := io.ReadAll(io.LimitReader(r, mostRecord))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSequence, err)
	}
	return out, nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fields calls see for each field of a protocol buffers message that is a number or bytes. It returns false if the
// message is invalid.
func fields(b []byte, see func(field uint64, n uint64, text []byte)) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return false
		}
		b = b[n:]
		switch tag & 7 {
		case 0:
			v, n := binary.Uvarint(b)
			if n <= 0 {
				return false
			}
			b = b[n:]
			see(tag>>3, v, nil)
		case 2:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) { //nolint:gosec // G115: n is no more than len(b)
				return false
			}
			see(tag>>3, 0, b[n:n+int(size)]) //nolint:gosec // G115: no longer than b
			b = b[n+int(size):]              //nolint:gosec // G115: likewise
		case 1, 5:
			skip := map[uint64]int{1: 8, 5: 4}[tag&7]
			if len(b) < skip {
				return false
			}
			b = b[skip:]
		default:
			return false
		}
	}
	return true
}
