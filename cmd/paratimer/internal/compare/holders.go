package compare

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A holder is a task's time in its container.
type holder struct {
	start, end dag.Instant
	job        int
	phase      dag.StageIndex
	task       int
	// milliseconds at its end; what is before is start-up, of a task that copies also the wait for its input
	work   float64
	copies bool
	lost   bool // its work was, or it did work again that was
}

// An attemptKey names an attempt.
type attemptKey struct {
	job          int
	phase        dag.StageIndex
	task, number int32
}

// redone are the attempts of tasks that had failed, or whose work was lost, before they began: without the failure they
// would not have been. One that runs beside another is none.
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

// holdersOf are the attempts of a run that have ended, by their end.
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

// held says what a wait for a container was spent on, from to back to from: the task that gave its container back last
// lies on the path from its start, and what it had waited for before. Where none of the query's tasks ended, it was
// waiting: others had the containers, or none was handed out.
func held(all []holder, wait Part, from, to dag.Instant) (parts []Part) {
	for from < to {
		i, _ := slices.BinarySearchFunc(all, to+1, func(h holder, t dag.Instant) int { return cmp.Compare(h.end, t) })
		i--
		for i >= 0 && all[i].start >= to && all[i].end > from {
			i-- // it took no time
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

// of is the part with another effect and length.
func (p Part) of(e Effect, length dag.Instant) Part {
	p.Effect, p.Length = e, float64(length)
	return p
}
