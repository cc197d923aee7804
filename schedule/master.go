package schedule

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// startMaster starts the container of the job's master.
func (j *job) startMaster(c *scheduler) {
	c.occupy(j, j.masterSize)
	c.cluster.queues[j.member.queue].masters += j.masterSize
	j.state, j.mastered = starting, c.now
	c.at(c.now.Add(max(0, c.overheads.Launch-c.overheads.AMStart)), rankSubmit, func() { j.activate(c) })
}

// loadMaster counts the memory of a job's master that has its container. A node that takes no containers is not
// part of our pool, so a master there counts as size 0.
func (c *loader) loadMaster(j *job) {
	node := int32(-1)
	if name := c.s.Jobs[j.index].Master; name != "" {
		//nolint:gosec // an index
		node = int32(slices.IndexFunc(c.s.Nodes, func(n dag.NodeState) bool { return n.Name == name }))
	}
	if node >= 0 && !c.pool.open[node] {
		j.masterSize = 0
		return
	}
	c.pool.hold(node, j.masterSize)
	c.occupy(j, j.masterSize)
	c.cluster.queues[j.member.queue].masters += j.masterSize
	j.masterNode = node
}

// activate starts to request the job's tasks: its first may start now.
func (j *job) activate(c *scheduler) {
	j.state, j.beat, j.activated = active, c.now, c.now
	for k := range j.stages {
		if st := &j.stages[k]; st.total == 0 && !st.closed && len(st.edges) == 0 {
			st.follow(c, 0, 0)
		}
	}
	if j.left == 0 {
		c.at(c.now.Add(c.overheads.Finish), rankEnd, func() { j.finish(c) })
	}
	if j.reuses {
		j.heartbeat(c)
	}
	c.listWaiting()
	c.grantTasks(j)
}

// nextBeat returns the master's first heartbeat at or after t.
func (j *job) nextBeat(c *scheduler, t dag.Instant) dag.Instant {
	beat := dag.Instant(c.overheads.Beat / time.Millisecond)
	if beat <= 0 || !j.beat.Known() || t <= j.beat {
		return t
	}
	return j.beat + (t-j.beat+beat-1)/beat*beat
}

// beatLater schedules a heartbeat of the master, the first one at or after t, unless one is scheduled.
func (j *job) beatLater(c *scheduler, t dag.Instant) {
	if j.beating {
		return
	}
	j.beating = true
	c.later(j.nextBeat(c, t), rankBeat, j.index)
}

// heartbeat updates the master's requests. If the job hangs, it preempts copying tasks; else it updates their
// requests.
func (j *job) heartbeat(c *scheduler) {
	j.beating = false
	if c.hangs(j) {
		j.preempt(c)
		return
	}
	for k := range j.stages {
		if j.stages[k].copies() {
			j.requestCopying(c, &j.stages[k])
		}
	}
}

// requestCopying requests more tasks of a stage that copies, or withdraws requests that were not granted. A request
// reaches the scheduler a heartbeat later.
func (j *job) requestCopying(c *scheduler, st *stage) {
	if j.state != active {
		return
	}
	more := c.wanted(st) - st.granted - st.asked - st.asking
	if more <= 0 {
		st.asked = max(st.asked+more, 0) // ramp down: withdraw ungranted requests
		return
	}
	st.asking += more
	c.at(c.now.Add(c.overheads.Beat), rankAsk, func() {
		st.asking -= more
		st.asked += more
	})
}

// preemptionLimit is the share of a job's memory that its master preempts from reduces at once
// (yarn.app.mapreduce.am.job.reduce.preemption.limit's default).
const preemptionLimit = 0.5

// hangs reports whether none of a job's maps has a container, some are requested, and the reduces that wait for
// them leave no room.
func (c *scheduler) hangs(j *job) bool {
	if j.state != active {
		return false
	}
	for k := range j.stages {
		if st := &j.stages[k]; len(st.copying) > 0 && st.starved(c) != nil {
			return true
		}
	}
	return false
}

// starved returns an input stage of st, by slow start, that has requests but no container and no room for one; nil
// if there is none.
func (st *stage) starved(c *scheduler) *stage {
	for _, e := range st.edges {
		if from := &st.job.stages[e.From]; e.Kind == dag.SlowStart && from.granted == 0 && from.requested() > 0 &&
			c.room(from) == 0 {
			return from
		}
	}
	return nil
}

// preempt kills reduces of a job to make room for its maps, the youngest first: enough for all of its maps, but no
// more than half of the job's limit (RMContainerAllocator.preemptReducer; facts/hadoop.md F, reduce
// preemption). It reports whether it did.
func (j *job) preempt(c *scheduler) (any bool) {
	for k := range j.stages {
		reduces := &j.stages[k]
		if j.state != active || len(reduces.copying) == 0 {
			continue
		}
		maps := reduces.starved(c)
		if maps == nil {
			maps = &j.stages[reduces.from]
		}
		if maps.left() == 0 {
			continue
		}
		limit := max(c.roomOf(j), 0) + maps.granted*maps.size + reduces.granted*reduces.size
		most := max(maps.size, int(preemptionLimit*float64(limit)))
		all := min(max(maps.requested(), 1), most/maps.size+1) * maps.size
		reduces.asked = 0
		for n := (min(most, all)-1)/reduces.size + 1; n > 0 && len(reduces.copying) > 0; {
			n -= c.killYoungest(reduces, n)
		}
		any = true
	}
	return any
}

// killYoungest kills up to n of the copying tasks that started last, and returns their number.
func (c *scheduler) killYoungest(st *stage, n int) int {
	at := st.copying[len(st.copying)-1].span
	if all := c.spans[at].Count; n < int(all) {
		// The others of the span go on.
		rest := all - int32(n) //nolint:gosec // less than all
		killed := c.spans[at].part(rest, all)
		c.spans[at] = c.spans[at].part(0, rest)
		at = c.addSpan(&killed)
	} else {
		st.copying = st.copying[:len(st.copying)-1]
		c.copying--
	}
	sp := &c.spans[at]
	sp.Outcome, sp.End = Fails, c.now
	st.release(c, int(sp.Count), sp.Slots)
	for i := range sp.Count {
		st.retry = append(st.retry, sp.First+i)
		st.setAttempt(sp.First+i, sp.Attempt+1)
	}
	return int(sp.Count)
}

// takeKept takes up to n idle containers that the job's master has kept until now, those that became free last first.
// Containers that have been idle for longer than keep have been released.
func (j *job) takeKept(n int, now dag.Instant, keep time.Duration) (took int) {
	if keep > 0 {
		j.kept.dropBefore(now.Add(-keep))
	}
	for took < n && len(j.kept) > 0 {
		last := &j.kept[len(j.kept)-1]
		some := min(last.n, n-took)
		took += some
		if last.n -= some; last.n == 0 {
			j.kept = j.kept[:len(j.kept)-1]
		}
	}
	return took
}

// A growth is the state of the executors' requests while tasks wait (dag.Elastic).
type growth struct {
	cores    int         // of executors that run or have been requested
	since    dag.Instant // since when tasks wait; NoInstant while none does
	requests int         // number of requests since then
	due      bool        // the next request is scheduled
}

// mostRequests bounds the doubling of requests: no cluster has more cores than their sum.
const mostRequests = 24

// loadGrowth adds the executors that have been requested.
func (c *loader) loadGrowth() {
	c.growth = growth{cores: min(max(c.cluster.Free, 0), dag.MaxSlots), since: dag.NoInstant}
	if !c.onCores {
		return
	}
	for _, e := range c.s.Coming {
		c.growth.addCores(c.scheduler, e.At, e.Cores)
	}
}

// addCores adds free cores at an instant.
func (g *growth) addCores(c *scheduler, at dag.Instant, cores int) {
	cores = min(max(cores, 0), dag.MaxSlots)
	g.cores += cores
	c.at(at, rankEnd, func() { c.cluster.Free += cores })
}

// grow schedules the next request for executors while tasks wait: one after the backlog timeout, then twice as many
// each time, as Spark's ExecutorAllocationManager does.
func (g *growth) grow(c *scheduler) {
	e := &c.plan.Cluster.Elastic
	if !c.onCores || e.Each <= 0 || e.Max <= 0 {
		return
	}
	if !slices.ContainsFunc(c.waiting, (*job).waits) {
		g.since, g.requests = dag.NoInstant, 0
		return
	}
	g.since = dag.FirstKnown(g.since, c.now)
	if !g.due && g.moreExecutors(c) > 0 {
		g.due = true
		c.at(g.nextRequest(e), rankEnd, func() { g.requestExecutors(c, e) })
	}
}

// nextRequest returns the instant of the next request, if tasks still wait then.
func (g *growth) nextRequest(e *dag.Elastic) dag.Instant {
	return g.since.Add(e.Backlog + time.Duration(g.requests)*e.Sustain)
}

// requestExecutors requests executors, unless the waiting tasks have begun meanwhile.
func (g *growth) requestExecutors(c *scheduler, e *dag.Elastic) {
	g.due = false
	if slices.ContainsFunc(c.waiting, (*job).waits) && g.since.Known() && c.now >= g.nextRequest(e) {
		g.addCores(c, c.now.Add(e.Start), min(g.moreExecutors(c), 1<<min(g.requests, mostRequests))*e.Each)
		g.requests++
	}
}

// moreExecutors returns how many more executors are needed in total: enough for all tasks that could run now, up to
// the maximum.
func (g *growth) moreExecutors(c *scheduler) int {
	e, need := &c.plan.Cluster.Elastic, 0
	for i := range c.stages {
		if st := &c.stages[i]; st.job.state == active {
			need += (st.requested() + st.granted) * st.size
		}
	}
	each := min(e.Each, dag.MaxSlots)
	return max(0, min((need-g.cores+each-1)/each, (min(e.Max, dag.MaxSlots)-g.cores)/each))
}

// fairPools are the pools of Spark's FAIR scheduler: a free core goes to the pool that is furthest below its share.
// In a pool it goes to the first stage in the plan or, if the pool itself is fair, to the stage with the fewest
// running tasks.
type fairPools struct {
	of    []int      // the pool of each stage
	pools []dag.Pool // in the order that breaks ties: by name
}

// poolsOf returns the pools of a job's stages; nil if the stages run one after the other in one pool.
func poolsOf(c *dag.Cluster, stages []dag.Stage) *fairPools {
	var names []string
	for k := range stages {
		if name := stages[k].Pool; k == 0 || name != stages[k-1].Pool {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	f := &fairPools{}
	for _, name := range names {
		f.pools = append(f.pools, c.PoolOf(name))
	}
	if len(f.pools) == 0 || len(f.pools) == 1 && !f.pools[0].Fair {
		return nil
	}
	for k := range stages {
		f.of = append(f.of, slices.Index(names, stages[k].Pool))
	}
	return f
}

// load returns the load of a pool that runs tasks, by Spark's FairSchedulingAlgorithm: the pool with the least load
// is served first. A pool below its minimal share comes before all others, and runs a part of that share. The load of
// others is their running tasks in relation to their weight.
func load(p *dag.Pool, running int) float64 {
	switch {
	case running < p.MinShare:
		return float64(running)/float64(p.MinShare) - 1
	case p.Weight == 0:
		return math.Inf(1)
	}
	return float64(running) / float64(p.Weight)
}

// grant allocates free cores to the tasks of a job, one after the other.
func (f *fairPools) grant(c *scheduler, j *job) {
	running := make([]int, len(f.pools))
	for k := range j.stages {
		running[f.of[k]] += j.stages[k].granted
	}
	for {
		var best taskRequest
		for _, r := range j.requests {
			if r.waits() && (best.stage == nil || f.compare(running, r.stage, best.stage) < 0) && c.room(r.stage) > 0 {
				best = r
			}
		}
		switch {
		case best.stage == nil:
			return
		case best.kind == again:
			c.give(best.stage, best.takeRetry(), 1)
		default:
			c.grantPending(best.stage, 1)
		}
		running[f.of[best.k]]++
	}
}

// compare orders two stages as they are served.
func (f *fairPools) compare(running []int, a, b *stage) int {
	p, q := f.of[a.k], f.of[b.k]
	if p != q {
		return cmp.Or(cmp.Compare(load(&f.pools[p], running[p]), load(&f.pools[q], running[q])), cmp.Compare(p, q))
	}
	if f.pools[p].Fair && a.granted != b.granted {
		return cmp.Compare(a.granted, b.granted)
	}
	return cmp.Compare(a.k, b.k)
}
