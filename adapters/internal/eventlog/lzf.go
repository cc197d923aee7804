package eventlog

import (
	"encoding/binary"
	"io"
)

// The kinds of chunks of Ning's compress-lzf. A chunk has "ZV", the kind, two bytes of length, if it is compressed
// two bytes of its uncompressed length, and then the data.
const (
	lzfRaw    = 0
	lzfPacked = 1
)

// lzfNext returns the next uncompressed chunk.
func lzfNext(in io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	if string(head[:2]) != lzfMagic || head[2] > lzfPacked {
		return nil, damaged("lzf")
	}
	var size [2]byte
	if head[2] == lzfPacked {
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return nil, damaged("lzf")
		}
	}
	data, err := readBlock(in, uint32(binary.BigEndian.Uint16(head[3:])), "lzf")
	if err != nil || head[2] == lzfRaw {
		return data, err
	}
	return lzfChunk(data, int(binary.BigEndian.Uint16(size[:])))
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
				return nil, damaged("lzf")
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
			return nil, damaged("lzf")
		}
		from := len(out) - (control&(literals-1)<<8 | int(in[0])) - 1
		in = in[1:]
		if from < 0 || len(out)+n > size {
			return nil, damaged("lzf")
		}
		for i := range n { // the copy may overlap its own output
			out = append(out, out[from+i])
		}
	}
	if len(out) != size {
		return nil, damaged("lzf")
	}
	return out, nil
}
