package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// waves are Pig's: a level of the DAG is submitted only when every job of the levels before has ended
// (docs/facts/hadoop.md C2). A replay that submits each job as early as it can would be wrong for a wave of unlike
// branches.
type waves struct {
	jobs [][]int // by level
	sent int     // levels that are submitted
}

// loadWaves submits the rest of the levels that the cluster has jobs of already.
func (y *containers) loadWaves(levels [][]int) *waves {
	w := &waves{jobs: make([][]int, 0, len(levels))}
	for _, level := range levels {
		if ours := y.ours(level); len(ours) > 0 {
			w.jobs = append(w.jobs, ours)
		}
	}
	for w.sent < len(w.jobs) && y.anySubmitted(w.jobs[w.sent]) {
		y.submitRest(w.jobs[w.sent])
		w.sent++
	}
	return w
}

func (y *containers) anySubmitted(jobs []int) bool {
	for _, j := range jobs {
		if y.jobs[j].submitted.Known() {
			return true
		}
	}
	return false
}

// submitRest submits the jobs of a wave whose siblings are with the cluster already.
func (y *containers) submitRest(jobs []int) {
	n := 0
	for _, j := range jobs {
		if y.jobs[j].stage == blocked && !y.jobs[j].submitted.Known() {
			n++
			y.at(y.now.Add(time.Duration(n)*y.s.Plan.Overheads.Stagger), rankSubmit,
				func(t dag.Instant) { y.submit(j, t) })
		}
	}
}

// next submits the next level if all jobs before have ended.
func (w *waves) next(y *containers, t dag.Instant) {
	if w.sent >= len(w.jobs) {
		return
	}
	last := dag.NoInstant
	for _, level := range w.jobs[:w.sent] {
		for _, j := range level {
			if y.jobs[j].stage != ended {
				return
			}
			last = max(last, y.jobs[j].finished)
		}
	}
	jobs := slices.DeleteFunc(slices.Clone(w.jobs[w.sent]), func(j int) bool { return y.jobs[j].never })
	w.sent++
	if len(jobs) == 0 {
		w.next(y, t)
		return
	}
	from, at := y.submission(last, t)
	y.submitLater(jobs, from, at)
}
