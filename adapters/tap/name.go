package tap

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
