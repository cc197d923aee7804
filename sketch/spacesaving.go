// Package sketch finds the heaviest keys of a stream in bounded memory, and the input of a job's reduces by them.
// It knows keys and weights, not jobs.
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

// A SpaceSaving keeps the heaviest keys of a weighted stream: at most a fixed number of entries, each with what its key
// has weighed at most and by how much that may be too much. Any key heavier than the stream's weight by the number of
// entries is among them.
//
// Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", 2005, section
// 3, with weights. Which entry leaves is fixed: the one with the smallest count, of these the one that came first. So
// the same stream gives the same entries. A step takes time logarithmic in the number of entries.
type SpaceSaving[K comparable] struct {
	capacity int
	slots    map[K]int32 // of a key's entry
	entries  []Entry[K]  // by slot: they stay where they are
	heap     []node      // on top the entry that leaves next
	places   []int32     // of a slot's node in the heap
	inserted uint64
	refused  int
}

// An Entry is a key of the sketch. Its weight in the stream is at most Count and at least Count-Err.
type Entry[K comparable] struct {
	Key        K
	Count, Err float64
}

// Sure is what the key has weighed at least.
func (e Entry[K]) Sure() float64 { return e.Count - e.Err }

// New returns an empty sketch of at most capacity entries; a capacity below 1 is 1.
func New[K comparable](capacity int) *SpaceSaving[K] {
	return &SpaceSaving[K]{capacity: min(max(1, capacity), math.MaxInt32), slots: make(map[K]int32)}
}

// Add counts weight for key. Weights that are negative or not finite, and keys that are not equal to themselves, change
// nothing but Refused.
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

// Len is how many entries there are.
func (s *SpaceSaving[K]) Len() int { return len(s.entries) }

// Refused is how many additions were not counted.
func (s *SpaceSaving[K]) Refused() int { return s.refused }

// All yields all entries, in no order that means anything, but in the same one for the same stream.
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
