package mapoutput

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"github.com/paratimer/paratimer/textkey"
)

// Keys repeat often. A small table sums their bytes before they go to the sketch, so that most records need neither a
// SHA-256 nor a step of the sketch. The table changes which keys a full sketch contains, but not its guaranteed
// bounds.
const (
	slots  = 1 << 15
	inline = 44 // bytes of a key that fit into a slot
)

// A slot is a recent key and its bytes since then. It fits into one cache line of the processor.
type slot struct {
	hash  uint64
	bytes uint64 // 0: the slot is empty
	size  int32  // length of the key; -1: the key is too long, and the slot contains its SHA-256 and Hadoop's hash
	key   [inline]byte
}

// count adds a record's bytes to its key.
func (m *Meter) count(key []byte, bytes uint64) {
	h := mix(key)
	s := &m.recent[h>>(64-15)]
	if s.bytes > 0 && s.hash == h && s.is(key) {
		s.bytes += bytes
		return
	}
	m.settle(s)
	s.hash, s.bytes = h, bytes
	if len(key) <= inline {
		s.size = int32(copy(s.key[:], key))
		return
	}
	sum := sha256.Sum256(key)
	s.size = -1
	copy(s.key[:], sum[:])
	hash := textkey.Hash(key)
	binary.BigEndian.PutUint32(s.key[sha256.Size:], uint32(hash))
	m.name(m.id(sum, hash), key, sum, false)
}

// is compares a key with that of a slot with the same hash. For long keys the equal hash is enough.
func (s *slot) is(key []byte) bool {
	if s.size < 0 {
		return len(key) > inline
	}
	return bytes.Equal(s.key[:s.size], key)
}

// settle adds a slot's bytes to the sketch, before the slot is reused.
func (m *Meter) settle(s *slot) {
	if s.bytes == 0 {
		return
	}
	var key id
	if s.size < 0 {
		key = m.longID(s)
	} else {
		k := s.key[:s.size]
		sum := sha256.Sum256(k)
		key = m.id(sum, textkey.Hash(k))
		m.name(key, k, sum, false)
	}
	m.add(key, float64(s.bytes))
}

// longID returns the id of a slot with a long key.
func (m *Meter) longID(s *slot) id {
	return m.id([sha256.Size]byte(s.key[:sha256.Size]), int32(binary.BigEndian.Uint32(s.key[sha256.Size:])))
}

// mix is a fast hash of a key: one multiplication for eight bytes, with both halves of the product folded (as in
// wyhash). It has no seed, so the same map output gives the same profile.
func mix(key []byte) uint64 {
	const a, b = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(len(key)) ^ a
	for len(key) >= 8 {
		h = fold(h^binary.LittleEndian.Uint64(key), b)
		key = key[8:]
	}
	if len(key) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(key))<<32 | uint64(binary.LittleEndian.Uint32(key[len(key)-4:]))
		return fold(fold(h, b), a)
	}
	for _, c := range key {
		h = h<<8 ^ h>>56 ^ uint64(c)
	}
	return fold(fold(h, b), a)
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}
