package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// fairPools are the rules of Spark's FAIR scheduler: a free core goes to the pool that is furthest below its share.
// In a pool it goes to the first stage in the plan or, if the pool itself is fair, to the stage with the fewest
// running tasks. of is the pool of each stage as an index in pools, which are in the order that breaks ties: by
// name.
type fairPools struct {
	reducesFirst
	of    []int
	pools []dag.Pool
}

// poolsOf returns the pools of a job's stages, by name, and the pool of each stage; nil if the job's stages run one
// after the other in one pool.
func poolsOf(c *dag.Cluster, stages []dag.Stage) (of []int, pools []dag.Pool) {
	names := make([]string, len(stages))
	for k := range stages {
		names[k] = stages[k].Pool
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	for _, name := range sorted {
		pools = append(pools, c.PoolOf(name))
	}
	if len(pools) == 0 || len(pools) == 1 && !pools[0].Fair {
		return nil, nil
	}
	of = make([]int, len(names))
	for k, name := range names {
		of[k], _ = slices.BinarySearch(sorted, name)
	}
	return of, pools
}

// A share is the running tasks and the entitlement of a pool.
type share struct{ running, least, weight int }

// compare is Spark's FairSchedulingAlgorithm: a pool below its minimal share goes first, and of several the one
// that runs the smallest part of it. The others are served by their running tasks in relation to their weight.
func (a share) compare(b share) int {
	needs, others := a.running < a.least, b.running < b.least
	switch {
	case needs && !others:
		return -1
	case others && !needs:
		return 1
	case needs:
		return cmp.Compare(float64(a.running)/float64(a.least), float64(b.running)/float64(b.least))
	}
	return cmp.Compare(a.load(), b.load())
}

// load returns the number of running tasks for each unit of the weight.
func (a share) load() float64 {
	if a.weight == 0 {
		return math.Inf(1)
	}
	return float64(a.running) / float64(a.weight)
}

func (f fairPools) first(c *scheduler, j *job) { f.grant(c, j) }

func (f fairPools) grant(c *scheduler, j *job) {
	shares := make([]share, len(f.pools))
	for i, p := range f.pools {
		shares[i] = share{least: p.MinShare, weight: p.Weight}
	}
	for k := range j.stages {
		shares[f.of[k]].running += j.stages[k].granted
	}
	for {
		best := -1
		for k := range j.stages {
			st := &j.stages[k]
			waits := !st.closed && (st.retries() || st.waiting > 0 && len(st.pending) > 0)
			if waits && (best < 0 || f.before(j, shares, k, best)) && c.room(st) > 0 {
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
		shares[f.of[best]].running++
	}
}

// before reports whether stage k is served before stage l, which comes before it in the plan.
func (f fairPools) before(j *job, shares []share, k, l int) bool {
	a, b := f.of[k], f.of[l]
	if a != b {
		return cmp.Or(shares[a].compare(shares[b]), cmp.Compare(a, b)) < 0
	}
	return f.pools[a].Fair && j.stages[k].granted < j.stages[l].granted
}
