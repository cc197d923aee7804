package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// ancestorsFirst are the rules of Tez' master (docs/facts/tez.md T5, T6): the stages of a job in the order of their
// distance from the roots. So none gets a container while one that it reads waits for some. A container that is free
// runs the next task.
type ancestorsFirst []dag.StageIndex

// edges makes a broadcast one that its readers wait for in their containers: they are asked for at once.
func (ancestorsFirst) edges(after []dag.Edge) []dag.Edge {
	out := make([]dag.Edge, len(after))
	for i, e := range after {
		if e.Kind == dag.Broadcast {
			e = dag.Edge{From: e.From, Kind: dag.SlowStart}
		}
		out[i] = e
	}
	return out
}

func (ancestorsFirst) freed(job *containersJob, n int, t dag.Instant) {
	if last := len(job.idle) - 1; last >= 0 && job.idle[last].at == t {
		job.idle[last].n += n
		return
	}
	job.idle = append(job.idle, stamp{t, n})
}

func (ancestorsFirst) cold(_ *containers, kept bool, _ dag.Instant) bool { return !kept }

func (r ancestorsFirst) first(y *containers, j int, t dag.Instant) {
	for _, k := range r {
		if y.jobs[j].phase[k].copies() {
			y.askCopying(j, k, t)
		}
	}
	r.grant(y, j, t)
}

func (r ancestorsFirst) grant(y *containers, j int, t dag.Instant) {
	for _, k := range r {
		if p := &y.jobs[j].phase[k]; p.copies() {
			y.grantCopying(j, k, t)
		} else {
			y.grantRetries(j, k, t)
			if !p.closed {
				y.grantPending(j, k, y.room(j, k), t)
			}
		}
	}
}

func (r ancestorsFirst) nextMB(y *containers, j int) int {
	for _, k := range r {
		if p := &y.jobs[j].phase[k]; p.lacksContainers() && y.room(j, k) > 0 {
			return p.mb
		}
	}
	return 0
}

// byLevel orders stages by their distance from the roots: the longest path to one. In one distance the order of the
// plan counts.
func byLevel(stages []dag.Stage) []dag.StageIndex {
	level, order := make([]int, len(stages)), make([]dag.StageIndex, len(stages))
	for k := range stages {
		order[k] = dag.StageIndex(k) //nolint:gosec // an index
		for _, e := range stages[k].After {
			level[k] = max(level[k], level[e.From]+1)
		}
	}
	slices.SortStableFunc(order, func(a, b dag.StageIndex) int { return cmp.Compare(level[a], level[b]) })
	return order
}

// lacksContainers says that tasks have been asked for that hold no container.
func (p *containersStage) lacksContainers() bool {
	if p.copies() {
		return p.wantsCopying()
	}
	return p.retries() || !p.closed && p.waiting > 0
}

// want grows between two ratios of the least finished of the stages that are read
// (ShuffleVertexManagerBase.getNumOfTasksToSchedule, docs/facts/tez.md T5).
func (ancestorsFirst) want(y *containers, j int, k dag.StageIndex) int {
	job := &y.jobs[j]
	p := &job.phase[k]
	all := p.granted + p.waiting + len(p.retry)
	if p.left() == 0 {
		return p.granted
	}
	share, over := 1.0, true
	for _, e := range p.after {
		from := &job.phase[e.From]
		if e.Kind != dag.SlowStart || from.left() == 0 {
			continue
		}
		over = false
		done := float64(from.done) / float64(from.total)
		switch full := max(e.Full, e.Ratio); {
		case from.closed || done < e.Ratio:
			share = 0
		case done < full:
			share = min(share, (done-e.Ratio)/(full-e.Ratio))
		}
	}
	if over || share == 1 {
		return all
	}
	return min(all, max(int(math.Ceil(share*float64(p.total)))-p.done, p.granted))
}
