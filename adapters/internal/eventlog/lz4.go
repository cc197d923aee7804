package eventlog

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"
)

// LZ4Magic begins each block of what Spark packs by lz4 (LZ4BlockOutputStream of lz4-java): after it stand how it is
// packed, its length packed and unpacked, and a checksum.
const LZ4Magic = "LZ4Block"

const (
	lz4Head = len(LZ4Magic) + 1 + 3*4
	lz4Raw  = 0x10
	lz4Fast = 0x20
	mostLZ4 = 32 << 20 // bytes of a block: lz4-java's own limit
)

// An lz4Reader unpacks. What is damaged or breaks off ends in an error that is io.ErrUnexpectedEOF.
type lz4Reader struct {
	in   io.Reader
	rest []byte
}

func (r *lz4Reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if err := r.block(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *lz4Reader) block() error {
	var head [lz4Head]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return err
	}
	if string(head[:len(LZ4Magic)]) != LZ4Magic {
		return fmt.Errorf("%w: what is packed by lz4 is damaged", io.ErrUnexpectedEOF)
	}
	packed, size := binary.LittleEndian.Uint32(head[9:]), binary.LittleEndian.Uint32(head[13:])
	if packed > mostLZ4 || size > mostLZ4 {
		return fmt.Errorf("%w: a block of lz4 has more than %d MB", io.ErrUnexpectedEOF, mostLZ4>>20)
	}
	data := make([]byte, packed)
	if _, err := io.ReadFull(r.in, data); err != nil {
		return fmt.Errorf("%w: a block of lz4 breaks off", io.ErrUnexpectedEOF)
	}
	switch head[8] & 0xf0 {
	case lz4Raw:
		r.rest = data
	case lz4Fast:
		out, err := lz4Block(data, int(size))
		if err != nil {
			return err
		}
		r.rest = out
	default:
		return fmt.Errorf("%w: what is packed by lz4 is damaged", io.ErrUnexpectedEOF)
	}
	return nil // an empty block ends a stream, and another one may follow
}

var errLZ4 = fmt.Errorf("%w: a block of lz4 is damaged", io.ErrUnexpectedEOF)

// lz4Block unpacks one block of size bytes.
func lz4Block(in []byte, size int) ([]byte, error) {
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(in, out)
	if err != nil || n != size {
		return nil, errLZ4
	}
	return out, nil
}
