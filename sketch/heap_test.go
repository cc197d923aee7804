package sketch

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDeepHeap is TestSpaceSaving with as many entries as a heap of some levels has.
func TestDeepHeap(t *testing.T) {
	for _, capacity := range []int{20, 85, 300} {
		r := rand.New(rand.NewPCG(uint64(capacity), 1))
		fast, slow := New[int](capacity), &slowSaving{capacity: capacity}
		for step := range 5000 {
			key, w := int(r.ExpFloat64()*float64(capacity)), float64(r.IntN(1+step%40))
			fast.Add(key, w)
			slow.add(key, w)
		}
		got := slices.Collect(fast.All())
		slices.SortFunc(got, byKey)
		slices.SortFunc(slow.entries, byKey)
		if !slices.Equal(got, slow.entries) {
			t.Errorf("%d entries: not those of the definition", capacity)
		}
	}
}
