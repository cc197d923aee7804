package lines

import (
	"bytes"
	"crypto/sha256"
	"hash"

	"github.com/paratimer/paratimer/textkey"
)

// Begun is the number of bytes that are kept of a long line's key.
const Begun = 256

// Long is a record with a line longer than Most. Only these values of it are kept.
type Long struct {
	Sum        [sha256.Size]byte // SHA-256 of the key
	Hash       int32             // hash of the key, as in Hadoop's Text
	Begin      []byte            // beginning of the key, at most Begun bytes
	Key, Value int64             // bytes

	format  Format
	inValue bool
	field   int // current field of the key, from 1
	sha     hash.Hash
	tail    []byte // end of the last piece, in which a separator may begin
}

func newLong(f Format) *Long { return &Long{format: f, field: 1, sha: sha256.New(), Hash: 1} }

func (l *Long) add(piece []byte) {
	if l.inValue {
		l.Value += int64(len(piece))
		return
	}
	l.tail = append(l.tail, piece...)
	sep := l.format.Separator
	at := 0
	for {
		i := bytes.Index(l.tail[at:], sep)
		if i < 0 {
			break
		}
		if l.field >= l.format.Fields {
			l.inValue = true
			l.Value = int64(len(l.tail) - at - i - len(sep))
			l.key(l.tail[:at+i])
			l.tail = nil
			return
		}
		l.field++
		at += i + len(sep)
	}
	settled := max(at, len(l.tail)-len(sep)+1)
	l.key(l.tail[:settled])
	l.tail = append(l.tail[:0], l.tail[settled:]...)
}

func (l *Long) key(piece []byte) {
	l.Key += int64(len(piece))
	l.Hash = textkey.HashMore(l.Hash, piece)
	l.sha.Write(piece)
	if room := Begun - len(l.Begin); room > 0 {
		l.Begin = append(l.Begin, piece[:min(room, len(piece))]...)
	}
}

func (l *Long) end() {
	if !l.inValue {
		l.key(l.tail)
	}
	l.sha.Sum(l.Sum[:0])
	l.tail = nil
}
