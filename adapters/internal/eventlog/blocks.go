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

// lzfMagic begins each chunk of Ning's compress-lzf. It is followed by the kind, two bytes of length, if it is
// compressed two bytes of its uncompressed length, and then the data.
const (
	lzfMagic  = "ZV"
	lzfRaw    = 0
	lzfPacked = 1
)

// lzfNext returns the next uncompressed chunk.
func lzfNext(in io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	kind, length := head[2], uint32(binary.BigEndian.Uint16(head[3:]))
	if string(head[:2]) != lzfMagic || kind > lzfPacked {
		return nil, errDamaged
	}
	if kind == lzfRaw {
		return readBlock(in, length)
	}
	data, err := readBlock(in, 2+length)
	if err != nil {
		return nil, err
	}
	return lzfChunk(data[2:], int(binary.BigEndian.Uint16(data)))
}

// lzfChunk uncompresses a chunk of size bytes. A control byte below 32 starts a run of literals. Any other one, with
// the following bytes, is the length and distance of a copy of earlier output.
func lzfChunk(in []byte, size int) ([]byte, error) {
	const literals, long = 32, 7
	out := make([]byte, 0, size)
	for len(in) > 0 {
		control := int(in[0])
		in = in[1:]
		if control < literals {
			n := control + 1
			if n > len(in) || len(out)+n > size {
				return nil, errDamaged
			}
			out, in = append(out, in[:n]...), in[n:]
			continue
		}
		n := control >> 5
		if n == long && len(in) > 0 {
			n, in = n+int(in[0]), in[1:]
		}
		n += 2
		if len(in) == 0 {
			return nil, errDamaged
		}
		from := len(out) - (control&(literals-1)<<8 | int(in[0])) - 1
		in = in[1:]
		if from < 0 || len(out)+n > size {
			return nil, errDamaged
		}
		for i := range n { // the copy may overlap its own output
			out = append(out, out[from+i])
		}
	}
	if len(out) != size {
		return nil, errDamaged
	}
	return out, nil
}
