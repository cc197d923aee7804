package eventlog

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/s2"
)

// snappyVersions is the number of bytes for two version numbers after snappyMagic.
const snappyVersions = 8

// snappyNext returns the next uncompressed block of a SnappyOutputStream of snappy-java: its length, then a block of
// snappy. Several streams may follow each other, each with its own head.
func snappyNext(in io.Reader) ([]byte, error) {
	var word [4]byte
	if _, err := io.ReadFull(in, word[:]); err != nil {
		return nil, err
	}
	if string(word[:]) == snappyMagic[:len(word)] {
		if _, err := io.CopyN(io.Discard, in, int64(len(snappyMagic)-len(word)+snappyVersions)); err != nil {
			return nil, damaged("snappy")
		}
		return nil, nil
	}
	data, err := readBlock(in, binary.BigEndian.Uint32(word[:]), "snappy")
	if err != nil {
		return nil, err
	}
	size, err := s2.DecodedLen(data)
	if err == nil && size <= mostBlock {
		data, err = s2.Decode(nil, data)
	}
	if err != nil || size > mostBlock {
		return nil, errors.Join(damaged("snappy"), err)
	}
	return data, nil
}
