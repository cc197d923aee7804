package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A wave is jobs of the query that the driver submits together, when all jobs before them have ended. An eager driver
// has a wave for each job, which comes after those that the job depends on. A serial driver has a wave for each job as
// well, and Pig's driver has one for each level of the DAG (docs/facts/hadoop.md C2): a wave comes after all those
// before it. A replay that submits each job as early as possible would be wrong for a level of different branches.
type wave struct{ jobs, before []int }

// loadDriver drops jobs that are never submitted, schedules the submission of other users' jobs, and starts the
// plan's driver.
func (c *loader) loadDriver(graph *dag.Graph) {
	for i := range c.jobs {
		if o := c.owner(i); o != nil && c.jobs[i].state == blocked {
			c.at(o.At, rankSubmit, func() { c.jobs[i].submit(c.scheduler) })
		}
	}
	c.dropFailed(graph)
	c.loadWaves(graph)
}

// loadWaves creates the waves that are left, and submits the rest of those that have begun.
func (c *loader) loadWaves(graph *dag.Graph) {
	eager := c.fixedSlots || c.plan.Driver == dag.Eager
	var levels [][]int
	if eager || c.plan.Driver == dag.Serial {
		levels = oneByOne(c.jobs, graph.Order())
	} else {
		levels = graph.Levels()
	}
	submitted := func(j int) bool { return c.jobs[j].submitted.Known() }
	begun, all := true, make([]int, 0, len(c.jobs))
	c.waves = make([]wave, 0, len(levels))
	for _, level := range levels {
		first := len(all)
		for _, j := range level {
			if c.owner(j) == nil {
				all = append(all, j)
			}
		}
		w := wave{jobs: all[first:], before: all[:first]}
		if eager {
			w.before = c.plan.Jobs[level[0]].After
		}
		if begun = begun && (len(w.jobs) == 0 || slices.ContainsFunc(w.jobs, submitted)); begun {
			next := c.now.Add(c.overheads.Stagger)
			c.submitWave(w, next, next)
		} else if len(w.jobs) > 0 {
			c.waves = append(c.waves, w)
		}
	}
	for i := range c.waves {
		c.submitOrWait(i)
	}
}

// oneByOne returns waves of one job each: first the submitted jobs, then the others, in the given order.
func oneByOne(all []job, order []int) [][]int {
	waves := make([][]int, 0, len(order))
	for _, submitted := range [...]bool{true, false} {
		for i, j := range order {
			if all[j].submitted.Known() == submitted {
				waves = append(waves, order[i:i+1])
			}
		}
	}
	return waves
}

// dropFailed drops the jobs that depend on a job that did not succeed: no driver submits them
// (docs/facts/hadoop.md C1).
func (c *scheduler) dropFailed(graph *dag.Graph) {
	for _, i := range graph.Order() {
		for _, a := range c.plan.Jobs[i].After {
			j, s := &c.jobs[i], c.s.Jobs[a].State
			if j.state == blocked && (s == dag.Failed || s == dag.Killed || c.jobs[a].dropped) {
				j.dropped, j.state = true, ended
			}
		}
	}
}

// submitOrWait submits a wave if all jobs before it have ended. If not, it waits for one of these. A submission that is
// overdue is expected soon, but not at once.
func (c *scheduler) submitOrWait(wave int) {
	last, running := lastEnd(c.jobs, c.waves[wave].before)
	if running != nil {
		running.waves = append(running.waves, wave)
		return
	}
	from, at := c.now, c.now
	if last.Known() && !c.fixedSlots {
		if from, at = last, last.Add(c.overheads.Wave); at < c.now {
			at = c.now.Add(lateShare(c.now.Sub(at), c.overheads.Beat))
		}
	}
	c.submitWave(c.waves[wave], from, at)
}

// lastEnd returns the last end of jobs, NoInstant if there is none, or else one of them that has not ended.
func lastEnd(all []job, jobs []int) (last dag.Instant, running *job) {
	last = dag.NoInstant
	for _, i := range slices.Backward(jobs) { // those that end last are at the end
		j := &all[i]
		if j.state != ended {
			return last, j
		}
		last = max(last, j.finished)
	}
	return last, nil
}

// submitWave submits the jobs of a wave that are not submitted, one after the other from at on. A pause precedes them.
func (c *scheduler) submitWave(w wave, from, at dag.Instant) {
	n := 0
	for _, j := range w.jobs {
		if c.jobs[j].state != blocked || c.jobs[j].submitted.Known() {
			continue
		}
		if n == 0 && at > from {
			c.gaps = append(c.gaps, PauseOf(int32(j), dag.Wave, from, at)) //nolint:gosec // an index
		}
		c.at(at.Add(time.Duration(n)*c.overheads.Stagger), rankSubmit, func() { c.jobs[j].submit(c) })
		n++
	}
}
