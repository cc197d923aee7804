package groups

import (
	"bytes"
	"crypto/sha256"

	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/lines"
	"github.com/paratimer/paratimer/textkey"
)

// A key is the key of the group that is being fed. If its line was too long to keep, only its SHA-256 is known.
type key struct {
	known bool
	text  []byte // the key, or its beginning
	size  int64
	sum   [sha256.Size]byte
	isSum bool // sum contains the key's SHA-256
}

// split finds the end of a line's key and the length of its value. Hadoop appends a separator to a key with too few
// fields; it is not part of the key.
func split(line []byte, f lines.Format) (end, value int) {
	end, found := f.KeyEnd(line)
	if found {
		return end, len(line) - end - len(f.Separator)
	}
	return len(bytes.TrimSuffix(line, f.Separator)), 0
}

func (k *key) is(text []byte) bool {
	if !k.known || k.size != int64(len(text)) {
		return false
	}
	if k.size == int64(len(k.text)) {
		return bytes.Equal(k.text, text)
	}
	return k.sum == sha256.Sum256(text)
}

func (k *key) set(text []byte) {
	*k = key{known: true, text: append(k.text[:0], text...), size: int64(len(text))}
}

func (k *key) isLong(r *lines.Long) bool {
	if !k.known || k.size != r.Key {
		return false
	}
	k.hash()
	return k.sum == r.Sum
}

func (k *key) setLong(r *lines.Long) {
	*k = key{known: true, text: append(k.text[:0], r.Begin...), size: r.Key, sum: r.Sum, isSum: true}
}

func (k *key) hash() {
	if !k.isSum {
		k.sum, k.isSum = sha256.Sum256(k.text), true
	}
}

func (k *key) name(show bool) string {
	k.hash()
	if show {
		return textkey.ShownName(k.text, k.sum, k.size > int64(len(k.text)))
	}
	return textkey.NameOf(k.sum)
}
