package sketch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxName bounds the names of keys, in bytes.
const MaxName = 64

// hash returns the hash code of Hadoop's Text: starting from 1, 31 times the hash plus each signed byte, in 32 bits.
func hash(key []byte) int32 {
	h := int32(1)
	for _, b := range key {
		h = 31*h + int32(int8(b)) //nolint:gosec // G115: Java's bytes are signed
	}
	return h
}

// Partition returns the reduce to which Hadoop's HashPartitioner sends a Text key: 0 up to reduces-1. A job with one
// reduce has no partitioner. For fewer than 2 reduces the result is 0.
func Partition(key []byte, reduces int) int {
	if reduces < 2 {
		return 0
	}
	return int(hash(key)&math.MaxInt32) % reduces
}

// RecordBytes returns the bytes of a record of two Texts in a map's output, from the lengths of its key and value.
// Both are preceded by their length in Hadoop's variable format. MAP_OUTPUT_BYTES counts these bytes.
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

// HashedName returns the name of a key that must not be shown: "#" and 16 hexadecimal digits of the key's SHA-256. It
// hides keys from casual readers, not from readers who guess them.
func HashedName(key []byte) string {
	sum := sha256.Sum256(key)
	return "#" + hex.EncodeToString(sum[:8])
}

// KeyName returns HashedName or, with show, the key with unprintable characters escaped, and "\empty" for the empty
// key. A name of more than MaxName bytes is cut and ends with the key's hash, so that two keys never share a name.
func KeyName(key []byte, show bool) string {
	hashed := HashedName(key)
	if !show {
		return hashed
	}
	tail := "~" + hashed
	var name strings.Builder
	keep := 0 // bytes of the name that fit before the tail
	for len(key) > 0 {
		piece, size := escape(key)
		if name.Len()+len(piece) > MaxName {
			return name.String()[:keep] + tail
		}
		name.WriteString(piece)
		if name.Len() <= MaxName-len(tail) {
			keep = name.Len()
		}
		key = key[size:]
	}
	return cmp.Or(name.String(), `\empty`)
}

// escape returns the first character of a key in printable form, and its length in the key in bytes.
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
