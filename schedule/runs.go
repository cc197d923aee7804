package schedule

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A taskRun is tasks of a stage that follow each other on one core, as one event. Tasks that start long before the end
// of their stage matter as a sum only, so a replay that returns its end alone merges them: guided self-scheduling
// (Polychronopoulos and Kuck, IEEE Transactions on Computers 1987). Runs get shorter as the stage empties. The first
// tasks on each core, which may take longer, and the last waves stay single. A run has the tasks that start within its
// share of the time that is left, so no task waits behind a long one that another core would have overtaken.
type taskRun struct {
	row   int32 // of the stage
	tasks int32
}

// runShare is the number of runs of the present length that the waiting tasks would be on each core. With 1 a stage
// ends up to 5% late.
const runShare = 2

// runLength returns the number of waiting tasks of a stage that follow each other on the next free core. It is 1 if
// other stages may take that core.
func (st *stage) runLength(c *scheduler) int {
	if !c.opt.Runs || c.slotsDiffer || !c.onCores || st.watched || len(c.waiting) != 1 || len(st.job.requests) != 1 {
		return 1
	}
	cores := c.growth.cores
	if st.total-st.waiting < cores || c.cluster.Free+st.granted < cores {
		return 1
	}
	return max(1, st.waiting/(runShare*max(cores, 1)))
}

// RunsOf returns about how many runs and single tasks a replay with Options.Runs makes of the tasks of a stage on some
// cores; all are single if cores is 0. A run takes 1/(runShare cores) of the waiting tasks, so the runs of a stage are
// runShare cores times the logarithm of its waves, before the last runShare² waves.
func RunsOf(tasks, cores int) int {
	single := runShare * runShare * cores
	if cores == 0 || tasks <= single {
		return tasks
	}
	return cores + single + int(runShare*float64(cores)*math.Log(float64(tasks)/float64(single)))
}

// startRun starts up to n waiting tasks of a stage, one after the other on one core: as many as the cost model says.
// A task that fails runs again: the core loses the time of the failed attempt.
func (c *scheduler) startRun(st *stage, n int) {
	first, last := st.pending[0][0], st.pending[0][1]
	t := st.task(first, 0, 0, -1)
	t.Start, t.Count = c.now, min(n, int(last-first))
	cost := c.left(t)
	_, tasks := st.takePending(min(max(cost.Same, 1), t.Count))
	c.occupy(st.job, st.size)
	st.granted++
	until := max(c.after(c.now, cost.Setup, cost.Work), c.now)
	each := max((until-c.now)/dag.Instant(tasks), 1)
	for from := c.now; c.opt.Fault != nil && t.Attempt < lastTry; t.Attempt++ {
		at, fails := c.opt.Fault(t, from, until)
		if !fails {
			break
		}
		until += (at - c.now) % each
		from = at
	}
	c.endAt(until, len(c.runs), endOfRun)
	c.runs = append(c.runs, taskRun{st.row, int32(tasks)}) //nolint:gosec // a stage has at most 2^31 tasks
}
