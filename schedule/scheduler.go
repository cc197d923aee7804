package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A scheduler allocates free slots, containers or cores to tasks. It has numbered slots as in Hadoop 0.20
// (slots.go), or one pool as real clusters do (facts/hadoop.md F, seen on recordings of Hadoop 3.4.2): memory
// for containers, or executors' cores. In a pool each job has a master in a container, the earlier application goes
// first, and inside an application its rules decide. The schedule of a pool does not include the past.
type scheduler struct {
	replay
	slots   slots
	pool    pool
	cluster capacityScheduler
	ours    []applicant // buffer
	allowed int         // maximum of one step if several applications request resources
	growth  growth
	order   []*job       // in the order of submission, in which the scheduler serves applications
	byKey   []*job       // buffer for the order by the plan's keys
	recent  recentStarts // by node, for the start-up law: JVMs that start together slow each other down
	first   dag.Instant  // the run's first start; NoInstant before
	waiting []*job       // jobs with requests, in the order in which they are served, as of the last change
}

// after returns the end of a task that is ready to work at from. In a slot its length is rounded as a whole.
func (c *scheduler) after(from dag.Instant, setup, work time.Duration) dag.Instant {
	if c.fixedSlots {
		return min(from+millis(setup+work), maxInstant)
	}
	return from.Add(setup).Add(work)
}

// node returns the node of a slot, -1 if unknown.
func (c *scheduler) node(slot int32) int {
	if c.fixedSlots {
		return int(slot / c.slots.perNode)
	}
	return int(c.pool.nodes[slot])
}

// grant allocates free resources: earlier jobs first, in a job its master's container, then tasks by its rules.
func (c *scheduler) grant() {
	if c.fixedSlots {
		c.slots.grant()
		return
	}
	if c.now < c.s.NextContainer {
		return
	}
	if c.changed || len(c.plan.Cluster.Order) > 0 {
		c.changed = false
		c.listWaiting()
	}
	if c.cluster.Contended() {
		c.share()
	} else {
		for _, j := range c.waiting {
			if c.cluster.Free <= 0 {
				break
			}
			c.grantJob(j)
		}
	}
	if c.copying > 0 {
		for _, j := range c.order {
			if c.hangs(j) {
				j.beatLater(c, c.now) // the master makes room at its next heartbeat
			}
		}
	}
	c.growth.grow(c)
}

// listWaiting lists the jobs that wait for a container of their master or of tasks, and the requests of each.
func (c *scheduler) listWaiting() {
	c.waiting = c.waiting[:0]
	for _, j := range c.inOrder() {
		j.requests = j.requests[:0]
		if j.state == active {
			for _, r := range j.priorities {
				if r.waits() {
					j.requests = append(j.requests, r)
				}
			}
		}
		if j.state == accepted || len(j.requests) > 0 {
			c.waiting = append(c.waiting, j)
		}
	}
}

func (c *scheduler) grantJob(j *job) {
	switch j.state {
	case accepted:
		if c.roomOf(j) >= j.masterSize && j.leavesRoom(c) {
			j.startMaster(c)
		}
	case active:
		c.grantTasks(j)
	}
}

// leavesRoom reports whether another master would leave room for a container of a task beside it, or is the only
// one. Schedulers ensure this by a limit for masters (CapacityScheduler's maximum-am-resource-percent); if it is
// known, it decides.
func (j *job) leavesRoom(c *scheduler) bool {
	if c.cluster.queues[j.member.queue].masterLimit < plenty {
		return c.cluster.MasterFits(j.member, j.masterSize)
	}
	others, tasks := false, 0
	for _, o := range c.order {
		if o != j && (o.state == starting || o.state == active) {
			others = true
			tasks += o.taskMemory()
		}
	}
	return !others || c.cluster.Room(j.member)+tasks-j.masterSize >= j.largest()
}

// taskMemory returns the resources of a job's tasks.
func (j *job) taskMemory() int {
	sum := 0
	for k := range j.stages {
		sum += j.stages[k].granted * j.stages[k].size
	}
	return sum
}

// room returns how many containers for tasks of a stage may be granted now.
func (c *scheduler) room(st *stage) int {
	n := (c.roomOf(st.job) - c.pool.freeOn(st.job.avoided, st.size)) / st.size
	if st.most > 0 {
		n = min(n, st.most-st.granted)
	}
	return max(n, 0)
}

// grantPending gives containers to up to n pending tasks, consecutive tasks at once, and returns their number.
func (c *scheduler) grantPending(st *stage, n int) int {
	given := 0
	for given < n && len(st.pending) > 0 {
		if run := st.runLength(c); run > 1 {
			c.startRun(st, run)
			given++
			continue
		}
		first, took := st.takePending(n - given)
		c.give(st, first, took)
		given += took
	}
	return given
}

// give gets n containers for tasks first, first+1, …: kept ones before new ones.
func (c *scheduler) give(st *stage, first int32, n int) {
	kept := st.job.takeKept(n, c.now, c.overheads.Idle)
	if kept > 0 {
		st.launch(c, first, kept, true)
	}
	if n > kept {
		st.launch(c, first+int32(kept), n-kept, false) //nolint:gosec // a stage has at most 2^31 tasks
	}
}

// launch starts tasks in containers when the master receives them, at its next heartbeat. MapReduce's first tasks start
// at once: Overheads.Launch is measured up to the first launch, hand-off included.
func (st *stage) launch(c *scheduler, first int32, n int, kept bool) {
	if st.job.activated == c.now && !st.job.reuses {
		c.startAt(st, first, n, c.now, kept)
		return
	}
	start := st.job.nextBeat(c, c.now.Add(c.overheads.Handoff))
	c.startAt(st, first, n, start, kept)
	for i := int(st.k) + 1; st.watched && i < len(st.job.stages); i++ {
		if to := &st.job.stages[i]; to.from == st.k && to.left() > 0 {
			st.job.beatLater(c, start) // it may be requested once all of these have their containers
		}
	}
}

// startAt allocates containers for n tasks, which start at an instant.
func (c *scheduler) startAt(st *stage, first int32, n int, start dag.Instant, kept bool) {
	c.occupy(st.job, n*st.size)
	st.granted += n
	b := batch{stage: st, first: first, slots: st.slotsFor(c, n), kept: kept}
	if start <= c.now && c.onCores {
		b.begin(c)
		return
	}
	c.batches = append(c.batches, b)
	c.later(start, rankStart, len(c.batches)-1)
}

// slotsFor allocates slots for n tasks of a stage. If slots make no difference, one represents all.
func (st *stage) slotsFor(c *scheduler, n int) []int32 {
	if c.slotsDiffer {
		return c.pool.take(n, st.size, st.job.avoided)
	}
	if len(c.pool.nodes) == 0 {
		c.pool.addSlot(-1)
	}
	zeros := &c.opt.EndOnly.zeros
	for len(*zeros) < n {
		*zeros = append(*zeros, 0)
	}
	return (*zeros)[:n:n]
}

// start starts the first tasks that wait for their slots, all of one cost, and returns their number.
func (st *stage) start(c *scheduler, first int32, slots []int32, kept bool) int {
	number, node := int32(0), -1
	if st.attempt != nil {
		number = st.attempt[first]
	}
	if c.slotsDiffer {
		node = c.node(slots[0])
	}
	t := st.task(first, number, slots[0], node)
	t.Start = c.now
	if c.onCores {
		if t.Cold = c.pool.cold[slots[0]]; t.Cold {
			delete(c.pool.cold, slots[0])
		}
	} else {
		t.Together, t.Cold = c.recent.at(int32(t.Node)), st.job.cold(c, kept) //nolint:gosec // an index
	}
	cost, n := c.left(t), 1
	if number == 0 && c.opt.Fault == nil &&
		(!c.slotsDiffer && st.attempt == nil || c.slotsDiffer && len(c.pool.room) == 0) {
		n = min(len(slots), max(cost.Same, 1)) // else each task is costed separately
	}
	if !c.slotsDiffer && !st.tracked && !st.copies() { // most tasks of most replays: they need no span
		if until := max(c.after(c.now, cost.Setup, cost.Work), c.now); !c.failsBefore(t, until) {
			c.endAt(until, ^n, st.row)
			return n
		}
	}
	sp := st.span(first, number, slots[:n:n], c.now)
	st.begin(c, &sp, cost.Setup, cost.Work, nil)
	return n
}

// failsBefore reports whether a task that starts now fails before it would end.
func (c *scheduler) failsBefore(t Task, until dag.Instant) (fails bool) {
	if c.opt.Fault != nil && t.Attempt < lastTry {
		_, fails = c.opt.Fault(t, t.Start, until)
	}
	return fails
}

// release frees the resources of n tasks of a stage in their slots. A master may keep their containers.
func (st *stage) release(c *scheduler, n int, slots []int32) {
	st.granted -= n
	if c.fixedSlots {
		if int(slots[0]) < st.pool.count && !c.slots.drains(slots[0]) {
			st.pool.slots.release(slots)
		}
		return
	}
	c.leave(st.job, n*st.size, slots)
	st.job.freed(n, c.now)
}

// leave frees slots, and their memory unless their node takes no containers.
func (c *scheduler) leave(j *job, size int, slots []int32) {
	if c.slotsDiffer {
		if c.pool.closedTo(slots[0]) {
			return
		}
		c.pool.slots.release(slots)
	}
	c.occupy(j, -size)
}

// failed requests the task of a failed span again.
func (c *scheduler) failed(sp *Span) {
	st := c.stage(sp)
	st.setAttempt(sp.First, max(st.attempt[sp.First], sp.Attempt+1))
	if c.fixedSlots {
		c.slots.failed(st, sp)
		return
	}
	st.retry = append(st.retry, sp.First)
	st.requestRetries(c)
}

// requestRetries hides the retries of a stage that does not copy from the scheduler until its master has requested
// them. The request comes a heartbeat too late for the container of the failed attempt, which the next map gets
// (recording failure-1; ParaTimer section 3.2.2 saw the same of its scheduler).
func (st *stage) requestRetries(c *scheduler) {
	if st.copies() {
		st.job.beatLater(c, c.now)
		return
	}
	st.unasked++
	c.at(st.job.nextBeat(c, c.now).Add(c.overheads.Beat), rankAsk, func() { st.unasked-- })
}

// submit accepts a job from the driver.
func (j *job) submit(c *scheduler) {
	j.submitted = c.now
	if c.fixedSlots {
		c.slots.submit(j)
		return
	}
	j.beat = c.now
	if c.order = append(c.order, j); len(c.order) == 1 {
		c.listOthers()
	}
	// The ResourceManager takes a moment to accept the application.
	c.at(c.now.Add(c.overheads.AMStart), rankAsk, func() { j.state = accepted })
}

// finish ends a job. Its master keeps its container a while.
func (j *job) finish(c *scheduler) {
	if j.state == ended {
		return
	}
	j.state, j.finished = ended, c.now
	if size := j.masterSize; !c.fixedSlots {
		c.cluster.queues[j.member.queue].masters -= size
		c.at(c.now.Add(c.overheads.AMHold), rankEnd, func() {
			c.occupy(j, -size)
			c.pool.hold(j.masterNode, -size)
		})
	}
	slices.Sort(j.waves)
	for _, wave := range j.waves {
		c.submitOrWait(wave)
	}
}

// unblock preempts, or else releases the memory of others, if no event is left and tasks still wait.
func (c *scheduler) unblock() bool {
	if !slices.ContainsFunc(c.order, func(j *job) bool { return j.state != ended }) {
		return false
	}
	if !slices.ContainsFunc(c.order, func(j *job) bool { return j.preempt(c) }) && !c.cluster.ReleaseAll() {
		return false
	}
	c.at(c.now, rankEnd, func() {})
	return true
}

// schedule returns the schedule of the replay.
func (c *scheduler) schedule() *Schedule {
	sch := &Schedule{Now: c.s.At, End: c.s.At, Freed: c.cluster.Released}
	if c.fixedSlots {
		sch.End = c.slots.lastEnd()
	}
	for i := range c.jobs {
		j := &c.jobs[i]
		if !c.fixedSlots {
			sch.End = max(sch.End, j.finished)
			sch.Mastered = append(sch.Mastered, j.mastered)
		}
		sch.Submitted, sch.Finished = append(sch.Submitted, j.submitted), append(sch.Finished, j.finished)
	}
	if c.opt.EndOnly != nil {
		return &Schedule{Now: sch.Now, End: sch.End, Freed: sch.Freed}
	}
	sch.Spans = c.spans
	if !c.fixedSlots {
		sch.Spans = append(sch.Spans, Pauses(sch, c.gaps)...)
	}
	slices.SortStableFunc(sch.Spans, func(a, b Span) int {
		if a.Start != b.Start {
			return cmp.Compare(a.Start, b.Start)
		}
		return BySlot(&a, &b)
	})
	return sch
}
