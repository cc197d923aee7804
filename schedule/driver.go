package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A driver submits the query's jobs.
type driver interface {
	// next submits all jobs that can be submitted now or soon. It is called at the beginning with a nil job, and
	// whenever a job has ended.
	next(r *replay, finished *job)
}

// loadDriver drops jobs that are never submitted, schedules the submission of other users' jobs, and starts the
// plan's driver.
func (c *loader) loadDriver(graph *dag.Graph) {
	for i := range c.jobs {
		if o := c.owner(i); o != nil && c.jobs[i].state == blocked {
			c.later(max(o.At, c.now), rankSubmit, opSubmit, i)
		}
	}
	c.dropFailed(graph)
	switch {
	case c.fixedSlots || c.plan.Driver == dag.Eager:
		c.driver = newEager(c.replay, graph)
	case c.plan.Driver == dag.Serial:
		c.driver = newWaves(c.replay, c.oneByOne(graph))
	default:
		c.driver = newWaves(c.replay, graph.Levels())
	}
	c.driver.next(c.replay, nil)
}

// ours returns the jobs without those of other users.
func (r *replay) ours(jobs []int) []int {
	out := make([]int, 0, len(jobs))
	for _, j := range jobs {
		if r.owner(j) == nil {
			out = append(out, j)
		}
	}
	return out
}

// dropFailed drops the jobs that depend on a job that did not succeed: no driver submits them
// (docs/facts/hadoop.md C1).
func (r *replay) dropFailed(graph *dag.Graph) {
	for _, i := range graph.Order() {
		for _, a := range r.plan.Jobs[i].After {
			j, s := &r.jobs[i], r.s.Jobs[a].State
			if j.state == blocked && (s == dag.Failed || s == dag.Killed || r.jobs[a].dropped) {
				j.dropped, j.state = true, ended
			}
		}
	}
}

// submissionAfter returns when to submit jobs that waited for others; the pause lasts from from to at. The last of
// the others ended at last (NoInstant: there were none). If the submission is overdue, it is expected soon, but not
// at once.
func (r *replay) submissionAfter(last dag.Instant) (from, at dag.Instant) {
	if !last.Known() || r.fixedSlots {
		return r.now, r.now
	}
	if at = last.Add(r.overheads.Wave); at < r.now {
		at = r.now.Add(lateShare(r.now.Sub(at), r.overheads.Beat))
	}
	return last, at
}

// submitLater submits jobs one after the other from at on, and records the pause before the first.
func (r *replay) submitLater(jobs []int, from, at dag.Instant) {
	if at > from {
		r.gaps = append(r.gaps, pauseOf(int32(jobs[0]), dag.Wave, from, at)) //nolint:gosec // an index
	}
	for i, j := range jobs {
		r.later(at.Add(time.Duration(i)*r.overheads.Stagger), rankSubmit, opSubmit, j)
	}
}

// eager submits each job when the jobs before it have ended.
type eager struct {
	order []int   // dependencies first
	after [][]int // by job: the jobs of order that come after it
	sent  []bool
}

func newEager(r *replay, graph *dag.Graph) *eager {
	e := &eager{order: r.ours(graph.Order()), after: make([][]int, len(r.jobs)), sent: make([]bool, len(r.jobs))}
	for _, j := range e.order {
		for _, a := range r.plan.Jobs[j].After {
			if n := len(e.after[a]); n == 0 || e.after[a][n-1] != j {
				e.after[a] = append(e.after[a], j)
			}
		}
	}
	return e
}

func (e *eager) next(r *replay, finished *job) {
	jobs := e.order
	if finished != nil {
		jobs = e.after[finished.index]
	}
	for _, j := range jobs {
		if job := &r.jobs[j]; job.state != blocked || job.submitted.Known() || e.sent[j] {
			continue
		}
		if ready, end := e.ready(r, j); ready {
			e.sent[j] = true
			from, at := r.submissionAfter(end)
			r.submitLater([]int{j}, from, at)
		}
	}
}

// ready reports whether all jobs before j have ended, and when the last of them did.
func (e *eager) ready(r *replay, j int) (bool, dag.Instant) {
	last := dag.NoInstant
	for _, a := range r.plan.Jobs[j].After {
		if r.jobs[a].state != ended {
			return false, last
		}
		last = max(last, r.jobs[a].finished)
	}
	return true, last
}

// oneByOne returns waves of one job each: first the submitted jobs, then the others, dependencies first.
func (r *replay) oneByOne(graph *dag.Graph) [][]int {
	var submitted, others [][]int
	for _, j := range graph.Order() {
		if r.jobs[j].submitted.Known() {
			submitted = append(submitted, []int{j})
		} else {
			others = append(others, []int{j})
		}
	}
	return append(submitted, others...)
}

// waves is Pig's driver: it submits a level of the DAG when every job of the levels before has ended
// (docs/facts/hadoop.md C2). A replay that submits each job as early as possible would be wrong for a wave of
// different branches. The waves of a serial driver are single jobs.
type waves struct {
	jobs [][]int // by level
	sent int     // number of submitted levels
}

// newWaves submits the remaining jobs of levels that have submitted jobs already.
func newWaves(r *replay, levels [][]int) *waves {
	w := &waves{jobs: make([][]int, 0, len(levels))}
	for _, level := range levels {
		if ours := r.ours(level); len(ours) > 0 {
			w.jobs = append(w.jobs, ours)
		}
	}
	submitted := func(j int) bool { return r.jobs[j].submitted.Known() }
	for w.sent < len(w.jobs) && slices.ContainsFunc(w.jobs[w.sent], submitted) {
		n := 0
		for _, j := range w.jobs[w.sent] {
			if r.jobs[j].state == blocked && !submitted(j) {
				n++
				r.later(r.now.Add(time.Duration(n)*r.overheads.Stagger), rankSubmit, opSubmit, j)
			}
		}
		w.sent++
	}
	return w
}

// next submits the next level if all jobs before have ended.
func (w *waves) next(r *replay, finished *job) {
	if w.sent >= len(w.jobs) {
		return
	}
	last := dag.NoInstant
	for _, level := range w.jobs[:w.sent] {
		for _, j := range level {
			if r.jobs[j].state != ended {
				return
			}
			last = max(last, r.jobs[j].finished)
		}
	}
	jobs := slices.DeleteFunc(slices.Clone(w.jobs[w.sent]), func(j int) bool { return r.jobs[j].state != blocked })
	w.sent++
	if len(jobs) == 0 {
		w.next(r, finished)
		return
	}
	from, at := r.submissionAfter(last)
	r.submitLater(jobs, from, at)
}
