package schedule

import (
	"flag"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"pgregory.net/rapid"
)

// TestUserLimit has two users in a queue of 8,000 MB whose users may get a quarter at least: while both request memory
// each may get half, then the one that is left all.
func TestUserLimit(t *testing.T) {
	t.Parallel()
	s := &dag.Snapshot{Plan: &dag.Plan{Cluster: dag.Cluster{MemoryMB: 8000}}, Queue: "q", Queues: []dag.QueueState{{
		Name: "q", ShareMB: 8000, UserRatio: 0.25,
	}}}
	c := capacityScheduler{replay: &replay{}}
	ours := c.Reset(s, 8000)
	theirs := c.Member(s, "q", "other")
	c.ListRequests(1000)
	for _, x := range []struct {
		requesting []member
		room       int
	}{{[]member{ours, theirs}, 4000}, {[]member{ours}, 8000}} {
		c.CountUsers(slices.Values(x.requesting))
		if got := c.Room(ours); got != x.room {
			t.Errorf("%d users: room for %d MB, want %d", len(x.requesting), got, x.room)
		}
	}
	five := []member{ours}
	for _, name := range []string{"b", "c", "d", "e"} {
		five = append(five, c.Member(s, "q", name))
	}
	c.CountUsers(slices.Values(five))
	if got := c.Room(ours); got != 2000 {
		t.Errorf("five users: room for %d MB, want a quarter", got)
	}
}

// TestSharesOfQueues gives our queue, whose share is unknown, the memory that other queues are not guaranteed: of two
// applications with as much memory, the one in the queue with the larger share is served first.
func TestSharesOfQueues(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		share int // of the other queue
		ours  bool
	}{{1000, true}, {7000, false}} {
		s := &dag.Snapshot{Plan: &dag.Plan{Cluster: dag.Cluster{MemoryMB: 8000}}, Queue: "q", Load: []dag.Load{{
			ID: "other", Queue: "r", ShareMB: x.share, HeldMB: 500, PendingMB: 500, Until: dag.NoInstant,
		}}}
		c := capacityScheduler{replay: &replay{}}
		ours := c.Reset(s, 8000)
		c.AddOthers(s)
		c.Hold(ours, 500)
		c.ListRequests(500)
		best, _ := c.Neediest([]applicant{{member: ours, Size: 500, Held: 500}}, 0)
		if got := best.Job == 0; best.Size != 500 || got != x.ours {
			t.Errorf("share of %d: %+v is served", x.share, best)
		}
	}
}

// TestCandidates: the applications that may be given a container next are those that a look at every application finds,
// whatever was given before.
func TestCandidates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &capacityScheduler{replay: &replay{}, latest: dag.NoInstant}
		c.Free = 256 * rapid.IntRange(0, 12).Draw(t, "free")
		for i := range 2 {
			c.queues = append(c.queues, queue{
				fair: rapid.Bool().Draw(t, "fair"), most: 256 * rapid.IntRange(1, 12).Draw(t, "max"),
				userLimit: 256 * rapid.IntRange(1, 8).Draw(t, "user"), userRatio: 1, share: 1024 * (1 + i),
				users: make([]user, 2),
			})
		}
		for range rapid.IntRange(1, 6).Draw(t, "others") {
			a := application{
				member: member{
					queue: int32(rapid.IntRange(0, 1).Draw(t, "queue")),
					user:  int32(rapid.IntRange(0, 1).Draw(t, "of")),
				},
				hasNeed: true,
			}
			for _, phase := range []int{ofMaps, ofReduces} { // reduces may be smaller than the maps before them
				p := &a.phases[phase]
				p.size = 256 * rapid.IntRange(1, 3).Draw(t, "unit")
				p.wait = p.size * rapid.IntRange(0, 3).Draw(t, "tasks")
			}
			c.apps = append(c.apps, a)
		}
		c.ListRequests(256)
		for {
			var want, got []int32
			first := map[int32]bool{}
			for k := range c.apps {
				a := &c.apps[k]
				if _, size := a.next(); size == 0 || a.room(c) < size || first[a.queue] {
					continue
				}
				want, first[a.queue] = append(want, int32(k)), !c.queues[a.queue].fair
			}
			for a := range c.candidates() {
				got = append(got, a.app)
			}
			c.checkRequests(t)
			if !slices.Equal(got, want) {
				t.Fatalf("%v are candidates, want %v", got, want)
			}
			if len(got) == 0 {
				return
			}
			k := rapid.SampledFrom(got).Draw(t, "served")
			_, size := c.apps[k].next()
			c.Grant(applicant{app: k, Size: size}, false, 0)
			c.checkRequests(t)
		}
	})
}

// checkRequests checks that the index of requests is what ListRequests would make now: applications that are satisfied
// must leave it, or each container costs a look at every application there ever was.
func (c *capacityScheduler) checkRequests(t *rapid.T) {
	var want []request
	for k := range c.apps {
		a := &c.apps[k]
		if _, size := a.next(); size > 0 || a.launching {
			want = append(want, request{int32(k), a.queue, size})
		}
	}
	if !slices.Equal(c.requests, want) {
		t.Fatalf("the index has %v, want %v", c.requests, want)
	}
	for _, r := range want {
		if least := c.queues[r.queue].least; r.size > 0 && r.size < least {
			t.Fatalf("queue %d has a request for %d MB, less than %d", r.queue, r.size, least)
		}
	}
}

// The drawn cases are the same in every run, so that a change is judged by them and not by luck.
// -rapid.seed=0 draws others.
func init() { _ = flag.Set("rapid.seed", "20261121") }
