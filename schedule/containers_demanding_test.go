package schedule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// TestApplying: who may be given a container next is who a look at every application finds, whatever was given before.
func TestApplying(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := &containers{s: &dag.Snapshot{Plan: &dag.Plan{}}, allowMB: plenty}
		y.pool.freeMB = 256 * rapid.IntRange(0, 12).Draw(t, "free")
		for i := range 2 {
			y.queues = append(y.queues, queue{
				fair: rapid.Bool().Draw(t, "fair"), maxMB: 256 * rapid.IntRange(1, 12).Draw(t, "max"),
				userMB: 256 * rapid.IntRange(1, 8).Draw(t, "user"), userRatio: 1, shareMB: 1024 * (1 + i),
				users: make([]tenant, 2),
			})
		}
		for range rapid.IntRange(1, 6).Draw(t, "others") {
			l := load{
				queue: int32(rapid.IntRange(0, 1).Draw(t, "queue")),
				user:  int32(rapid.IntRange(0, 1).Draw(t, "of")), needs: true,
			}
			l.phase[dag.Map].taskMB = 256 * rapid.IntRange(1, 3).Draw(t, "unit")
			l.phase[dag.Map].wait = l.phase[dag.Map].taskMB * rapid.IntRange(0, 3).Draw(t, "tasks")
			y.loads = append(y.loads, l)
		}
		y.findDemanding()
		for {
			var want, got []int
			first := map[int32]bool{}
			for k := range y.loads {
				l := &y.loads[k]
				if l.want() == 0 || y.roomFor(l) < l.unit(defaultMB) || first[l.queue] {
					continue
				}
				want, first[l.queue] = append(want, k), !y.queues[l.queue].fair
			}
			for k := range y.candidates() {
				got = append(got, k)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v apply, want %v", got, want)
			}
			if len(got) == 0 {
				return
			}
			k := rapid.SampledFrom(got).Draw(t, "served")
			y.takeLoad(k, y.loads[k].unit(defaultMB))
			y.checkDemanding(t)
		}
	})
}

// checkDemanding holds that the index of who wants memory is what findDemanding would make now: who is satisfied must
// leave it, or each container costs a look at every application there ever was.
func (y *containers) checkDemanding(t *rapid.T) {
	var want []ask
	demanding := map[[2]int32]int{} // of a queue and a user
	for k := range y.loads {
		if l := &y.loads[k]; !l.satisfied() {
			want = append(want, ask{int32(k), l.queue, y.nextOf(l)})
			demanding[[2]int32{l.queue, l.user}]++
		}
	}
	if !slices.Equal(y.demanding, want) {
		t.Fatalf("the index has %v, want %v", y.demanding, want)
	}
	for i, q := range y.queues {
		least := plenty
		for _, a := range want {
			if a.queue == int32(i) && a.mb > 0 {
				least = min(least, a.mb)
			}
		}
		if got := q.smallestMB(); got != least {
			t.Fatalf("the smallest container that queue %d wants has %d MB, want %d", i, got, least)
		}
		for j, u := range q.users {
			if want := demanding[[2]int32{int32(i), int32(j)}]; u.demanding != want {
				t.Fatalf("user %d of queue %d has %d applications in the index, want %d", j, i, u.demanding, want)
			}
		}
	}
}
