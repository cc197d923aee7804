package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A growth is how the cores of executors become more while tasks wait (dag.Elastic).
type growth struct {
	cores int         // of executors that are there or have been asked for
	since dag.Instant // since when tasks wait; NoInstant while none does
	asks  int         // how often executors have been asked for since then
	due   bool        // the next time is scheduled
}

// mostAsks bounds the doubling of what is asked for: no cluster has more cores than the sum.
const mostAsks = 24

// loadGrowth has the executors come that have been asked for.
func (y *containers) loadGrowth() {
	y.growth = growth{cores: min(max(y.pool.freeMB, 0), dag.MaxSlots), since: dag.NoInstant}
	if !y.cores() {
		return
	}
	for _, c := range y.s.Coming {
		y.comes(c.At, c.Cores)
	}
}

// comes has cores that nobody holds come at an instant.
func (y *containers) comes(at dag.Instant, cores int) {
	cores = min(max(cores, 0), dag.MaxSlots)
	y.growth.cores += cores
	y.at(at, rankEnd, func(dag.Instant) { y.pool.freeMB += cores })
}

// grow asks for executors while tasks wait: for one after the backlog timeout, then for twice as many each time, as
// Spark's ExecutorAllocationManager does.
func (y *containers) grow(t dag.Instant) {
	e, g := &y.s.Plan.Cluster.Elastic, &y.growth
	if !y.cores() || e.Each <= 0 || e.Max <= 0 {
		return
	}
	lack, waits := y.lacks()
	if !waits {
		g.since, g.asks = dag.NoInstant, 0
		return
	}
	if !g.since.Known() {
		g.since = t
	}
	if g.due || lack == 0 {
		return
	}
	g.due = true
	y.at(g.since.Add(e.Backlog+time.Duration(g.asks)*e.Sustain), rankEnd, y.askMore)
}

// askMore asks for executors, unless the tasks that waited have begun meanwhile.
func (y *containers) askMore(t dag.Instant) {
	e, g := &y.s.Plan.Cluster.Elastic, &y.growth
	g.due = false
	lack, waits := y.lacks()
	if !waits || !g.since.Known() || t < g.since.Add(e.Backlog+time.Duration(g.asks)*e.Sustain) {
		return
	}
	y.comes(t.Add(e.Start), min(lack, 1<<min(g.asks, mostAsks))*e.Each)
	g.asks++
}

// lacks returns how many more executors are asked for in the end: as many as all tasks need that could run now, up to
// the most that there may be. waits says that some of the tasks do.
func (y *containers) lacks() (executors int, waits bool) {
	e, need := &y.s.Plan.Cluster.Elastic, 0
	for _, j := range y.order {
		job := &y.jobs[j]
		if job.stage != active {
			continue
		}
		for k := range job.phase {
			p := &job.phase[k]
			wait := p.requested()
			waits = waits || wait > 0
			need += (wait + p.granted) * p.mb
		}
	}
	each := min(e.Each, dag.MaxSlots)
	executors = (need - y.growth.cores + each - 1) / each
	return max(0, min(executors, (min(e.Max, dag.MaxSlots)-y.growth.cores)/each)), waits
}
