// Package sketch finds the heaviest keys of a stream in bounded memory, and from them the input of a job's reduces.
// It deals with keys and weights, not with jobs. For Hadoop's keys of type Text it computes their reduce, their bytes
// in a map's output, and their names in reports.
//
// # Stability
//
// Young: names may change in a minor version, and the changelog lists it (CONTRIBUTING.md).
package sketch

import (
	"cmp"
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

// A Profile is the output of one map, by reduce and key.
type Profile[K cmp.Ordered] struct {
	Bytes []float64 // by reduce, over all keys
	Keys  []Key[K]  // the largest keys, or all, in any order
}

// A Key is a key and its bytes, in the output of one map or of all maps together.
type Key[K cmp.Ordered] struct {
	Key    K
	Reduce int
	Bytes  float64
}

// A ReduceInput has the records that all maps together write for one reduce.
type ReduceInput[K cmp.Ordered] struct {
	Bytes    float64  // over all keys
	Explicit []Key[K] // keys with known bytes, ascending by bytes, then by key
	Implicit float64  // bytes of all other keys: Bytes less the explicit ones, at least 0
}

// A Join joins the profiles of maps, one by one, into the input of each reduce. It adds the lambda largest keys of each
// map to a SpaceSaving of this capacity. Among equal bytes the smaller key goes first. The bytes of a key are its lower
// bound: upper bounds would give small keys the bytes of others. The total bytes of a reduce are preserved. If lambda
// is 0, all keys are added. If capacity is 0, all are counted exactly: the theoretical form, which needs memory for all
// keys. Keys of a reduce that is out of range, and bytes that are negative or not finite, are left out.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 4.
type Join[K cmp.Ordered] struct {
	lambda int
	bytes  []float64 // by reduce
	heavy  *SpaceSaving[placed[K]]
}

type placed[K cmp.Ordered] struct {
	key    K
	reduce int
}

// NewJoin returns a Join of no profiles.
func NewJoin[K cmp.Ordered](reduces, lambda, capacity int) *Join[K] {
	if capacity <= 0 {
		capacity = math.MaxInt
	}
	return &Join[K]{lambda: lambda, bytes: make([]float64, max(0, reduces)), heavy: New[placed[K]](capacity)}
}

// Add adds the profile of a map.
func (j *Join[K]) Add(m Profile[K]) {
	for r := range min(len(m.Bytes), len(j.bytes)) {
		if size(m.Bytes[r]) {
			j.bytes[r] = sum(j.bytes[r], m.Bytes[r])
		}
	}
	for _, k := range largest(m.Keys, len(j.bytes), j.lambda) {
		j.heavy.Add(placed[K]{k.Key, k.Reduce}, k.Bytes)
	}
}

// Reduces returns the number of reduces.
func (j *Join[K]) Reduces() int { return len(j.bytes) }

// Len returns the number of keys that are counted one by one.
func (j *Join[K]) Len() int { return j.heavy.Len() }

// Inputs returns the input of each reduce from the profiles so far.
func (j *Join[K]) Inputs() []ReduceInput[K] {
	out := make([]ReduceInput[K], len(j.bytes))
	for e := range j.heavy.All() {
		if bytes := e.Sure(); bytes > 0 {
			r := &out[e.Key.reduce]
			r.Explicit = append(r.Explicit, Key[K]{e.Key.key, e.Key.reduce, bytes})
		}
	}
	for r := range out {
		p := &out[r]
		slices.SortFunc(p.Explicit, func(a, b Key[K]) int {
			return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Key, b.Key))
		})
		known := 0.0
		for _, k := range p.Explicit {
			known += k.Bytes
		}
		p.Bytes, p.Implicit = j.bytes[r], max(0, j.bytes[r]-known)
	}
	return out
}

// largest returns the n keys with the most bytes, heaviest first; all keys if n is 0.
func largest[K cmp.Ordered](keys []Key[K], reduces, n int) []Key[K] {
	in := make([]Key[K], 0, len(keys))
	for _, k := range keys {
		if k.Reduce >= 0 && k.Reduce < reduces && size(k.Bytes) && k.Key == k.Key { //nolint:gocritic,staticcheck // NaN
			in = append(in, k)
		}
	}
	slices.SortFunc(in, func(a, b Key[K]) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
	})
	if n > 0 && n < len(in) {
		in = in[:n]
	}
	return in
}

func size(bytes float64) bool { return bytes >= 0 && !math.IsInf(bytes, 1) }
