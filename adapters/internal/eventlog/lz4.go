package eventlog

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/pierrec/lz4/v4"
)

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
	size := binary.LittleEndian.Uint32(head[13:])
	if string(head[:len(LZ4Magic)]) != LZ4Magic || size > mostBlock {
		return nil, damaged("lz4")
	}
	data, err := readBlock(in, binary.LittleEndian.Uint32(head[9:]), "lz4")
	switch method := head[8] & 0xf0; {
	case err != nil:
		return nil, err
	case method == lz4Raw:
		return data, nil
	case method == lz4Fast:
		return lz4Block(data, int(size))
	}
	return nil, damaged("lz4")
}

// lz4Block uncompresses one block of size bytes.
func lz4Block(in []byte, size int) ([]byte, error) {
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(in, out)
	if err != nil || n != size {
		return nil, errors.Join(damaged("lz4"), err)
	}
	return out, nil
}
