package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

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
	if !g.since.Known() {
		g.since = c.now
	}
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
