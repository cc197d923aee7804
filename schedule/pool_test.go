package schedule

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
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

// TestEvents compares the queue with a sorted list: events come by instant, rank and the order of pushes.
func TestEvents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var q eventQueue
		var list []event
		q.reset(1000)
		now := dag.Instant(1000)
		for id := range int32(2000) {
			wide := dag.Instant(1) << r.IntN(12)
			kind := -r.Int32N(eventKinds*mostRank + 1)
			e := event{now + dag.Instant(r.Int64N(int64(wide))), id, kind}
			q.push(e)
			list = append(list, e)
			for len(list) > 0 && r.IntN(3+int(seed%5)) == 0 {
				slices.SortStableFunc(list, func(a, b event) int {
					return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.rank(), b.rank()))
				})
				now = list[0].At
				if at := q.first(); at != now {
					t.Fatalf("seed %d: the next instant is %d, want %d", seed, at, now)
				}
				if got := q.pop(); got != list[0] {
					t.Fatalf("seed %d: %+v, want %+v", seed, got, list[0])
				}
				list = list[1:]
			}
			if q.len() != len(list) {
				t.Fatalf("seed %d: %d events, want %d", seed, q.len(), len(list))
			}
		}
	}
}
