package spark

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// zipMagic begins a zip.
const zipMagic = "PK\x03\x04"

// readSize is the number of bytes per read.
const readSize = 1 << 16

// unpackLog returns the text of a log file: plain, or compressed by gzip, zstd, lz4, snappy or lzf. Compressed data
// that is cut off or damaged ends in an error that is io.ErrUnexpectedEOF. A byte order mark is left out.
func unpackLog(in io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(in, readSize)
	head, _ := b.Peek(len(snappyMagic))
	var next func(io.Reader) ([]byte, error)
	for magic, of := range codecs {
		if bytes.HasPrefix(head, []byte(magic)) {
			next = of
		}
	}
	var err error
	if next != nil {
		b = bufio.NewReaderSize(&blocks{in: b, next: next}, readSize)
	} else if b, err = input.Unpack(b, readSize); err != nil {
		return nil, err
	}
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		_, err = b.Discard(len(mark))
	}
	return b, err
}

// codecs return the next block of a compression of Spark, by its magic bytes.
var codecs = map[string]func(in io.Reader) ([]byte, error){
	lz4Magic: lz4Next, snappyMagic: snappyNext, lzfMagic: lzfNext,
}

// mark is the byte order mark that some editors add.
const mark = "\ufeff"

var firstName = regexp.MustCompile(`^\s*\{\s*"Event"\s*:\s*"([^"\\]*)"`)

// eventName returns the name of the event in a line of a log; "" if there is none. Spark writes the name first, so
// that a cut-off line has it too.
func eventName(line []byte) string {
	if !bytes.Contains(line, []byte(`"Event"`)) {
		return "" // as millions of lines may be
	}
	if name := firstName.FindSubmatch(line); name != nil {
		return string(name[1])
	}
	var e struct{ Event string }
	_ = json.Unmarshal(line, &e) // it stays "" if the line is not an event
	return e.Event
}

// mostBlock bounds a block in bytes, compressed or not: the limit of lz4-java and snappy-java.
const mostBlock = 32 << 20

var errDamaged = fmt.Errorf("%w: the compressed data is damaged or breaks off", io.ErrUnexpectedEOF)

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

// readBlock reads the bytes of a block of the given size. The buffer grows as data arrives, so that a wrong size costs
// no memory.
func readBlock(in io.Reader, size uint32) ([]byte, error) {
	if size > mostBlock {
		return nil, errDamaged
	}
	var b bytes.Buffer
	_, err := io.CopyN(&b, in, int64(size))
	if errors.Is(err, io.EOF) {
		err = errDamaged
	}
	return b.Bytes(), err
}

// lz4Magic begins each block of Spark's lz4 compression (LZ4BlockOutputStream of lz4-java). It is followed by a byte
// with the method, the compressed and the uncompressed length, and a checksum.
const lz4Magic = "LZ4Block"

const (
	lz4Head = len(lz4Magic) + 1 + 3*4
	lz4Raw  = 0x10
	lz4Fast = 0x20
)

// lz4Next returns the next uncompressed block. An empty block ends a stream, and another stream may follow.
func lz4Next(in io.Reader) ([]byte, error) {
	var head [lz4Head]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	method, size := head[8]&0xf0, binary.LittleEndian.Uint32(head[13:])
	data, err := readBlock(in, binary.LittleEndian.Uint32(head[9:]))
	switch {
	case err != nil:
		return nil, err
	case string(head[:len(lz4Magic)]) != lz4Magic || size > mostBlock || method != lz4Raw && method != lz4Fast:
		return nil, errDamaged
	case method == lz4Raw:
		return data, nil
	}
	out := make([]byte, size)
	if n, err := lz4.UncompressBlock(data, out); err != nil || n != len(out) {
		return nil, errDamaged
	}
	return out, nil
}

// snappyMagic begins a SnappyOutputStream of snappy-java. Two version numbers of snappyVersions bytes follow.
const (
	snappyMagic    = "\x82SNAPPY\x00"
	snappyVersions = 8
)

// snappyNext returns the next uncompressed block of a SnappyOutputStream: its length, then a block of snappy. Several
// streams may follow each other, each with its own head.
func snappyNext(in io.Reader) ([]byte, error) {
	var word [4]byte
	if _, err := io.ReadFull(in, word[:]); err != nil {
		return nil, err
	}
	if string(word[:]) == snappyMagic[:len(word)] {
		_, err := readBlock(in, uint32(len(snappyMagic)-len(word)+snappyVersions))
		return nil, err
	}
	data, err := readBlock(in, binary.BigEndian.Uint32(word[:]))
	if err != nil {
		return nil, err
	}
	if size, err := s2.DecodedLen(data); err != nil || size > mostBlock {
		return nil, errDamaged
	}
	if data, err = s2.Decode(nil, data); err != nil {
		return nil, errDamaged
	}
	return data, nil
}

// lzfMagic begins each chunk of LZF (compress-lzf of Ning, which Spark uses). It is followed by a byte that is
// lzfPacked for compressed data, the size of the chunk, and for compressed data the size of its content.
const (
	lzfMagic  = "ZV"
	lzfPacked = 1
)

// lzfNext returns the content of the next chunk.
func lzfNext(in io.Reader) ([]byte, error) {
	var head [len(lzfMagic) + 3]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	var full [2]byte
	isPacked := head[2] == lzfPacked
	if string(head[:len(lzfMagic)]) != lzfMagic || head[2] > lzfPacked {
		return nil, errDamaged
	}
	if isPacked {
		if _, err := io.ReadFull(in, full[:]); err != nil {
			return nil, errDamaged
		}
	}
	data, err := readBlock(in, uint32(binary.BigEndian.Uint16(head[3:])))
	if err != nil || !isPacked {
		return data, err
	}
	return unpackLZF(data, int(binary.BigEndian.Uint16(full[:])))
}

// unpackLZF returns the content of a compressed chunk: runs of literal bytes, and copies of earlier bytes (the format
// of liblzf).
func unpackLZF(in []byte, size int) ([]byte, error) {
	out, left := make([]byte, 0, size), bytes.NewBuffer(in)
	for left.Len() > 0 {
		control, _ := left.ReadByte()
		if control < 1<<5 { // literal bytes
			out = append(out, left.Next(int(control)+1)...)
			continue
		}
		n, back := int(control>>5), int(control&0x1f)<<8+1
		if n == 7 {
			more, _ := left.ReadByte()
			n += int(more)
		}
		more, err := left.ReadByte()
		if back += int(more); err != nil || back > len(out) || len(out)+n+2 > size {
			return nil, errDamaged
		}
		for range n + 2 { // it may repeat its own output
			out = append(out, out[len(out)-back])
		}
	}
	if len(out) != size {
		return nil, errDamaged
	}
	return out, nil
}
