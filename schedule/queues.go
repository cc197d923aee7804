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
	asking                              int // users that request memory, if the user limit depends on them
	// For others.candidates: the most that any application may get, a size that no request is smaller than, and the
	// smallest request that it has seen.
	room, least, seen int
}

// A user is a user of a queue.
type user struct {
	name   string
	held   int
	asks   bool // it is one of queue.asking
	others int  // number of its applications beside ours that request memory now or later
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

// roomIn returns how much more an application of that queue and user may get.
func (c *scheduler) roomIn(q, user int32) int {
	of := &c.queues[q]
	return min(c.pool.free, of.most-of.held, of.limit()-of.users[user].held)
}

// roomOf returns how much more a job may get in this step.
func (c *scheduler) roomOf(j *job) int { return min(c.allowed, c.roomIn(j.queue, j.user)) }

// mastersFit reports whether another master stays within the limit of the queue's masters. One may always run.
func (c *scheduler) mastersFit(queue int32, size int) bool {
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
	return held == 0 || held+size <= c.queues[queue].masterLimit
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
	size      int // of its next container
	submitted dag.Instant
	held      int
}

// share allocates free resources to all requesting applications, as CapacityScheduler does.
func (c *scheduler) share() {
	for c.pool.free > 0 {
		c.noteUsers()
		a, sole := c.neediest()
		switch {
		case a.size == 0:
			return
		case a.job == nil:
			if sole {
				o := &c.others.apps[a.other]
				phase, _ := o.next()
				a.size = max(a.size, min(o.phases[phase].wait, o.room(c))/a.size*a.size)
			}
			c.others.grant(c, a.other, a.size)
			continue
		case !sole:
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

// neediest returns the next applicant to serve, without a size if there is none; sole: it may get all its requests
// before any other is served. The queue with the smallest used part of its share goes first, and in it the earliest
// submission, or the application that uses least.
func (c *scheduler) neediest() (best applicant, sole bool) {
	sole = true
	consider := func(a applicant) {
		first := best.size == 0
		switch q := &c.queues[a.queue]; {
		case first:
		case a.queue != best.queue:
			first, sole = q.used() < c.queues[best.queue].used(), false
		case q.fair:
			first, sole = a.held < best.held, false
		case a.job == nil || best.job == nil: // jobs of ours are in the order in which they are served
			first = a.submitted < best.submitted
		}
		if first {
			best = a
		}
	}
	for a := range c.others.candidates(c) {
		consider(a)
	}
	for _, j := range c.waiting {
		if size := c.nextSize(j); size > 0 {
			consider(applicant{job: j, queue: j.queue, size: size, submitted: j.submitted, held: j.heldBy()})
		}
	}
	return best, sole && c.queues[best.queue].userRatio >= 1
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
	for _, r := range j.requests {
		if r.waits() && c.room(r.stage) > 0 {
			return r.size
		}
	}
	return 0
}

// noteUsers counts the users that request memory, if a user limit depends on it.
func (c *scheduler) noteUsers() {
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
	note := func(q *queue, user int32) {
		if u := &q.users[user]; !u.asks {
			u.asks = true
			q.asking++
		}
	}
	for _, r := range c.others.requests {
		if r.size > 0 {
			note(&c.queues[r.queue], c.others.apps[r.app].user)
		}
	}
	for _, j := range c.order {
		if j.state == accepted || j.state == active && j.asks() {
			note(&c.queues[j.queue], j.user)
		}
	}
}

// asks reports whether the job's master requests containers for tasks, or will at its next heartbeat.
func (j *job) asks() bool {
	for k := range j.stages {
		st := &j.stages[k]
		if (taskRequest{st, copying}).waits() || !st.copies() && !st.closed && st.waiting+len(st.retry) > 0 {
			return true
		}
	}
	return false
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
