package schedule

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// others are the other applications, in the order of their submission.
type others struct {
	apps     []application
	releases []release // in the order of making
	requests []request // of applications that request memory now or later
}

// An application is another application in the replay. If its need is known, its tasks end and others replace them
// until none is left. Otherwise it takes what it has requested, and releases its memory evenly up to its expected
// end.
type application struct {
	queue, user  int32
	submitted    dag.Instant
	held, master int // total memory, and its master's
	hasNeed      bool
	launching    bool          // its master has not requested tasks yet
	phases       [3]otherPhase // in the order in which they are served
}

// The phases of an application. If its need is not known, the first one is all that it has requested.
const (
	ofMaster = iota
	ofMaps
	ofReduces
)

// An otherPhase is the memory of another application's master, maps or reduces, requested and allocated.
type otherPhase struct {
	wait, held int
	size       int           // of a container
	length     time.Duration // of a task
	newest     int32         // the latest release in the replay, from 1; 0: none
}

// A release is memory that another application frees at one instant: tasks that start within an eighth of a task's
// length of each other end together, so the cost of a replay does not grow with the tasks of others.
type release struct {
	app   int32
	phase int
	size  int
	until dag.Instant // tasks that start by then are added
}

// A request is the next request of another application. On a cluster of a thousand applications the replay scans
// all requests for each container of ours, so requests are small and contiguous.
type request struct {
	app, queue int32
	size       int // of the next container; 0: none now
}

// load adds the other applications to the pool.
func (o *others) load(c *scheduler) {
	all, bySubmission := c.s.Load, func(a, b dag.Load) int { return cmp.Compare(a.Submitted, b.Submitted) }
	if !slices.IsSortedFunc(all, bySubmission) {
		all = slices.Clone(all)
		slices.SortStableFunc(all, bySubmission)
	}
	o.apps = slices.Grow(o.apps[:0], len(all))[:len(all)]
	clear(o.apps)
	for k := range all {
		from, a := &all[k], &o.apps[k]
		a.queue = c.queueOf(from.Queue)
		name := from.User
		if name == "" {
			name = "user of " + from.ID
		}
		a.user = c.userOf(a.queue, name)
		if q := &c.queues[a.queue]; q.share == 0 && a.queue > 0 {
			q.share = from.ShareMB
		}
		a.submitted, a.master = from.Submitted, min(from.MasterMB, from.HeldMB)
		a.allocate(c, max(from.HeldMB, 0))
		if a.hasNeed = usable(from.Need); a.hasNeed {
			if from.HeldMB <= 0 {
				a.phases[ofMaster].wait, a.phases[ofMaster].size = max(from.PendingMB, 0), max(from.PendingMB, 0)
			}
			o.loadNeed(c, int32(k), from.Need) //nolint:gosec // an index
			continue
		}
		a.phases[ofMaster] = otherPhase{wait: max(from.PendingMB, 0), length: from.Length}
		if from.Until.Known() {
			a.giveBack(c, from.Until)
		}
	}
	// Our own queue has the memory that is not guaranteed to others' queues, unless its share is known.
	rest := c.plan.Cluster.MemoryMB
	for i := 1; i < len(c.queues); i++ {
		rest -= c.queues[i].share
	}
	if q := &c.queues[0]; q.share == 0 {
		q.share = max(rest, 1)
	}
}

// allocate allocates memory to another application; a negative size releases it.
func (a *application) allocate(c *scheduler, size int) {
	a.held += size
	c.hold(a.queue, a.user, size)
}

// giveBack releases the memory of an application evenly up to an instant.
func (a *application) giveBack(c *scheduler, until dag.Instant) {
	step := max((until-c.now)/releaseParts, 1)
	for i := range dag.Instant(releaseParts) {
		c.at(c.now+step*(i+1), rankEnd, func() { a.allocate(c, -a.held/int(releaseParts-i)) })
	}
}

// next returns the phase of its next container, and its size; 0 if it requests none now.
func (a *application) next() (phase, size int) {
	for !a.launching && phase < len(a.phases) {
		if p := &a.phases[phase]; p.wait > 0 {
			return phase, min(p.size, p.wait)
		}
		phase++
	}
	return phase, 0
}

// findRequests lists the other applications that request memory now or later, in the order of their submission.
// Containers of unknown size are assumed to be like ours.
func (o *others) findRequests(c *scheduler) {
	usual := c.usualSize()
	if i := slices.IndexFunc(c.order, func(j *job) bool { return len(j.stages) > 0 }); i >= 0 {
		usual = c.order[i].stages[0].size
	}
	o.requests = o.requests[:0]
	for i := range c.queues {
		q := &c.queues[i]
		q.least = 0
		c.limited = c.limited || q.userRatio < 1
		for u := range q.users {
			q.users[u].others = 0
		}
	}
	for k := range o.apps {
		a := &o.apps[k]
		if !a.hasNeed {
			a.phases[ofMaster].size = usual
		}
		if _, size := a.next(); size > 0 || a.launching {
			o.requests = append(o.requests, request{int32(k), a.queue, size}) //nolint:gosec // an index
			c.queues[a.queue].users[a.user].others++
		}
	}
}

// served updates an application's request after it was given memory or got its master.
func (o *others) served(c *scheduler, k int32) {
	i, found := slices.BinarySearchFunc(o.requests, k, func(r request, k int32) int { return int(r.app - k) })
	if !found {
		return
	}
	a := &o.apps[k]
	q := &c.queues[a.queue]
	_, size := a.next()
	if size == 0 && !a.launching {
		o.requests = slices.Delete(o.requests, i, i+1)
		q.users[a.user].others--
		return
	}
	o.requests[i].size = size
	q.least = min(q.least, max(size, 1))
}

// candidates yields the other applications that could get their next container now. In a queue that serves in the
// order of submission only the first one can: those behind it have to wait. A queue is skipped if less is free than
// its smallest request, which is usual on a full cluster.
func (o *others) candidates(c *scheduler) iter.Seq[applicant] {
	return func(yield func(applicant) bool) {
		left := 0
		for i := range c.queues {
			q := &c.queues[i]
			if q.room = min(c.pool.free, q.mostForOthers()); q.room < max(q.least, 1) {
				q.room = 0
			} else {
				left++
				q.seen = plenty
			}
		}
		for i := 0; i < len(o.requests) && left > 0; i++ {
			r := &o.requests[i]
			q := &c.queues[r.queue]
			if r.size == 0 || q.room == 0 {
				continue
			}
			q.seen = min(q.seen, r.size)
			a := &o.apps[r.app]
			isMaster := a.hasNeed && a.phases[ofMaster].wait > 0
			if r.size > q.room || isMaster && !c.mastersFit(r.queue, r.size) || a.room(c) < r.size {
				continue
			}
			if !yield(applicant{other: r.app, queue: r.queue, size: r.size, submitted: a.submitted, held: a.held}) {
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

// grant allocates requested memory to another application.
func (o *others) grant(c *scheduler, k int32, size int) {
	a := &o.apps[k]
	phase, _ := a.next()
	p := &a.phases[phase]
	a.allocate(c, size)
	p.wait -= size
	switch {
	case phase != ofMaster:
		o.startTasks(c, k, phase, size)
	case a.hasNeed:
		a.master, a.launching = size, true
		c.at(c.now.Add(c.overheads.Launch), rankSubmit, func() {
			a.launching = false
			o.served(c, k)
		})
	case p.length > 0:
		a.giveBack(c, c.now.Add(p.length))
		p.length = 0
	}
	o.served(c, k)
}

// free releases all memory of other applications. It is the last resort of a replay in which nothing else can
// happen: they will end some day, and the estimate is a floor.
func (o *others) free(c *scheduler) bool {
	gave := false
	for k := range o.apps {
		a := &o.apps[k]
		gave = gave || a.held > 0
		a.allocate(c, -a.held)
		a.phases = [3]otherPhase{}
	}
	o.requests = o.requests[:0]
	c.freed = c.freed || gave
	return gave
}
