package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// fairPools are the rules of Spark's FAIR scheduler: a core that is free goes to the pool that is furthest below its
// share, and in a pool to the stage that comes first in the plan or, if the pool is fair itself, to the one that runs
// the fewest tasks. It holds the pool of each stage as an index in pools, which are in the order that breaks ties: by
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

// A share is what a pool, or a stage in a fair pool, runs and may run.
type share struct{ running, least, weight int }

// compare is Spark's FairSchedulingAlgorithm: whoever runs less than its minimal share goes first, and of several the
// one that runs the smallest part of it. All others are served by how much they run for their weight.
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

// load is how many tasks run for each unit of the weight.
func (a share) load() float64 {
	if a.weight == 0 {
		return math.Inf(1)
	}
	return float64(a.running) / float64(a.weight)
}

func (f fairPools) first(y *containers, j int, t dag.Instant) { f.grant(y, j, t) }

func (f fairPools) grant(y *containers, j int, t dag.Instant) {
	job := &y.jobs[j]
	shares := make([]share, len(f.pools))
	for i, p := range f.pools {
		shares[i] = share{least: p.MinShare, weight: p.Weight}
	}
	for k := range job.phase {
		shares[f.of[k]].running += job.phase[k].granted
	}
	for {
		best := -1
		for k := range job.phase {
			p := &job.phase[k]
			waits := !p.closed && (len(p.retry) > 0 && p.retry[0] >= 0 || p.waiting > 0 && len(p.pending) > 0)
			//nolint:gosec // an index
			if waits && (best < 0 || f.before(job, shares, k, best)) && y.room(j, dag.StageIndex(k)) > 0 {
				best = k
			}
		}
		if best < 0 {
			return
		}
		k := dag.StageIndex(best) //nolint:gosec // an index
		if p := &job.phase[k]; len(p.retry) > 0 && p.retry[0] >= 0 {
			task := p.retry[0]
			p.retry = p.retry[1:]
			y.give(j, k, task, 1, t)
		} else {
			y.grantPending(j, k, 1, t)
		}
		shares[f.of[best]].running++
	}
}

// before reports whether stage k is served before stage l, which comes before it in the plan.
func (f fairPools) before(job *containersJob, shares []share, k, l int) bool {
	a, b := f.of[k], f.of[l]
	if a != b {
		return cmp.Or(shares[a].compare(shares[b]), cmp.Compare(a, b)) < 0
	}
	return f.pools[a].Fair && job.phase[k].granted < job.phase[l].granted
}
