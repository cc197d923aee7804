package schedule

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A driver submits the query's jobs. It is asked when the replay begins, and again whenever a job has ended.
type driver interface {
	// next submits what can be submitted at t, or soon after it.
	next(y *containers, t dag.Instant)
}

// loadDriver leaves out what is never submitted, submits other users' jobs at their own times, and lets the plan's
// driver begin.
func (y *containers) loadDriver() error {
	graph, err := dag.NewGraph(y.s.Plan)
	if err != nil {
		return err
	}
	for j := range y.jobs {
		if o := y.owner(j); o != nil && y.jobs[j].stage == blocked {
			y.at(max(o.At, y.now), rankSubmit, func(t dag.Instant) { y.submit(j, t) })
		}
	}
	y.trimFailed(graph)
	switch y.s.Plan.Driver {
	case dag.Eager:
		y.driver = &eager{order: y.ours(graph.Order())}
	case dag.Serial:
		y.driver = &eager{order: y.ours(graph.Order()), serial: true}
	default:
		y.driver = y.loadWaves(graph.Levels())
	}
	y.driver.next(y, y.now)
	return nil
}

// ours leaves other users' jobs out.
func (y *containers) ours(jobs []int) []int {
	out := make([]int, 0, len(jobs))
	for _, j := range jobs {
		if y.owner(j) == nil {
			out = append(out, j)
		}
	}
	return out
}

// trimFailed takes out the jobs that depend on one that did not succeed: no driver submits them
// (docs/facts/hadoop.md C1).
func (y *containers) trimFailed(graph *dag.Graph) {
	for _, j := range graph.Order() {
		for _, a := range y.s.Plan.Jobs[j].After {
			s := y.s.Jobs[a].State
			if y.jobs[j].stage == blocked && (s == dag.Failed || s == dag.Killed || y.jobs[a].never) {
				y.jobs[j].never, y.jobs[j].stage = true, ended
			}
		}
	}
}

// submission is when a job is submitted that had to wait for others, the last of which ended at last (NoInstant: it
// waited for none). One that should have come before t is late, and is not expected at once.
func (y *containers) submission(last, t dag.Instant) (from, at dag.Instant) {
	if !last.Known() {
		return t, t
	}
	if at = last.Add(y.s.Plan.Overheads.Wave); at < t {
		at = t.Add(lateShare(t.Sub(at), y.s.Plan.Overheads.Beat))
	}
	return last, at
}

// submitLater submits jobs one after the other from at on, and keeps the pause before the first.
func (y *containers) submitLater(jobs []int, from, at dag.Instant) {
	y.gaps = append(y.gaps, pauseOf(int32(jobs[0]), dag.Wave, from, at)) //nolint:gosec // an index
	for i, j := range jobs {
		y.at(at.Add(time.Duration(i)*y.s.Plan.Overheads.Stagger), rankSubmit, func(t dag.Instant) { y.submit(j, t) })
	}
}

// eager submits each job when the jobs that it comes after have ended; serial only when no other one is left that was
// submitted.
type eager struct {
	order  []int // dependencies first
	serial bool
	sent   map[int]bool
}

func (e *eager) next(y *containers, t dag.Instant) {
	if e.sent == nil {
		e.sent = make(map[int]bool, len(e.order))
	}
	last := dag.NoInstant // of serial: the end of the job before
	for _, j := range e.order {
		job := &y.jobs[j]
		if e.serial && job.stage != ended && (job.submitted.Known() || e.sent[j]) {
			return
		}
		last = max(last, job.finished)
	}
	for _, j := range e.order {
		if job := &y.jobs[j]; job.stage != blocked || job.submitted.Known() || e.sent[j] {
			continue
		}
		ready, end := e.ready(y, j)
		if !ready {
			continue
		}
		if e.serial {
			end = last
		}
		e.sent[j] = true
		from, at := y.submission(end, t)
		y.submitLater([]int{j}, from, at)
		if e.serial {
			return
		}
	}
}

// ready reports whether all that j comes after has ended, and when the last of it did.
func (e *eager) ready(y *containers, j int) (bool, dag.Instant) {
	last := dag.NoInstant
	for _, a := range y.s.Plan.Jobs[j].After {
		if y.jobs[a].stage != ended {
			return false, last
		}
		last = max(last, y.jobs[a].finished)
	}
	return true, last
}

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
