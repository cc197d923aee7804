package schedule

import "math/bits"

// A slotSet is the free slots of one kind. Slots are taken in ascending order (docs/facts/paratimer.md A1, rule 2).
//
// Slots that are freed together stay together as one block: a round of a uniform phase hands its slice on to
// the next round, whatever its length. Only where blocks meet are slots looked at one by one, in a bitmap.
type slotSet struct {
	all   []int32 // all[i] == i; consecutive slots are views of it
	n     int     // how many are free
	block []int32 // the free slots, ascending, where they are one block; else nil
	words []uint64
	sums  []uint64 // one bit a word: it is not zero
	spare []int32  // room for the slices of take
}

// newSlotSet returns a set of the slots 0 to n-1, none of them free.
func newSlotSet(n int) slotSet {
	s := slotSet{all: make([]int32, n)}
	for i := range s.all {
		s.all[i] = int32(i)
	}
	return s
}

// release makes slots free that were not. They are ascending and in range; the slice is kept.
func (s *slotSet) release(slots []int32) {
	s.n += len(slots)
	if s.n == len(slots) {
		s.block = slots
		return
	}
	s.spill()
	s.mark(slots)
}

// spill moves the block into the bitmap.
func (s *slotSet) spill() {
	if s.words == nil {
		s.words = make([]uint64, (len(s.all)+63)/64)
		s.sums = make([]uint64, (len(s.words)+63)/64)
	}
	s.mark(s.block)
	s.block = nil
}

func (s *slotSet) mark(slots []int32) {
	for _, slot := range slots {
		w := slot / 64
		s.words[w] |= 1 << (slot % 64)
		s.sums[w/64] |= 1 << (w % 64)
	}
}

func (s *slotSet) clear(slot int32) {
	w := slot / 64
	s.words[w] &^= 1 << (slot % 64)
	if s.words[w] == 0 {
		s.sums[w/64] &^= 1 << (w % 64)
	}
}

// first returns the lowest free slot, -1 if there is none.
func (s *slotSet) first() int32 {
	if s.block != nil {
		return s.block[0]
	}
	for i, sum := range s.sums {
		if sum != 0 {
			w := i*64 + bits.TrailingZeros64(sum)
			return int32(w*64 + bits.TrailingZeros64(s.words[w]))
		}
	}
	return -1
}

// after returns the lowest free slot above slot, -1 if there is none. It must not be called while block is set.
func (s *slotSet) after(slot int32) int32 {
	slot++
	for w := int(slot / 64); w < len(s.words); w++ {
		word := s.words[w]
		if w == int(slot/64) {
			word &= ^uint64(0) << (slot % 64)
		}
		if word != 0 {
			return int32(w*64 + bits.TrailingZeros64(word))
		}
	}
	return -1
}

// takeOne takes a free slot out of the bitmap.
func (s *slotSet) takeOne(slot int32) []int32 {
	s.clear(slot)
	s.n--
	return s.all[slot : slot+1 : slot+1]
}

// take takes the k lowest free slots, of which there are as many. The slice is never written again.
func (s *slotSet) take(k int) []int32 {
	if s.block != nil {
		took := s.block[:k:k]
		s.block = s.block[k:]
		if len(s.block) == 0 {
			s.block = nil
		}
		s.n -= k
		return took
	}
	if k == 1 {
		return s.takeOne(s.first())
	}
	if len(s.spare) < k {
		s.spare = make([]int32, max(k, 4096))
	}
	took := s.spare[:k:k]
	for i := range took {
		took[i] = s.first()
		s.clear(took[i])
	}
	s.n -= k
	if v := s.view(took); v != nil {
		return v
	}
	s.spare = s.spare[k:]
	return took
}

// view returns ascending slots as a view of all where they are consecutive and in range, else nil.
func (s *slotSet) view(slots []int32) []int32 {
	a, b := slots[0], slots[len(slots)-1]
	if a < 0 || int(b) >= len(s.all) || int(b-a) != len(slots)-1 {
		return nil
	}
	return s.all[a : b+1 : b+1]
}
