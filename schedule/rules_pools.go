package schedule

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// fairPools are the rules of Spark's FAIR scheduler: a core that is free goes to the pool that runs the fewest tasks,
// and in a pool to the stage that was submitted first. Weights and minimal shares are alike. It holds the pool of each
// stage.
type fairPools struct {
	reducesFirst
	pools []int
}

// poolsOf numbers the pools of a job's stages by name, which is how ties are broken; nil if all share one.
func poolsOf(stages []dag.Stage) []int {
	names := make([]string, len(stages))
	for k := range stages {
		names[k] = stages[k].Pool
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	if len(sorted) < 2 {
		return nil
	}
	pools := make([]int, len(names))
	for k, name := range names {
		pools[k], _ = slices.BinarySearch(sorted, name)
	}
	return pools
}

func (f fairPools) first(y *containers, j int, t dag.Instant) { f.grant(y, j, t) }

func (f fairPools) grant(y *containers, j int, t dag.Instant) {
	job := &y.jobs[j]
	running := make([]int, len(f.pools))
	for k := range job.phase {
		running[f.pools[k]] += job.phase[k].granted
	}
	for {
		best := -1
		for k := range job.phase {
			p := &job.phase[k]
			waits := !p.closed && (len(p.retry) > 0 && p.retry[0] >= 0 || p.waiting > 0 && len(p.pending) > 0)
			//nolint:gosec // an index
			if waits && (best < 0 || running[f.pools[k]] < running[f.pools[best]] ||
				running[f.pools[k]] == running[f.pools[best]] && f.pools[k] < f.pools[best]) &&
				y.room(j, dag.StageIndex(k)) > 0 {
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
		running[f.pools[best]]++
	}
}
