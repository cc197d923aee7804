// Package capacity is YARN's CapacityScheduler in a replay: the shares and limits of queues and users, the other
// applications on the cluster, and which application gets the next container.
//
// A [Cluster] knows what our own applications have, but not what they do: package schedule replays them. The package
// reads no clock and does no I/O.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package capacity

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Plenty is more memory than any cluster has.
const Plenty = 1 << 50

// A Cluster is the memory of a cluster, or its cores, and all applications on it.
type Cluster struct {
	Free     int           // memory in MB, or cores, that no application has
	Released bool          // ReleaseAll has released memory
	Launch   time.Duration // from the container of a master to its first requests
	// At schedules a function, and EndAt a call of End.
	At    func(t dag.Instant, do func())
	EndAt func(t dag.Instant, release int)

	queues   []queue // ours first
	limited  bool    // user limits depend on which users have requests
	apps     []application
	releases []release   // in the order of making
	requests []request   // of applications that request memory now or later
	latest   dag.Instant // the last submission of an application of ours that requests memory
}

// A Member is a user of a queue, to which applications belong.
type Member struct{ queue, user int32 }

// A queue is a leaf queue of the scheduler. A missing limit is Plenty.
type queue struct {
	name                                string
	share, most, userLimit, masterLimit int // memory, or cores
	userRatio                           float64
	fair                                bool
	held, masters                       int // by all applications, and by the masters of ours
	users                               []user
	asking                              int // users that request memory, if the user limit depends on them
	// For candidates: the most that any application may get, a size that no request is smaller than, and the smallest
	// request that it has seen.
	room, least, seen int
}

// A user is a user of a queue.
type user struct {
	name   string
	held   int
	asks   bool // it is one of queue.asking
	others int  // number of its applications beside ours that request memory now or later
}

// Reset empties the cluster, in the memory of the one before, and returns the member of our own applications.
func (c *Cluster) Reset(s *dag.Snapshot, free int) Member {
	*c = Cluster{
		Free: free, Launch: c.Launch, At: c.At, EndAt: c.EndAt, queues: c.queues[:0], apps: c.apps[:0],
		releases: c.releases[:0], requests: c.requests[:0], latest: dag.NoInstant,
	}
	return c.Member(s, s.Queue, s.User)
}

// Member returns a user of a queue of the snapshot. The first queue is ours.
func (c *Cluster) Member(s *dag.Snapshot, inQueue, name string) Member {
	q := slices.IndexFunc(c.queues, func(q queue) bool { return q.name == inQueue })
	if q < 0 {
		q = len(c.queues)
		c.queues = append(c.queues, newQueue(s, inQueue, q == 0))
	}
	users := &c.queues[q].users
	u := slices.IndexFunc(*users, func(u user) bool { return u.name == name })
	if u < 0 {
		u = len(*users)
		*users = append(*users, user{name: name})
	}
	return Member{int32(q), int32(u)} //nolint:gosec // indices
}

func newQueue(s *dag.Snapshot, name string, ours bool) queue {
	q := queue{name: name, most: Plenty, userLimit: Plenty, masterLimit: Plenty, userRatio: 1}
	limit := orPlenty(s.Plan.Cluster.QueueMB)
	if st := s.QueueNamed(name); st != nil {
		q.share, q.fair, q.most = st.ShareMB, st.Order == dag.OrderFair, orPlenty(st.MaxMB)
		q.userLimit, q.masterLimit = orPlenty(st.UserMB), orPlenty(st.MastersMB)
		if st.UserRatio > 0 && st.UserRatio < 1 {
			q.userRatio = st.UserRatio
		}
		if ours {
			q.userLimit = min(q.userLimit, limit)
		}
	} else if ours {
		q.most = limit
	}
	return q
}

func orPlenty(size int) int {
	if size > 0 {
		return size
	}
	return Plenty
}

// limit returns the present limit of one user in the queue: the greater of an equal part for each requesting user
// and its minimum part of the queue, and never more than userLimit (CapacityScheduler,
// UsersManager.computeUserLimit).
func (q *queue) limit() int {
	if q.userRatio >= 1 || q.asking < 2 {
		return q.userLimit
	}
	has := float64(max(q.share, q.held))
	return min(q.userLimit, int(max(has/float64(q.asking), has*q.userRatio)))
}

// mostForOthers returns the most that any user with requests may get.
func (q *queue) mostForOthers() int {
	most, limit := 0, q.limit()
	for i := range q.users {
		if u := &q.users[i]; u.others > 0 {
			most = max(most, limit-u.held)
		}
	}
	return min(most, q.most-q.held)
}

// used returns the used part of a queue's share: the scheduler serves the queue with the smallest one first.
func (q *queue) used() float64 { return float64(q.held) / float64(max(q.share, 1)) }

// Hold allocates memory or cores to a member; a negative size releases them.
func (c *Cluster) Hold(m Member, size int) {
	c.Free -= size
	c.queues[m.queue].held += size
	c.queues[m.queue].users[m.user].held += size
}

// Room returns how much more a member may get.
func (c *Cluster) Room(m Member) int {
	of := &c.queues[m.queue]
	return min(c.Free, of.most-of.held, of.limit()-of.users[m.user].held)
}

// CountMaster counts the memory of a master of ours against the limit of its queue's masters; a negative size removes
// it.
func (c *Cluster) CountMaster(m Member, size int) { c.queues[m.queue].masters += size }

// LimitsMasters reports whether a limit of masters is known in a member's queue.
func (c *Cluster) LimitsMasters(m Member) bool { return c.queues[m.queue].masterLimit < Plenty }

// MasterFits reports whether another master stays within the limit of its queue's masters. One may always run.
func (c *Cluster) MasterFits(m Member, size int) bool {
	q := &c.queues[m.queue]
	held := q.masters
	for k := range c.apps {
		if a := &c.apps[k]; a.queue == m.queue {
			held += min(a.master, a.held)
		}
	}
	return held == 0 || held+size <= q.masterLimit
}

// Contended reports whether free resources have to be shared: other applications run, or ours are not served in the
// order of submission.
func (c *Cluster) Contended() bool {
	return len(c.apps) > 0 || len(c.queues) > 1 || c.queues[0].fair || c.queues[0].userRatio < 1
}
