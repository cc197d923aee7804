// Package freeslots is the set of the free slots of a pool, for a scheduler that takes the lowest free slot first.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package freeslots

import "math/bits"

// A Set is the free slots of a pool. Slots are taken in ascending order (docs/facts/paratimer.md A1, rule 2).
//
// Consecutive slots that are released together stay together while no others are free: a round of a uniform stage
// passes its slots on to the next round at once. Otherwise slots are bits of a bitmap.
type Set struct {
	all    []int32 // all[i] == i; consecutive slots are views of it
	n      int     // number of free slots
	lo, hi int32   // if not equal, the free slots are those from lo to hi-1, and the bitmap is empty
	words  []uint64
	sums   []uint64 // one bit a word: it is not zero
}

// New returns the free slots 0 to n-1.
func New(n int) Set {
	//nolint:gosec // a cluster has fewer slots
	s := Set{n: n, hi: int32(n), words: make([]uint64, (n+63)/64), sums: make([]uint64, (n+4095)/4096)}
	s.all = make([]int32, n)
	for i := range s.all {
		s.all[i] = int32(i)
	}
	return s
}

// Add adds a slot that is not free.
func (s *Set) Add() int32 {
	slot := int32(len(s.all)) //nolint:gosec // a cluster has fewer slots
	if slot%64 == 0 {
		s.words = append(s.words, 0)
	}
	if slot%4096 == 0 {
		s.sums = append(s.sums, 0)
	}
	s.all = append(s.all, slot)
	return slot
}

// Release frees slots, which must be ascending, in range and not free.
func (s *Set) Release(slots []int32) {
	lo, hi := slots[0], slots[len(slots)-1]+1
	if s.n += len(slots); s.n == len(slots) && int(hi-lo) == s.n {
		s.lo, s.hi = lo, hi
		return
	}
	s.spill()
	for _, slot := range slots {
		s.set(slot)
	}
}

// spill moves all free slots into the bitmap.
func (s *Set) spill() {
	for ; s.lo < s.hi; s.lo++ {
		s.set(s.lo)
	}
}

func (s *Set) set(slot int32) {
	w := slot / 64
	s.words[w] |= 1 << (slot % 64)
	s.sums[w/64] |= 1 << (w % 64)
}

// Has reports whether a slot is free.
func (s *Set) Has(slot int32) bool {
	s.spill()
	return s.words[slot/64]>>(slot%64)&1 == 1
}

// Len returns the number of free slots.
func (s *Set) Len() int { return s.n }

// View returns a slot as a slice. It must not be written.
func (s *Set) View(slot int32) []int32 { return s.all[slot : slot+1 : slot+1] }

// First returns the lowest free slot, -1 if there is none.
func (s *Set) First() int32 {
	if s.lo < s.hi {
		return s.lo
	}
	for i, sum := range s.sums {
		if sum != 0 {
			w := i*64 + bits.TrailingZeros64(sum)
			return int32(w*64 + bits.TrailingZeros64(s.words[w])) //nolint:gosec // a slot
		}
	}
	return -1
}

// After returns the lowest free slot above slot, -1 if there is none.
func (s *Set) After(slot int32) int32 {
	s.spill()
	for slot++; int(slot) < len(s.all); slot = slot | 63 + 1 {
		if word := s.words[slot/64] >> (slot % 64); word != 0 {
			return slot + int32(bits.TrailingZeros64(word)) //nolint:gosec // below 64
		}
	}
	return -1
}

// TakeOne takes a free slot.
func (s *Set) TakeOne(slot int32) []int32 {
	s.spill()
	w := slot / 64
	if s.words[w] &^= 1 << (slot % 64); s.words[w] == 0 {
		s.sums[w/64] &^= 1 << (w % 64)
	}
	s.n--
	return s.View(slot)
}

// Take takes the k lowest free slots. At least as many must be free. The slice is never written again.
func (s *Set) Take(k int) []int32 {
	first := s.First()
	if s.lo < s.hi {
		s.lo += int32(k) //nolint:gosec // at most hi
		s.n -= k
		return s.all[first:s.lo:s.lo]
	}
	took := s.TakeOne(first)
	for len(took) < k {
		took = append(took, s.TakeOne(s.First())...)
	}
	if last := int(first) + k; int(took[k-1]) == last-1 {
		return s.all[first:last:last]
	}
	return took
}
