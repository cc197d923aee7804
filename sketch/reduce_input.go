package sketch

import (
	"cmp"
	"math"
	"slices"
)

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

// A ReduceInput is what all maps together write for one reduce.
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
