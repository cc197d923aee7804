// Package sketch finds the heaviest keys of a stream in bounded memory, and from them the input of a job's reduces.
// It deals with keys and weights, not with jobs.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package sketch

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// A SpaceSaving keeps the heaviest keys of a weighted stream in a fixed number of entries. Each entry has an upper
// bound of its key's weight and the largest error of that bound. Every key heavier than the stream's weight divided
// by the number of entries is among them.
//
// Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", 2005, section
// 3, with weights. The entry with the smallest count is evicted, and among equal counts the oldest one. So the same
// stream gives the same entries. A step takes time logarithmic in the number of entries.
type SpaceSaving[K comparable] struct {
	capacity int
	slots    map[K]int32 // index of a key's entry
	entries  []Entry[K]  // by slot; an entry never moves
	heap     []node      // the next entry to evict on top
	places   []int32     // by slot, the index of its node in the heap
	inserted uint64
	refused  int
}

// An Entry is a key of the sketch. Its weight in the stream is at most Count and at least Count-Err.
type Entry[K comparable] struct {
	Key        K
	Count, Err float64
}

// Sure returns the lower bound of the key's weight.
func (e Entry[K]) Sure() float64 { return e.Count - e.Err }

// New returns an empty sketch of at most capacity entries. A capacity below 1 counts as 1.
func New[K comparable](capacity int) *SpaceSaving[K] {
	return &SpaceSaving[K]{capacity: min(max(1, capacity), math.MaxInt32), slots: make(map[K]int32)}
}

// Add adds weight to key. Weights that are negative or not finite, and keys that are not equal to themselves, only
// increase Refused.
func (s *SpaceSaving[K]) Add(key K, weight float64) {
	if !(weight >= 0) || math.IsInf(weight, 1) || key != key { //nolint:gocritic // NaN in a key
		s.refused++
		return
	}
	if slot, ok := s.slots[key]; ok {
		e := &s.entries[slot]
		e.Count = sum(e.Count, weight)
		at := s.places[slot]
		s.heap[at].count = e.Count
		s.down(int(at))
		return
	}
	s.inserted++
	if len(s.entries) < s.capacity {
		slot := int32(len(s.entries))
		s.slots[key] = slot
		s.entries = append(s.entries, Entry[K]{key, weight, 0})
		s.heap = append(s.heap, node{weight, s.inserted, slot})
		s.places = append(s.places, slot)
		s.up(len(s.heap) - 1)
		return
	}
	slot := s.heap[0].slot
	e := &s.entries[slot]
	delete(s.slots, e.Key)
	*e = Entry[K]{key, sum(e.Count, weight), e.Count}
	s.slots[key] = slot
	s.heap[0] = node{e.Count, s.inserted, slot}
	s.down(0)
}

// sum stays finite, so that a hostile stream cannot make every count infinite.
func sum(a, b float64) float64 { return min(a+b, math.MaxFloat64) }

// Len returns the number of entries.
func (s *SpaceSaving[K]) Len() int { return len(s.entries) }

// Refused returns the number of additions that were not counted.
func (s *SpaceSaving[K]) Refused() int { return s.refused }

// All yields all entries. The order is arbitrary, but the same for the same stream.
func (s *SpaceSaving[K]) All() iter.Seq[Entry[K]] { return slices.Values(s.entries) }

// Entries returns all entries, the largest count first; of equal ones the one that came first.
func (s *SpaceSaving[K]) Entries() []Entry[K] {
	sorted := slices.Clone(s.heap)
	slices.SortFunc(sorted, func(a, b node) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.inserted, b.inserted))
	})
	out := make([]Entry[K], len(sorted))
	for i := range sorted {
		out[i] = s.entries[sorted[i].slot]
	}
	return out
}
