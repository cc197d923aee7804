package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A requestKind is a kind of a master's requests for containers of a stage. Stages that copy have requests of one
// kind for all their tasks.
type requestKind uint8

const (
	again    requestKind = iota // for tasks to run again
	copying                     // for tasks that copy
	firstTry                    // for tasks that have never had a container
	requestKinds
)

// A taskRequest is the requests of a kind for tasks of a stage.
type taskRequest struct {
	*stage
	kind requestKind
}

// requestOrder returns all requests that a master may still make, in the order in which the scheduler serves them.
// MapReduce's master has priorities for kinds (facts/hadoop.md F, priorities 5, 10, 20). Tez' master has them for
// stages (facts/tez.md T5, T6), by their distance from the roots: no stage gets a container while one that it
// reads waits for some.
func (j *job) requestOrder(stages []dag.Stage) (all []taskRequest) {
	add := func(k int, kind requestKind) {
		if st := &j.stages[k]; st.left() > 0 {
			all = append(all, taskRequest{st, kind})
		}
	}
	if j.reuses {
		for _, k := range byLevel(stages) {
			for kind := range requestKinds {
				add(int(k), kind)
			}
		}
		return all
	}
	for kind := range requestKinds {
		for k := range j.stages {
			add(k, kind)
		}
	}
	return all
}

// waits reports whether tasks of the request wait for containers.
func (r taskRequest) waits() bool {
	switch {
	case r.copies():
		return r.kind == copying && r.asked > 0 && r.waiting+len(r.retry) > 0
	case r.kind == again:
		return !r.closed && r.retries()
	}
	return r.kind == firstTry && !r.closed && r.waiting > 0
}

// waits reports whether tasks of the job wait for containers, as of the last change.
func (j *job) waits() bool { return slices.ContainsFunc(j.requests, taskRequest.waits) }

// grantTasks allocates the containers for tasks that a job may get now.
func (c *scheduler) grantTasks(j *job) {
	if j.pools != nil && len(j.requests) > 1 {
		j.pools.grant(c, j)
		return
	}
	for _, r := range j.requests {
		st := r.stage
		for r.kind != firstTry && len(st.retry) > 0 && r.waits() && c.room(st) > 0 {
			if r.kind == copying {
				st.asked--
			}
			c.give(st, st.takeRetry(), 1)
		}
		switch {
		case r.kind == again || !r.waits():
		case r.kind == copying:
			st.asked -= c.grantPending(st, min(st.asked, c.room(st)))
		default:
			c.grantPending(st, c.room(st))
		}
	}
}

// freed records that n tasks of a job have ended at t. Tez' master keeps their containers: a free one runs the next
// task.
func (j *job) freed(n int, t dag.Instant) {
	if j.reuses {
		j.kept.add(t, n)
	}
}

// edgesOf returns the edges of a stage in the kinds that the replay distinguishes. Tez' master requests the readers of
// a broadcast at once, and they wait for it in their containers, as with slow start.
func (j *job) edgesOf(after []dag.Edge) []dag.Edge {
	if !j.reuses {
		return after
	}
	out := slices.Clone(after)
	for i, e := range after {
		if e.Kind == dag.Broadcast {
			out[i] = dag.Edge{From: e.From, Kind: dag.SlowStart}
		}
	}
	return out
}

// byLevel orders stages by their distance from the roots: the longest path to one. Stages at one distance are in
// plan order.
func byLevel(stages []dag.Stage) []dag.StageIndex {
	level, order := make([]int, len(stages)), make([]dag.StageIndex, len(stages))
	for k := range stages {
		order[k] = dag.StageIndex(k) //nolint:gosec // an index
		for _, e := range stages[k].After {
			level[k] = max(level[k], level[e.From]+1)
		}
	}
	slices.SortStableFunc(order, func(a, b dag.StageIndex) int { return cmp.Compare(level[a], level[b]) })
	return order
}

// wanted returns the number of tasks of a copying stage that should have containers or requests.
func (c *scheduler) wanted(st *stage) int {
	want := st.granted
	switch {
	case st.left() == 0:
	case st.job.reuses:
		want = max(want, int(math.Ceil(st.slowStartShare()*float64(st.total)))-st.done)
	default:
		want = c.slowStart(st)
	}
	return min(want, st.granted+st.waiting+len(st.retry))
}

// slowStartShare returns the share of a stage's tasks that Tez schedules. It grows with the progress of the slowest
// input stage between the edge's two ratios (ShuffleVertexManagerBase.getNumOfTasksToSchedule, facts/tez.md T5).
func (st *stage) slowStartShare() float64 {
	share := 1.0
	for _, e := range st.edges {
		from := &st.job.stages[e.From]
		if e.Kind != dag.SlowStart || from.left() == 0 {
			continue
		}
		done := float64(from.done) / float64(from.total)
		switch full := max(e.Full, e.Ratio); {
		case from.closed || done < e.Ratio:
			share = 0
		case done < full:
			share = min(share, (done-e.Ratio)/(full-e.Ratio))
		}
	}
	return share
}

// defaultRampUp is yarn.app.mapreduce.am.job.reduce.rampup.limit's default.
const defaultRampUp = 0.5

// slowStart returns how many reduces MapReduce's master schedules: all once every map has its container, else a share
// of the room that grows with the finished maps (RMContainerAllocator.scheduleReduces, facts/hadoop.md F "Slow
// start").
func (c *scheduler) slowStart(reduces *stage) int {
	maps := &reduces.job.stages[reduces.from]
	scheduled := maps.waiting + len(maps.retry) + maps.unasked
	switch {
	case float64(maps.done) < math.Ceil(reduces.slowStart*float64(maps.total)):
		return reduces.granted
	case scheduled == 0:
		return plenty
	}
	mapSize, reduceSize := float64(maps.size), float64(reduces.size)
	total := float64(max(c.roomOf(reduces.job), 0)) + float64(maps.granted)*mapSize +
		float64(reduces.granted)*reduceSize
	ramp := cmp.Or(reduces.job.rampUp, defaultRampUp)
	ideal := total * min(float64(maps.done)/float64(max(maps.total, 1)), ramp)
	return int(max(ideal, total-float64(scheduled+maps.granted)*mapSize) / reduceSize)
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
func (c *scheduler) requesting(yield func(member) bool) {
	for _, j := range c.order {
		if (j.state == accepted || j.state == active && j.asks()) && !yield(j.member) {
			return
		}
	}
}

// applicants returns our jobs that wait, in the order in which they are served, and the last submission of a job that
// may request memory.
func (c *scheduler) applicants() (all []applicant, latest dag.Instant) {
	all, latest = c.ours[:0], dag.NoInstant
	for _, j := range c.waiting {
		all = append(all, applicant{
			Job: j.index, member: j.member, Size: c.nextSize(j), Submitted: j.submitted, Held: j.heldBy(),
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
