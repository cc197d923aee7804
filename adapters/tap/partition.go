package tap

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Hash is the hash code of Hadoop's Text: 1, then 31 times what is there plus each byte, signed, in 32 bits.
func Hash(key []byte) int32 { return HashMore(1, key) }

// HashMore goes on with a hash, so that a key may come in pieces. The first piece starts from 1.
func HashMore(h int32, key []byte) int32 {
	const p1, p2, p3, p4 = 31, 31 * 31, 31 * 31 * 31, 31 * 31 * 31 * 31
	// Four at a time: the products do not wait for each other.
	for len(key) >= 4 {
		h = p4*h + p3*int32(int8(key[0])) + p2*int32(int8(key[1])) + p1*int32(int8(key[2])) + int32(int8(key[3]))
		key = key[4:]
	}
	for _, b := range key {
		h = 31*h + int32(int8(b))
	}
	return h
}

// Partition is the reduce that Hadoop's HashPartitioner sends a Text key to: 0 up to reduces-1. A job of one reduce has
// no partitioner; for none, or fewer, it is 0 too.
func Partition(key []byte, reduces int) int { return PartitionOf(Hash(key), reduces) }

// PartitionOf is Partition for a hash.
func PartitionOf(hash int32, reduces int) int {
	if reduces < 2 {
		return 0
	}
	return int(hash&math.MaxInt32) % reduces
}

// RecordBytes is what a record of two Texts takes in a map's output, by the lengths of its key and value: both with
// their length before them in Hadoop's variable format. It is what MAP_OUTPUT_BYTES counts.
func RecordBytes(key, value int) int { return lengthBytes(key) + key + lengthBytes(value) + value }

// lengthBytes is WritableUtils.getVIntSize of a length.
func lengthBytes(n int) int {
	if n < 128 {
		return 1
	}
	size := 1
	for ; n > 0; n >>= 8 {
		size++
	}
	return size
}

// HashedName is a key's name where keys are not to be shown: "#" and 16 hexadecimal digits of the key's SHA-256. It
// hides keys from who reads them by chance, not from who guesses them.
func HashedName(key []byte) string {
	sum := sha256.Sum256(key)
	return NameOf(sum)
}

// NameOf is HashedName for the SHA-256 of a key.
func NameOf(sum [sha256.Size]byte) string { return "#" + hex.EncodeToString(sum[:8]) }

// ShownName is a key's name where keys may be shown: the key with everything escaped that a terminal does not print,
// and "\empty" for the empty key. A name of more than MaxName bytes is cut and ends with the key's hash, so that two
// keys do not share a name. key may be the beginning of the key alone, if more says so; sum is the SHA-256 of the
// whole.
func ShownName(key []byte, sum [sha256.Size]byte, more bool) string {
	tail := "~" + NameOf(sum)
	var name strings.Builder
	keep := 0 // bytes of the name that fit before the tail
	for len(key) > 0 {
		piece, size := escape(key)
		if name.Len()+len(piece) > MaxName {
			more = true
			break
		}
		name.WriteString(piece)
		if name.Len() <= MaxName-len(tail) {
			keep = name.Len()
		}
		key = key[size:]
	}
	switch {
	case more:
		return name.String()[:keep] + tail
	case name.Len() == 0:
		return `\empty`
	}
	return name.String()
}

// escape returns the first character of a key as a terminal may print it, and its bytes in the key.
func escape(key []byte) (piece string, size int) {
	r, size := utf8.DecodeRune(key)
	switch {
	case r == utf8.RuneError && size == 1:
		return `\x` + hex.EncodeToString(key[:1]), 1
	case r == '\\':
		return `\\`, 1
	case !strconv.IsPrint(r):
		quoted := strconv.QuoteRuneToASCII(r)
		return quoted[1 : len(quoted)-1], size
	}
	return string(r), size
}
