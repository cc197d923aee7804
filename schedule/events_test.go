package schedule

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// TestEventQueue compares the queue with a sorted list: events come by instant, rank and the order of pushes.
func TestEventQueue(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var q eventQueue
		var list []event
		q.reset(1000)
		now := dag.Instant(1000)
		for id := range int32(2000) {
			wide := dag.Instant(1) << r.IntN(12)
			row := int32(0)
			if rank := r.Int32N(rankStart + 1); rank > 0 {
				row = kindOf(rank, opDo)
			}
			e := event{now + dag.Instant(r.Int64N(int64(wide))), id, row}
			q.push(e)
			list = append(list, e)
			for len(list) > 0 && r.IntN(3+int(seed%5)) == 0 {
				slices.SortStableFunc(list, func(a, b event) int {
					return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank(), b.rank()))
				})
				now = list[0].at
				if at := q.first(); at != now {
					t.Fatalf("seed %d: the next instant is %d, want %d", seed, at, now)
				}
				if got := q.pop(); got != list[0] {
					t.Fatalf("seed %d: %+v, want %+v", seed, got, list[0])
				}
				list = list[1:]
			}
			if q.n != len(list) {
				t.Fatalf("seed %d: %d events, want %d", seed, q.n, len(list))
			}
		}
	}
}

// BenchmarkOneInstant replays tasks without work: they all end at the instant at which they start.
func BenchmarkOneInstant(b *testing.B) {
	const slots = 100_000
	s := blankSnapshot(&dag.Plan{
		Cluster: dag.Cluster{Policy: dag.FIFO, SlotsPerNode: 100, MapSlots: slots, ReduceSlots: slots},
		Jobs: []dag.Job{{
			Node:   "j",
			Stages: dag.MapReduce(dag.Stage{Tasks: 2 * slots, Known: true}, dag.Stage{Tasks: 1, Known: true}),
		}},
	})
	none := func(Task) Cost { return Cost{Work: time.Duration(0), Same: 1} }
	for b.Loop() {
		if _, err := Replay(s, none, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
