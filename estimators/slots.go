package estimators

import "github.com/paratimer/paratimer/dag"

// slots is C, how many tasks of a job's phase can run at once: the slots of the kind (FIFO), or what fits beside the job's
// own AM in the memory that we may use (YARN). At least 1; where memory or size is unknown, every task is taken to fit.
func slots(plan *dag.Plan, job int, k dag.Kind) int {
	c := &plan.Cluster
	if c.Policy == dag.FIFO {
		if k == dag.Map {
			return max(1, c.MapSlots)
		}
		return max(1, c.ReduceSlots)
	}
	j := &plan.Jobs[job]
	pool, task, most := c.MemoryMB, j.Limits.MapMB, j.Limits.MaxMaps
	if k == dag.Reduce {
		task, most = j.Limits.ReduceMB, j.Limits.MaxReduces
	}
	if c.QueueMB > 0 && c.QueueMB < pool {
		pool = c.QueueMB
	}
	n := max(1, j.Phase(k).Count())
	if pool > 0 && task > 0 {
		n = max(1, (pool-j.Limits.AMMB)/task)
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}
