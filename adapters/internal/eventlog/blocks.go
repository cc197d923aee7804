package eventlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"
)

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

// LZ4Magic begins each block of Spark's lz4 compression (LZ4BlockOutputStream of lz4-java). It is followed by a byte
// with the method, the compressed and the uncompressed length, and a checksum.
const LZ4Magic = "LZ4Block"

const (
	lz4Head = len(LZ4Magic) + 1 + 3*4
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
	case string(head[:len(LZ4Magic)]) != LZ4Magic || size > mostBlock || method != lz4Raw && method != lz4Fast:
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
