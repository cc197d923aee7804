// Package sketch finds the heaviest keys of a stream in bounded memory, and what a job's maps promise its reduces by them.
// It knows keys and weights, not jobs.
package sketch

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// A SpaceSaving keeps the heaviest keys of a weighted stream: at most a fixed number of entries, each with what its key has
// weighed at most and by how much that may be too much. Any key heavier than the stream's weight by the number of entries
// is among them.
//
// Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", 2005, section 3,
// with weights. Which entry leaves is fixed: the one with the smallest count, of these the one that came first. So the same
// stream gives the same entries. A step takes time logarithmic in the number of entries.
type SpaceSaving[K comparable] struct {
	capacity int
	place    map[K]int // of a key's entry in the heap
	entries  []entry[K]
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

type entry[K comparable] struct {
	Entry[K]
	inserted uint64
}

// New returns an empty sketch of at most capacity entries; a capacity below 1 is 1.
func New[K comparable](capacity int) *SpaceSaving[K] {
	return &SpaceSaving[K]{capacity: max(1, capacity), place: make(map[K]int)}
}

// Add counts weight for key. Weights that are negative or not finite, and keys that are not equal to themselves, change
// nothing but Refused.
func (s *SpaceSaving[K]) Add(key K, weight float64) {
	if !(weight >= 0) || math.IsInf(weight, 1) || key != key { //nolint:gocritic // NaN in a key
		s.refused++
		return
	}
	if i, ok := s.place[key]; ok {
		s.entries[i].Count = sum(s.entries[i].Count, weight)
		heap.Fix((*byCount[K])(s), i)
		return
	}
	s.inserted++
	if len(s.entries) < s.capacity {
		heap.Push((*byCount[K])(s), entry[K]{Entry[K]{key, weight, 0}, s.inserted})
		return
	}
	least := s.entries[0].Count
	delete(s.place, s.entries[0].Key)
	s.entries[0] = entry[K]{Entry[K]{key, sum(least, weight), least}, s.inserted}
	s.place[key] = 0
	heap.Fix((*byCount[K])(s), 0)
}

// sum stays finite, so that a hostile stream cannot make every count infinite.
func sum(a, b float64) float64 { return min(a+b, math.MaxFloat64) }

// Len is how many entries there are.
func (s *SpaceSaving[K]) Len() int { return len(s.entries) }

// Refused is how many additions were not counted.
func (s *SpaceSaving[K]) Refused() int { return s.refused }

// Entries returns all entries, the largest count first; of equal ones the one that came first.
func (s *SpaceSaving[K]) Entries() []Entry[K] {
	sorted := slices.Clone(s.entries)
	slices.SortFunc(sorted, func(a, b entry[K]) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.inserted, b.inserted))
	})
	out := make([]Entry[K], len(sorted))
	for i := range sorted {
		out[i] = sorted[i].Entry
	}
	return out
}

// byCount is the heap of a sketch: on top the entry that leaves next.
type byCount[K comparable] SpaceSaving[K]

func (h *byCount[K]) Len() int { return len(h.entries) }

func (h *byCount[K]) Less(i, j int) bool {
	a, b := &h.entries[i], &h.entries[j]
	if a.Count != b.Count {
		return a.Count < b.Count
	}
	return a.inserted < b.inserted
}

func (h *byCount[K]) Swap(i, j int) {
	h.entries[i], h.entries[j] = h.entries[j], h.entries[i]
	h.place[h.entries[i].Key], h.place[h.entries[j].Key] = i, j
}

func (h *byCount[K]) Push(x any) {
	e := x.(entry[K])
	h.place[e.Key] = len(h.entries)
	h.entries = append(h.entries, e)
}

func (h *byCount[K]) Pop() any {
	last := len(h.entries) - 1
	e := h.entries[last]
	h.entries = h.entries[:last]
	return e
}
