package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A queue is a leaf queue of the scheduler in the replay. A missing limit is plenty.
type queue struct {
	name                                string
	share, most, userLimit, masterLimit int // memory, or cores
	userRatio                           float64
	fair                                bool
	held                                int
	users                               []user
	room                                int // maximum for others here, while candidates runs
	requests                            []requestCount
}

// A requestCount is the number of other applications in a queue that request a container of one size next. There
// are few sizes.
type requestCount struct{ size, n int }

// count adds more applications with a next container of a size; a size of 0 is no request.
func (q *queue) count(size, more int) {
	if size == 0 {
		return
	}
	i := slices.IndexFunc(q.requests, func(a requestCount) bool { return a.size == size })
	if i < 0 {
		i = len(q.requests)
		q.requests = append(q.requests, requestCount{size: size})
	}
	q.requests[i].n += more
}

// smallest returns the size of the smallest next container of another application in the queue.
func (q *queue) smallest() int {
	least := plenty
	for _, a := range q.requests {
		if a.n > 0 {
			least = min(least, a.size)
		}
	}
	return least
}

// A user is a user of a queue.
type user struct {
	name      string
	held      int
	asks      bool // it requests memory; set by noteUsers if the queue's user limit depends on it
	demanding int  // number of other applications that request memory now or later
}

// plenty is more memory than any cluster has.
const plenty = 1 << 50

// loadQueues creates our queue, queue 0; other queues follow on demand.
func (c *loader) loadQueues() {
	c.allowed = plenty
	c.queueOf(c.s.Queue)
	c.userOf(0, c.s.User)
}

// queueOf returns the index of a queue, created if needed.
func (c *scheduler) queueOf(name string) int32 {
	if i := slices.IndexFunc(c.queues, func(q queue) bool { return q.name == name }); i >= 0 {
		return int32(i) //nolint:gosec // an index
	}
	q := queue{name: name, most: plenty, userLimit: plenty, masterLimit: plenty, userRatio: 1}
	ours, limit := len(c.queues) == 0, positive(c.plan.Cluster.QueueMB, plenty)
	if st := c.s.QueueNamed(name); st != nil {
		q.share, q.fair, q.most = st.ShareMB, st.Order == dag.OrderFair, positive(st.MaxMB, plenty)
		q.userLimit, q.masterLimit = positive(st.UserMB, plenty), positive(st.MastersMB, plenty)
		if st.UserRatio > 0 && st.UserRatio < 1 {
			q.userRatio = st.UserRatio
		}
		if ours {
			q.userLimit = min(q.userLimit, limit)
		}
	} else if ours {
		q.most = limit
	}
	c.queues = append(c.queues, q)
	return int32(len(c.queues) - 1) //nolint:gosec // an index
}

// userOf returns the index of a user in a queue, created if needed.
func (c *scheduler) userOf(q int32, name string) int32 {
	users := &c.queues[q].users
	if i := slices.IndexFunc(*users, func(u user) bool { return u.name == name }); i >= 0 {
		return int32(i) //nolint:gosec // an index
	}
	*users = append(*users, user{name: name})
	return int32(len(*users) - 1) //nolint:gosec // an index
}

// limit returns the present limit of one user in the queue: the greater of an equal part for each requesting user
// and its minimum part of the queue, and never more than userLimit (CapacityScheduler,
// UsersManager.computeUserLimit).
func (q *queue) limit() int {
	if q.userRatio >= 1 {
		return q.userLimit
	}
	asking := 0
	for i := range q.users {
		if q.users[i].asks {
			asking++
		}
	}
	if asking < 2 {
		return q.userLimit
	}
	has := float64(max(q.share, q.held))
	return min(q.userLimit, int(max(has/float64(asking), has*q.userRatio)))
}

// mostForOthers returns the most that any user with requests in the queue may get.
func (q *queue) mostForOthers(free int) int {
	held := plenty
	for i := range q.users {
		if u := &q.users[i]; u.demanding > 0 {
			held = min(held, u.held)
		}
	}
	if held == plenty {
		return 0
	}
	return min(free, q.most-q.held, q.limit()-held)
}

// used returns the used part of a queue's share: the scheduler serves the queue with the smallest one first.
func (q *queue) used() float64 { return float64(q.held) / float64(max(q.share, 1)) }

// roomIn returns how much more an application of that queue and user may get.
func (c *scheduler) roomIn(q, user int32) int {
	of := &c.queues[q]
	return min(c.pool.free, of.most-of.held, of.limit()-of.users[user].held)
}

// roomOf returns how much more a job may get in this step.
func (c *scheduler) roomOf(j *job) int { return min(c.allowed, c.roomIn(j.queue, j.user)) }

// mastersFit reports whether another master stays within the limit of the queue's masters. One may always run.
func (q *queue) mastersFit(c *scheduler, queue int32, size int) bool {
	held := 0
	for _, o := range c.order {
		if o.queue == queue && (o.state == starting || o.state == active) {
			held += o.masterSize
		}
	}
	for k := range c.others.apps {
		if a := &c.others.apps[k]; a.queue == queue {
			held += min(a.master, a.held)
		}
	}
	return held == 0 || held+size <= q.masterLimit
}

// occupy allocates memory or cores to a job of ours; a negative size releases them.
func (c *scheduler) occupy(j *job, size int) { c.hold(j.queue, j.user, size) }

func (c *scheduler) hold(q, user int32, size int) {
	c.pool.free -= size
	if c.allowed < plenty {
		c.allowed -= size
	}
	c.queues[q].held += size
	c.queues[q].users[user].held += size
}

// heldBy returns the resources of a job's application.
func (j *job) heldBy() int {
	if j.state == starting || j.state == active {
		return j.taskMemory() + j.masterSize
	}
	return j.taskMemory()
}

// contended reports whether free resources have to be shared: other applications run, or our jobs are not served in
// order of submission.
func (c *scheduler) contended() bool {
	return len(c.others.apps) > 0 || len(c.queues) > 1 || c.queues[0].fair || c.queues[0].userRatio < 1
}

// An applicant is an application that requests memory: a job of ours, or another application.
type applicant struct {
	job       *job
	other     int32
	queue     int32
	size      int
	submitted dag.Instant
	held      int
}

// share allocates free resources to all requesting applications, as CapacityScheduler does: the queue with the
// smallest used part of its share goes first, and in it the earliest submission, or the application that uses
// least.
func (c *scheduler) share() {
	for c.pool.free > 0 {
		c.noteUsers()
		a, sole, ok := c.neediest()
		if !ok {
			return
		}
		if a.job == nil {
			o := &c.others.apps[a.other]
			size := a.size
			if sole {
				size = max(size, min(o.unmet(), o.room(c))/a.size*a.size)
			}
			c.others.grant(c, int(a.other), size)
			continue
		}
		if !sole {
			c.allowed = a.size
		}
		was := c.pool.free
		c.grantJob(a.job)
		c.allowed = plenty
		if c.pool.free == was {
			return // nothing that it requests can be allocated after all
		}
	}
}

// neediest returns the next applicant to serve; sole: it may get all its requests before any other is served.
func (c *scheduler) neediest() (best applicant, sole, ok bool) {
	sole = true
	consider := func(a applicant) {
		switch {
		case !ok:
			best, ok = a, true
		case a.queue != best.queue:
			sole = false
			if c.queues[a.queue].used() < c.queues[best.queue].used() {
				best = a
			}
		case c.queues[a.queue].fair:
			sole = false
			if a.held < best.held {
				best = a
			}
		case a.job != nil && best.job != nil: // they are in the order in which they are served
		case a.submitted < best.submitted:
			best = a
		}
	}
	for k, size := range c.others.candidates(c) {
		o := &c.others.apps[k]
		consider(applicant{nil, k, o.queue, size, o.submitted, o.held})
	}
	for _, j := range c.inOrder() {
		if size := c.nextSize(j); size > 0 {
			consider(applicant{j, 0, j.queue, size, j.submitted, j.heldBy()})
		}
	}
	return best, sole && (!ok || c.queues[best.queue].userRatio >= 1), ok
}

// room returns how much more another application may get. If only its requests are known, it gets no more than is
// certain: its queue's guarantee, or in our queue the part that comes before a job of ours.
func (o *application) room(c *scheduler) int {
	room := c.roomIn(o.queue, o.user)
	switch {
	case o.hasNeed:
	case o.queue > 0:
		room = min(room, c.queues[o.queue].share-o.held)
	case !slices.ContainsFunc(c.order, func(j *job) bool {
		return (j.state == accepted || j.state == active) && j.submitted >= o.submitted
	}):
		return 0
	}
	return room
}

// nextSize returns the size of a job's next container; 0 if it requests none or there is no room for it.
func (c *scheduler) nextSize(j *job) int {
	switch {
	case j.state == accepted && c.roomOf(j) >= j.masterSize && j.leavesRoom(c):
		return j.masterSize
	case j.state != active:
		return 0
	}
	for st, kind := range j.requests {
		if st.has(kind) && c.room(st) > 0 {
			return st.size
		}
	}
	return 0
}

// noteUsers marks the users that request memory, if a user limit depends on it.
func (c *scheduler) noteUsers() {
	if !c.limited {
		return
	}
	for q := range c.queues {
		for u := range c.queues[q].users {
			c.queues[q].users[u].asks = false
		}
	}
	for _, a := range c.others.requests {
		if o := &c.others.apps[a.app]; a.size > 0 {
			c.queues[o.queue].users[o.user].asks = true
		}
	}
	for _, j := range c.order {
		if j.state == accepted || j.state == active && j.asksForTasks() {
			c.queues[j.queue].users[j.user].asks = true
		}
	}
}

func (j *job) asksForTasks() bool {
	return slices.ContainsFunc(j.stages, func(st stage) bool {
		return !st.copies() && !st.closed && st.waiting+len(st.retry)+st.unasked > 0 || st.requestsCopying()
	})
}

// byKeys compares jobs by the plan's order (section 3.1.1), a scheduler given as data: by each key until one
// decides; 0 if none does. running returns the number of a job's running tasks.
func (r *replay) byKeys(a, b *job, running func(*job) int) int {
	for _, key := range r.plan.Cluster.Order {
		c := 0
		switch x, y := &r.plan.Jobs[a.index], &r.plan.Jobs[b.index]; key {
		case dag.BySubmit:
			c = cmp.Compare(a.submitted, b.submitted)
		case dag.ByPriority:
			c = cmp.Compare(y.Priority, x.Priority)
		case dag.BySize:
			c = cmp.Compare(x.Tasks(), y.Tasks())
		case dag.ByRemaining:
			c = cmp.Compare(a.left, b.left)
		case dag.ByRunning:
			c = cmp.Compare(running(a), running(b))
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// inOrder returns the jobs in the order in which the scheduler serves them: by the plan's keys, then by submission.
func (c *scheduler) inOrder() []*job {
	if len(c.plan.Cluster.Order) == 0 {
		return c.order
	}
	c.byKey = append(c.byKey[:0], c.order...)
	slices.SortStableFunc(c.byKey, func(a, b *job) int {
		return c.byKeys(a, b, func(*job) int { return 0 })
	})
	return c.byKey
}
