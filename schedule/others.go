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
	masterSize   int  // size of the master's container that it waits for
	launching    bool // its master has not requested tasks yet
	phases       [2]otherPhase
	parked       int      // memory of reduces that wait for maps
	newest       [2]int32 // the latest release of a stage in the replay, from 1; 0: none
	pending      int      // requested, if the need is not known
	length       time.Duration
}

// An otherPhase is the remaining work of another application's maps or reduces: memory of waiting and of running
// tasks.
type otherPhase struct {
	wait, held, taskSize int
	length               time.Duration
}

// A release is memory that another application frees at one instant: tasks that start within an eighth of a task's
// length of each other end together, so the cost of a replay does not grow with the tasks of others.
type release struct {
	app   int32
	kind  dag.StageIndex
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
				a.masterSize = max(from.PendingMB, 0)
			}
			o.loadNeed(c, int32(k), from.Need) //nolint:gosec // an index
			continue
		}
		a.pending, a.length = max(from.PendingMB, 0), from.Length
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

// releaseSteps is the number of parts in which an application releases its memory.
const releaseSteps = 8

func (a *application) giveBack(c *scheduler, until dag.Instant) {
	step := max((until-c.now)/releaseSteps, 1)
	for i := range dag.Instant(releaseSteps) {
		c.at(c.now+step*(i+1), rankEnd, func() { a.allocate(c, -a.held/int(releaseSteps-i)) })
	}
}

// unmet returns the memory that the application would take now.
func (a *application) unmet() int {
	switch {
	case !a.hasNeed:
		return a.pending
	case a.launching:
		return 0
	case a.masterSize > 0:
		return a.masterSize
	case a.phases[dag.Map].wait > 0:
		return a.phases[dag.Map].wait
	}
	return a.phases[dag.Reduce].wait
}

// nextSize returns the size of its next container, 0 if it requests none now. usual is the assumed size if its own
// is unknown.
func (a *application) nextSize(usual int) int {
	switch {
	case a.unmet() == 0:
		return 0
	case !a.hasNeed:
		return min(usual, a.pending)
	case a.masterSize > 0:
		return a.masterSize
	case a.phases[dag.Map].wait > 0:
		return a.phases[dag.Map].taskSize
	}
	return a.phases[dag.Reduce].taskSize
}

// satisfied reports whether the application requests nothing now and never will again.
func (a *application) satisfied() bool {
	if !a.hasNeed {
		return a.pending == 0
	}
	return a.masterSize == 0 && !a.launching && a.phases[dag.Map].wait+a.phases[dag.Reduce].wait == 0
}

// usual returns the assumed size of others' containers: that of ours.
func (o *others) usual(c *scheduler) int {
	for _, j := range c.order {
		if len(j.stages) > 0 {
			return j.stages[0].size
		}
	}
	return c.usualSize()
}

// findRequests lists the other applications that request memory now or later, in the order of their submission.
func (o *others) findRequests(c *scheduler) {
	o.requests = o.requests[:0]
	for i := range c.queues {
		c.queues[i].requests = c.queues[i].requests[:0]
	}
	usual := o.usual(c)
	for k := range o.apps {
		if a := &o.apps[k]; !a.satisfied() {
			size := a.nextSize(usual)
			o.requests = append(o.requests, request{int32(k), a.queue, size}) //nolint:gosec // an index
			c.queues[a.queue].count(size, 1)
			c.queues[a.queue].users[a.user].demanding++
		}
	}
	c.limited = slices.ContainsFunc(c.queues, func(q queue) bool { return q.userRatio < 1 })
}

// resize updates all requests after the size of our first job's containers has become known.
func (o *others) resize(c *scheduler) {
	usual := o.usual(c)
	for i := range o.requests {
		o.setRequest(c, i, o.apps[o.requests[i].app].nextSize(usual))
	}
}

// setRequest sets the size of the next container of the i-th request.
func (o *others) setRequest(c *scheduler, i, size int) {
	a := &o.requests[i]
	q := &c.queues[a.queue]
	q.count(a.size, -1)
	q.count(size, 1)
	a.size = size
}

// served updates an application's request after it was given memory or got its master.
func (o *others) served(c *scheduler, k int) {
	i, found := slices.BinarySearchFunc(o.requests, int32(k), //nolint:gosec // an index
		func(a request, k int32) int { return int(a.app - k) })
	if !found {
		return
	}
	a := &o.apps[k]
	if a.satisfied() {
		o.setRequest(c, i, 0)
		o.requests = slices.Delete(o.requests, i, i+1)
		c.queues[a.queue].users[a.user].demanding--
		return
	}
	o.setRequest(c, i, a.nextSize(o.usual(c)))
}

// candidates yields the other applications that could get their next container now, with its size. In a queue that
// serves in the order of submission only the first one can: those behind it have to wait. A queue is skipped if
// less is free than its smallest request, which is usual on a full cluster.
func (o *others) candidates(c *scheduler) iter.Seq2[int32, int] {
	return func(yield func(int32, int) bool) {
		left := 0
		for i := range c.queues {
			q := &c.queues[i]
			if q.room = q.mostForOthers(c.pool.free); q.room < q.smallest() {
				q.room = 0
			} else {
				left++
			}
		}
		if left == 0 {
			return
		}
		for _, r := range o.requests {
			q := &c.queues[r.queue]
			if r.size == 0 || r.size > q.room {
				continue
			}
			a := &o.apps[r.app]
			if a.masterSize > 0 && !c.queues[a.queue].mastersFit(c, a.queue, a.masterSize) || a.room(c) < r.size {
				continue
			}
			if !yield(r.app, r.size) {
				return
			}
			if !q.fair {
				q.room = 0
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// grant allocates requested memory to another application.
func (o *others) grant(c *scheduler, k, size int) {
	a := &o.apps[k]
	defer o.served(c, k)
	a.allocate(c, size)
	switch {
	case a.masterSize > 0:
		a.master, a.masterSize, a.launching = size, 0, true
		c.at(c.now.Add(c.overheads.Launch), rankSubmit, func() {
			a.launching = false
			o.served(c, k)
		})
	case a.hasNeed:
		o.startTasks(c, int32(k), size) //nolint:gosec // an index
	default:
		if a.pending -= size; a.length > 0 {
			a.giveBack(c, c.now.Add(a.length))
			a.length = 0
		}
	}
}

// free releases all memory of other applications. It is the last resort of a replay in which nothing else can
// happen: they will end some day, and the estimate is a floor.
func (o *others) free(c *scheduler) bool {
	gave := false
	for k := range o.apps {
		a := &o.apps[k]
		gave = gave || a.held > 0
		a.allocate(c, -a.held)
		a.pending, a.masterSize, a.parked, a.phases = 0, 0, 0, [2]otherPhase{}
	}
	o.requests = o.requests[:0]
	for i := range c.queues {
		c.queues[i].requests = c.queues[i].requests[:0]
	}
	c.freed = c.freed || gave
	return gave
}
