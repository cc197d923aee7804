package schedule

import (
	"iter"
	"math/bits"
)

// A laneSet is the free lanes, one bit each. The smallest is used first.
type laneSet struct {
	words []uint64
	low   int // no word before it has a lane
}

// add makes lanes free.
func (s *laneSet) add(lanes ...int32) {
	for _, lane := range lanes {
		w := int(lane / 64)
		for len(s.words) <= w {
			s.words = append(s.words, 0)
		}
		s.words[w] |= 1 << (lane % 64)
		s.low = min(s.low, w)
	}
}

// take takes the smallest lane; -1: none is free.
func (s *laneSet) take() int32 {
	for ; s.low < len(s.words); s.low++ {
		if word := s.words[s.low]; word != 0 {
			s.words[s.low] = word & (word - 1)
			return int32(s.low*64 + bits.TrailingZeros64(word)) //nolint:gosec // a lane
		}
	}
	return -1
}

// remove takes one lane.
func (s *laneSet) remove(lane int32) { s.words[lane/64] &^= 1 << (lane % 64) }

// all yields the free lanes, the smallest first. The one that was yielded last may be removed meanwhile.
func (s *laneSet) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for w := s.low; w < len(s.words); w++ {
			for word := s.words[w]; word != 0; word &= word - 1 {
				if !yield(int32(w*64 + bits.TrailingZeros64(word))) { //nolint:gosec // a lane
					return
				}
			}
		}
	}
}
