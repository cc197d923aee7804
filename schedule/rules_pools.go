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
