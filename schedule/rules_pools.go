package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

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
		names = append(names, stages[k].Pool)
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

// grant allocates free cores to the tasks of a job.
func (f *fairPools) grant(c *scheduler, j *job) {
	running := make([]int, len(f.pools))
	for k := range j.stages {
		running[f.of[k]] += j.stages[k].granted
	}
	for {
		best := -1
		for k := range j.stages {
			st := &j.stages[k]
			waits := !st.closed && (st.retries() || st.waiting > 0 && len(st.pending) > 0)
			if waits && (best < 0 || f.before(j, running, k, best)) && c.room(st) > 0 {
				best = k
			}
		}
		if best < 0 {
			return
		}
		if st := &j.stages[best]; st.retries() {
			c.give(st, st.takeRetry(), 1)
		} else {
			c.grantPending(st, 1)
		}
		running[f.of[best]]++
	}
}

// before reports whether stage k is served before stage l, which comes before it in the plan.
func (f *fairPools) before(j *job, running []int, k, l int) bool {
	a, b := f.of[k], f.of[l]
	if a != b {
		return cmp.Or(cmp.Compare(load(&f.pools[a], running[a]), load(&f.pools[b], running[b])), cmp.Compare(a, b)) < 0
	}
	return f.pools[a].Fair && j.stages[k].granted < j.stages[l].granted
}
