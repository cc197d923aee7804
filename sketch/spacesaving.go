// Package sketch finds the heaviest keys of a stream in bounded memory, and from them the input of a job's reduces.
// It deals with keys and weights, not with jobs.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package sketch

import (
	"container/heap"
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
	order    queue
	inserted uint64
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

// Add adds weight to key. It ignores weights that are negative or not finite, and keys that are not equal to
// themselves.
func (s *SpaceSaving[K]) Add(key K, weight float64) {
	if !(weight >= 0) || math.IsInf(weight, 1) || key != key { //nolint:gocritic // NaN in a key
		return
	}
	if slot, ok := s.slots[key]; ok {
		e := &s.entries[slot]
		e.Count = sum(e.Count, weight)
		at := int(s.order.places[slot])
		s.order.nodes[at].count = e.Count
		heap.Fix(&s.order, at)
		return
	}
	s.inserted++
	if len(s.entries) < s.capacity {
		slot := int32(len(s.entries))
		s.slots[key] = slot
		s.entries = append(s.entries, Entry[K]{key, weight, 0})
		heap.Push(&s.order, node{weight, s.inserted, slot})
		return
	}
	slot := s.order.nodes[0].slot
	e := &s.entries[slot]
	delete(s.slots, e.Key)
	*e = Entry[K]{key, sum(e.Count, weight), e.Count}
	s.slots[key] = slot
	s.order.nodes[0] = node{e.Count, s.inserted, slot}
	heap.Fix(&s.order, 0)
}

// A node is an entry in the queue.
type node struct {
	count    float64
	inserted uint64
	slot     int32
}

// A queue is a heap with the next entry to evict on top.
type queue struct {
	nodes  []node
	places []int32 // by slot, the index of its node
}

func (q *queue) Len() int { return len(q.nodes) }

func (q *queue) Less(i, k int) bool {
	a, b := &q.nodes[i], &q.nodes[k]
	return a.count < b.count || a.count == b.count && a.inserted < b.inserted
}

func (q *queue) Swap(i, k int) {
	q.nodes[i], q.nodes[k] = q.nodes[k], q.nodes[i]
	q.places[q.nodes[i].slot], q.places[q.nodes[k].slot] = int32(i), int32(k)
}

// Push adds a node with the next slot.
func (q *queue) Push(x any) {
	q.places = append(q.places, int32(len(q.nodes)))
	q.nodes = append(q.nodes, x.(node))
}

// Pop is never called: an evicted entry is replaced in its place.
func (q *queue) Pop() any { return nil }

// sum stays finite, so that a hostile stream cannot make every count infinite.
func sum(a, b float64) float64 { return min(a+b, math.MaxFloat64) }

// Len returns the number of entries.
func (s *SpaceSaving[K]) Len() int { return len(s.entries) }

// All yields all entries. The order is arbitrary, but the same for the same stream.
func (s *SpaceSaving[K]) All() iter.Seq[Entry[K]] { return slices.Values(s.entries) }
