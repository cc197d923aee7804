package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/capacity"
	"github.com/paratimer/paratimer/dag"
)

// plenty is more memory or tasks than any cluster has.
const plenty = capacity.Plenty

// makeCluster creates the cluster of the snapshot, without applications.
func (c *scheduler) makeCluster() {
	c.cluster.Launch = c.overheads.Launch
	c.cluster.At = func(t dag.Instant, do func()) { c.at(t, rankEnd, do) }
	c.cluster.EndAt = func(t dag.Instant, release int) { c.endAt(t, release, endOfOthers) }
	c.cluster.Reset(c.s, c.pool.size)
}

// listOthers lists the requests of other applications. Containers of unknown size are assumed to be like ours.
func (c *scheduler) listOthers() {
	usual := c.usualSize()
	if i := slices.IndexFunc(c.order, func(j *job) bool { return len(j.stages) > 0 }); i >= 0 {
		usual = c.order[i].stages[0].size
	}
	c.cluster.ListRequests(usual)
}

// occupy allocates memory or cores to a job; a negative size releases them.
func (c *scheduler) occupy(j *job, size int) {
	c.cluster.Hold(j.member, size)
	if c.allowed < plenty {
		c.allowed -= size
	}
}

// roomOf returns how much more a job may get in this step.
func (c *scheduler) roomOf(j *job) int { return min(c.allowed, c.cluster.Room(j.member)) }

// heldBy returns the resources of a job's application.
func (j *job) heldBy() int {
	if j.state == starting || j.state == active {
		return j.taskMemory() + j.masterSize
	}
	return j.taskMemory()
}

// share allocates free resources to all requesting applications, as CapacityScheduler does.
func (c *scheduler) share() {
	for c.cluster.Free > 0 {
		c.cluster.CountUsers(c.requesting)
		ours, latest := c.applicants()
		a, sole := c.cluster.Neediest(ours, latest)
		switch {
		case a.Size == 0:
			return
		case a.Job < 0:
			c.cluster.Grant(a, sole, c.now)
			continue
		case !sole:
			c.allowed = a.Size
		}
		was := c.cluster.Free
		c.grantJob(&c.jobs[a.Job])
		c.allowed = plenty
		if c.cluster.Free == was {
			return // nothing that it requests can be allocated after all
		}
	}
}

// requesting yields the members of our jobs that request memory.
func (c *scheduler) requesting(yield func(capacity.Member) bool) {
	for _, j := range c.order {
		if (j.state == accepted || j.state == active && j.asks()) && !yield(j.member) {
			return
		}
	}
}

// applicants returns our jobs that wait, in the order in which they are served, and the last submission of a job that
// may request memory.
func (c *scheduler) applicants() (all []capacity.Applicant, latest dag.Instant) {
	all, latest = c.ours[:0], dag.NoInstant
	for _, j := range c.waiting {
		all = append(all, capacity.Applicant{
			Job: j.index, Member: j.member, Size: c.nextSize(j), Submitted: j.submitted, Held: j.heldBy(),
		})
	}
	for _, j := range c.order {
		if j.state == accepted || j.state == active {
			latest = max(latest, j.submitted)
		}
	}
	c.ours = all
	return all, latest
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
