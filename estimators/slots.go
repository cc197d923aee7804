package estimators

import "github.com/paratimer/paratimer/dag"

// slots is C, how many tasks of a job's phase can run at once: the slots of the kind (FIFO), or what fits beside the
// job's own AM in the memory that we may use (YARN). At least 1; where memory or size is unknown, every task is taken
// to fit.
func slots(plan *dag.Plan, job int, k dag.StageIndex) int {
	c := &plan.Cluster
	if c.Policy == dag.FIFO {
		if k == dag.Map {
			return max(1, c.MapSlots)
		}
		return max(1, c.ReduceSlots)
	}
	j := &plan.Jobs[job]
	stage := &j.Stages[k]
	pool, task, most := c.MemoryMB, stage.MemoryMB, stage.MaxRunning
	switch {
	case c.Policy == dag.Executors:
		pool, task = c.Cores, max(1, stage.Cores)
	case j.IsMapReduce() && k == dag.Map:
		task, most = j.MapReduce.MapMB, j.MapReduce.MaxMaps
	case j.IsMapReduce():
		task, most = j.MapReduce.ReduceMB, j.MapReduce.MaxReduces
	}
	if c.QueueMB > 0 && c.QueueMB < pool {
		pool = c.QueueMB
	}
	n := max(1, j.Stages[k].Count())
	if pool > 0 && task > 0 {
		n = max(1, (pool-j.MasterMB)/task)
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}
