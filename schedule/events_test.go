package schedule

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

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
