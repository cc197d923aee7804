package capacity

import (
	"iter"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// An Applicant is an application that requests memory.
type Applicant struct {
	Member
	Job       int // index of a job of ours; -1 for another application
	Size      int // of its next container; 0: it requests memory, but there is no room for it
	Submitted dag.Instant
	Held      int
	app       int32
}

// A request is the next request of another application. On a cluster of a thousand applications the replay scans
// all requests for each container of ours, so requests are small and contiguous.
type request struct {
	app, queue int32
	size       int // of the next container; 0: none now
}

// ListRequests lists the other applications that request memory now or later, in the order of their submission.
// Containers of unknown size have the usual one.
func (c *Cluster) ListRequests(usual int) {
	c.requests = c.requests[:0]
	for i := range c.queues {
		q := &c.queues[i]
		q.least = 0
		c.limited = c.limited || q.userRatio < 1
		for u := range q.users {
			q.users[u].others = 0
		}
	}
	for k := range c.apps {
		a := &c.apps[k]
		if !a.hasNeed {
			a.phases[ofMaster].size = usual
		}
		if _, size := a.next(); size > 0 || a.launching {
			c.requests = append(c.requests, request{int32(k), a.queue, size}) //nolint:gosec // an index
			c.queues[a.queue].users[a.user].others++
		}
	}
}

// CountUsers counts the users that request memory, if a user limit depends on it. ours are the members of our
// applications that do.
func (c *Cluster) CountUsers(ours iter.Seq[Member]) {
	if !c.limited {
		return
	}
	for i := range c.queues {
		q := &c.queues[i]
		q.asking = 0
		for u := range q.users {
			q.users[u].asks = false
		}
	}
	count := func(m Member) {
		q := &c.queues[m.queue]
		if u := &q.users[m.user]; !u.asks {
			u.asks = true
			q.asking++
		}
	}
	for _, r := range c.requests {
		if r.size > 0 {
			count(c.apps[r.app].Member)
		}
	}
	for m := range ours {
		count(m)
	}
}

// Neediest returns the next applicant to serve, without a size if there is none, of other applications and ours, which
// are in the order in which they are served. latest is the last submission of ours. sole: it may get all its requests
// before any other is served. The queue with the smallest used part of its share goes first, and in it the earliest
// submission, or the application that uses least.
func (c *Cluster) Neediest(ours []Applicant, latest dag.Instant) (best Applicant, sole bool) {
	c.latest, sole = latest, true
	consider := func(a Applicant) {
		first := best.Size == 0
		switch q := &c.queues[a.queue]; {
		case first:
		case a.queue != best.queue:
			first, sole = q.used() < c.queues[best.queue].used(), false
		case q.fair:
			first, sole = a.Held < best.Held, false
		case a.Job < 0 || best.Job < 0:
			first = a.Submitted < best.Submitted
		}
		if first {
			best = a
		}
	}
	for a := range c.candidates() {
		consider(a)
	}
	for _, a := range ours {
		if a.Size > 0 {
			consider(a)
		}
	}
	return best, sole && c.queues[best.queue].userRatio >= 1
}

// candidates yields the other applications that could get their next container now. In a queue that serves in the
// order of submission only the first one can: those behind it have to wait. A queue is skipped if less is free than
// its smallest request, which is usual on a full cluster.
func (c *Cluster) candidates() iter.Seq[Applicant] {
	return func(yield func(Applicant) bool) {
		left := 0
		for i := range c.queues {
			q := &c.queues[i]
			if q.room = min(c.Free, q.mostForOthers()); q.room < max(q.least, 1) {
				q.room = 0
			} else {
				left++
				q.seen = Plenty
			}
		}
		for i := 0; i < len(c.requests) && left > 0; i++ {
			r := &c.requests[i]
			q := &c.queues[r.queue]
			if r.size == 0 || q.room == 0 {
				continue
			}
			q.seen = min(q.seen, r.size)
			a := &c.apps[r.app]
			isMaster := a.hasNeed && a.phases[ofMaster].wait > 0
			if r.size > q.room || isMaster && !c.MasterFits(a.Member, r.size) || a.room(c) < r.size {
				continue
			}
			if !yield(Applicant{
				Job: -1, Member: a.Member, Size: r.size, Submitted: a.submitted, Held: a.held, app: r.app,
			}) {
				return
			}
			if !q.fair {
				q.room = 0
				left--
			}
		}
		for i := range c.queues {
			if q := &c.queues[i]; q.room > 0 {
				q.least = q.seen
			}
		}
	}
}

// room returns how much more another application may get. If only its requests are known, it gets no more than is
// certain: its queue's guarantee, or in our queue the part that comes before an application of ours.
func (a *application) room(c *Cluster) int {
	room := c.Room(a.Member)
	switch {
	case a.hasNeed:
	case a.queue > 0:
		room = min(room, c.queues[a.queue].share-a.held)
	case !c.latest.Known() || c.latest < a.submitted:
		return 0
	}
	return room
}

// Grant allocates its next container to another application, or all that it may get if it is the sole applicant.
func (c *Cluster) Grant(next Applicant, sole bool, now dag.Instant) {
	a, size := &c.apps[next.app], next.Size
	k, _ := a.next()
	p := &a.phases[k]
	if sole {
		size = max(size, min(p.wait, a.room(c))/size*size)
	}
	a.allocate(c, size)
	p.wait -= size
	switch {
	case k != ofMaster:
		c.startTasks(next.app, k, size, now)
	case a.hasNeed:
		a.master, a.launching = size, true
		c.At(now.Add(c.Launch), func() {
			a.launching = false
			c.updateRequest(next.app)
		})
	case p.length > 0:
		a.giveBack(c, now, now.Add(p.length))
		p.length = 0
	}
	c.updateRequest(next.app)
}

// updateRequest updates an application's request after it was given memory or got its master.
func (c *Cluster) updateRequest(app int32) {
	i, found := slices.BinarySearchFunc(c.requests, app, func(r request, k int32) int { return int(r.app - k) })
	if !found {
		return
	}
	a := &c.apps[app]
	q := &c.queues[a.queue]
	_, size := a.next()
	if size == 0 && !a.launching {
		c.requests = slices.Delete(c.requests, i, i+1)
		q.users[a.user].others--
		return
	}
	c.requests[i].size = size
	q.least = min(q.least, max(size, 1))
}
