package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFreeSlots compares the free slots with a sorted list: the lowest are taken first, whatever was released before.
func TestFreeSlots(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 1 + r.IntN(300)
		s := newFreeSlots(n)
		var free []int32
		for i := range n {
			free = append(free, int32(i))
		}
		var taken [][]int32
		for range 400 {
			switch k := r.IntN(4); {
			case k == 0 && len(free) > 0:
				slot := free[r.IntN(len(free))]
				taken = append(taken, s.takeOne(slot))
				free = slices.DeleteFunc(free, func(x int32) bool { return x == slot })
			case k == 1 && len(free) > 0:
				many := 1 + r.IntN(len(free))
				took := s.take(many)
				if !slices.Equal(took, free[:many]) {
					t.Fatalf("seed %d: took %v, want %v", seed, took, free[:many])
				}
				taken, free = append(taken, took), slices.Clone(free[many:])
			case k == 2:
				taken = append(taken, []int32{s.add()})
			case len(taken) > 0:
				i := r.IntN(len(taken))
				s.release(taken[i])
				free = append(free, taken[i]...)
				slices.Sort(free)
				taken = slices.Delete(taken, i, i+1)
			}
			want := int32(-1)
			if len(free) > 0 {
				want = free[0]
			}
			if s.len() != len(free) || s.first() != want {
				t.Fatalf("seed %d: %d free, first %d, want %d, %d", seed, s.len(), s.first(), len(free), want)
			}
			if r.IntN(8) > 0 {
				continue // the next calls fill the bitmap
			}
			var all []int32
			for slot := s.after(-1); slot >= 0; slot = s.after(slot) {
				all = append(all, slot)
			}
			if !slices.Equal(all, free) || len(free) > 0 && !s.has(free[0]) {
				t.Fatalf("seed %d: %v are free, want %v", seed, all, free)
			}
		}
	}
}
