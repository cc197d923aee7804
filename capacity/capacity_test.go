package capacity

import (
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestUserLimit has two users in a queue of 8,000 MB whose users may get a quarter at least: while both request memory
// each may get half, then the one that is left all.
func TestUserLimit(t *testing.T) {
	t.Parallel()
	s := &dag.Snapshot{Plan: &dag.Plan{Cluster: dag.Cluster{MemoryMB: 8000}}, Queue: "q", Queues: []dag.QueueState{{
		Name: "q", ShareMB: 8000, UserRatio: 0.25,
	}}}
	var c Cluster
	ours := c.Reset(s, 8000)
	theirs := c.Member(s, "q", "other")
	c.ListRequests(1000)
	for _, x := range []struct {
		requesting []Member
		room       int
	}{{[]Member{ours, theirs}, 4000}, {[]Member{ours}, 8000}} {
		c.CountUsers(slices.Values(x.requesting))
		if got := c.Room(ours); got != x.room {
			t.Errorf("%d users: room for %d MB, want %d", len(x.requesting), got, x.room)
		}
	}
	five := []Member{ours}
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
		var c Cluster
		ours := c.Reset(s, 8000)
		c.AddOthers(s)
		c.Hold(ours, 500)
		c.ListRequests(500)
		best, _ := c.Neediest([]Applicant{{Member: ours, Size: 500, Held: 500}}, 0)
		if got := best.Job == 0; best.Size != 500 || got != x.ours {
			t.Errorf("share of %d: %+v is served", x.share, best)
		}
	}
}
