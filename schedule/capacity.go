package schedule

import (
	"cmp"
	"iter"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// plenty is more memory or tasks than any cluster has.
const plenty = 1 << 50

// A capacityScheduler is YARN's CapacityScheduler in a replay: the memory of a cluster, or its cores, the shares and
// limits of queues and users, all applications on the cluster, and which of them gets the next container. Of our own
// applications it has what they hold, not what they do: the scheduler replays them.
type capacityScheduler struct {
	Free     int  // memory in MB, or cores, that no application has
	Released bool // ReleaseAll has released memory

	replay   *replay // that schedules its events
	queues   []queue // ours first
	limited  bool    // user limits depend on which users have requests
	apps     []application
	releases []release   // in the order of making
	requests []request   // of applications that request memory now or later
	latest   dag.Instant // the last submission of an application of ours that requests memory
}

// A member is a user of a queue, to which applications belong.
type member struct{ queue, user int32 }

// An applicant is an application that requests memory.
type applicant struct {
	member
	Job       int // index of a job of ours; -1 for another application
	Size      int // of its next container; 0: it requests memory, but there is no room for it
	Submitted dag.Instant
	Held      int
	app       int32
}

// A queue is a leaf queue of the scheduler. A missing limit is Plenty.
type queue struct {
	name                                string
	share, most, userLimit, masterLimit int // memory, or cores
	userRatio                           float64
	fair                                bool
	held, masters                       int // by all applications, and by the masters of ours
	users                               []user
	requesting                          int // users that request memory, if the user limit depends on them
	// room is the most that any candidate may get, least a size that no request is smaller than, and seen the smallest
	// request so far.
	room, least, seen int
}

// A user is a user of a queue.
type user struct {
	name     string
	held     int
	requests bool // it is one of queue.requesting
	others   int  // number of its applications beside ours that request memory now or later
}

// A request is the next request of another application. On a cluster of a thousand applications the replay scans
// all requests for each container of ours, so requests are small and contiguous.
type request struct {
	app, queue int32
	size       int // of the next container; 0: none now
}

// Reset empties the cluster, in the memory of the one before, and returns the member of our own applications.
func (c *capacityScheduler) Reset(s *dag.Snapshot, free int) member {
	*c = capacityScheduler{
		Free: free, replay: c.replay, queues: c.queues[:0], apps: c.apps[:0], releases: c.releases[:0],
		requests: c.requests[:0], latest: dag.NoInstant,
	}
	return c.Member(s, s.Queue, s.User)
}

// Member returns a user of a queue of the snapshot. The first queue is ours.
func (c *capacityScheduler) Member(s *dag.Snapshot, inQueue, name string) member {
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
	return member{int32(q), int32(u)} //nolint:gosec // indices
}

func newQueue(s *dag.Snapshot, name string, ours bool) queue {
	q := queue{name: name, most: plenty, userLimit: plenty, masterLimit: plenty, userRatio: 1}
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

func orPlenty(size int) int { return cmp.Or(max(size, 0), plenty) }

// limit returns the present limit of one user in the queue: the greater of an equal part for each requesting user
// and its minimum part of the queue, and never more than userLimit (CapacityScheduler,
// UsersManager.computeUserLimit).
func (q *queue) limit() int {
	if q.userRatio >= 1 || q.requesting < 2 {
		return q.userLimit
	}
	has := float64(max(q.share, q.held))
	return min(q.userLimit, int(max(has/float64(q.requesting), has*q.userRatio)))
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
func (c *capacityScheduler) Hold(m member, size int) {
	c.Free -= size
	c.queues[m.queue].held += size
	c.queues[m.queue].users[m.user].held += size
}

// Room returns how much more a member may get.
func (c *capacityScheduler) Room(m member) int {
	of := &c.queues[m.queue]
	return min(c.Free, of.most-of.held, of.limit()-of.users[m.user].held)
}

// MasterFits reports whether another master stays within the limit of its queue's masters. One may always run.
func (c *capacityScheduler) MasterFits(m member, size int) bool {
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
func (c *capacityScheduler) Contended() bool {
	return len(c.apps) > 0 || len(c.queues) > 1 || c.queues[0].fair || c.queues[0].userRatio < 1
}

// ListRequests lists the other applications that request memory now or later, in the order of their submission.
// Containers of unknown size have the usual one.
func (c *capacityScheduler) ListRequests(usual int) {
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
func (c *capacityScheduler) CountUsers(ours iter.Seq[member]) {
	if !c.limited {
		return
	}
	for i := range c.queues {
		q := &c.queues[i]
		q.requesting = 0
		for u := range q.users {
			q.users[u].requests = false
		}
	}
	count := func(m member) {
		q := &c.queues[m.queue]
		if u := &q.users[m.user]; !u.requests {
			u.requests = true
			q.requesting++
		}
	}
	for _, r := range c.requests {
		if r.size > 0 {
			count(c.apps[r.app].member)
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
func (c *capacityScheduler) Neediest(ours []applicant, latest dag.Instant) (best applicant, sole bool) {
	c.latest, sole = latest, true
	consider := func(a applicant) {
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
func (c *capacityScheduler) candidates() iter.Seq[applicant] {
	return func(yield func(applicant) bool) {
		left := 0
		for i := range c.queues {
			q := &c.queues[i]
			if q.room = min(c.Free, q.mostForOthers()); q.room < max(q.least, 1) {
				q.room = 0
			} else {
				left++
				q.seen = plenty
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
			if r.size > q.room || isMaster && !c.MasterFits(a.member, r.size) || a.room(c) < r.size {
				continue
			}
			if !yield(applicant{
				Job: -1, member: a.member, Size: r.size, Submitted: a.submitted, Held: a.held, app: r.app,
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
func (a *application) room(c *capacityScheduler) int {
	room := c.Room(a.member)
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
func (c *capacityScheduler) Grant(next applicant, sole bool, now dag.Instant) {
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
		c.replay.at(now.Add(c.replay.overheads.Launch), rankEnd, func() {
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
func (c *capacityScheduler) updateRequest(app int32) {
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
