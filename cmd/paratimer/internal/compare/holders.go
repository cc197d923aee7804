package compare

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A holder is the time of an attempt in its container.
type holder struct {
	start, end dag.Instant
	job        int
	phase      dag.StageIndex
	task       int
	// milliseconds of work before its end; the time before is start-up, or also the wait for input if the stage
	// copies
	work   float64
	copies bool
	lost   bool // its work was lost, or it repeated lost work
}

// An attemptKey identifies an attempt.
type attemptKey struct {
	job          int
	phase        dag.StageIndex
	task, number int32
}

// redone returns the attempts of tasks that had failed, or lost their output, before the attempt began. Without the
// failure they would not exist. Speculative attempts, which overlap another one, are not among them.
func redone(s *dag.Snapshot) map[attemptKey]bool {
	again := make(map[attemptKey]bool)
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := 1; i < len(attempts); i++ {
				a, before := &attempts[i], &attempts[i-1]
				if before.Task == a.Task && a.Start.Known() && before.End.Known() && before.End <= a.Start {
					again[attemptKey{j, k, a.Task, a.Number}] = true
				}
			}
		}
	}
	return again
}

// holdersOf returns the ended attempts of a run, sorted by end.
func holdersOf(r *Run, s *dag.Snapshot, again map[attemptKey]bool) (all []holder) {
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				a := &attempts[i]
				if !a.Start.Known() || !a.End.Known() || a.End < a.Start {
					continue
				}
				h := holder{
					start: a.Start, end: a.End, job: j, phase: k, task: int(a.Task),
					lost:   !s.Jobs[j].Stages[k].Overtaken(i),
					copies: s.Plan.Jobs[j].Stages[k].Copies(),
				}
				if t := r.Jobs[j].Phases[k].task(h.task); t != nil && t.Start == a.Start && t.End == a.End &&
					!again[attemptKey{j, k, a.Task, a.Number}] {
					h.lost, h.work = false, t.Work
				}
				all = append(all, h)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b holder) int {
		return cmp.Or(cmp.Compare(a.end, b.end),
			cmp.Compare(b.start, a.start))
	})
	return all
}

// held splits a wait for a container, from its end back to its start. The task that released its container last is
// on the path from its start; before that is whatever the task waited for. If none of the query's tasks ended, the
// time is Waiting: other applications used the containers, or none was allocated.
func held(all []holder, wait Part, from, to dag.Instant) (parts []Part) {
	for from < to {
		i, _ := slices.BinarySearchFunc(all, to+1, func(h holder, t dag.Instant) int { return cmp.Compare(h.end, t) })
		i--
		for i >= 0 && all[i].start >= to && all[i].end > from {
			i-- // it has no duration within the wait
		}
		if i < 0 || all[i].end <= from {
			break
		}
		h := &all[i]
		parts = append(parts, wait.of(Waiting, to-h.end))
		start := max(h.start, from)
		whole := Part{Job: h.job, Phase: h.phase, Task: h.task}
		switch work := min(dag.Instant(h.work), h.end-start); {
		case h.lost:
			parts = append(parts, whole.of(Failures, h.end-start))
		case h.copies:
			parts = append(parts, whole.of(Work, work), whole.of(Waiting, h.end-start-work))
		default:
			parts = append(parts, whole.of(Work, work), whole.of(Startup, h.end-start-work))
		}
		to = start
	}
	return append(parts, wait.of(Waiting, to-from))
}

// of returns a copy of the part with another effect and length.
func (p Part) of(e Effect, length dag.Instant) Part {
	p.Effect, p.Length = e, float64(length)
	return p
}
