package estimators

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A group is Count unfinished tasks with consecutive indices and equal costs, in milliseconds.
// Tasks that run are groups of one.
type group struct {
	First, Count int
	Running      bool
	Full         float64 // a whole task
	Rem          float64 // what is left of a task
	Setup        float64 // the part of Rem that is set-up
	Origin       schedule.Origin
}

// A phase is what is unfinished of a phase, and how its other tasks stand.
type phase struct {
	Groups  []group // ordered by First
	Tasks   int     // in all; 0 where unknown
	Known   bool    // whether Tasks is known
	Running int
	Pending int
	Failed  bool // an attempt of the phase has failed
	// The surest and the least sure origin of the groups' costs.
	best, worst schedule.Origin
}

// left is how many tasks are not done.
func (p *phase) left() int { return p.Running + p.Pending }

// unfinished is the part of a World that holds what is left of each task.
type unfinished struct {
	phases [][2]phase
}

// phase returns what is left of a job's phase.
func (w *World) phase(job int, k dag.Kind) *phase {
	if w.phases == nil {
		plan := w.Now().Plan
		w.phases = make([][2]phase, len(plan.Jobs))
		for j := range plan.Jobs {
			for _, kind := range []dag.Kind{dag.Map, dag.Reduce} {
				w.phases[j][kind] = w.collect(j, kind)
			}
		}
	}
	return &w.phases[job][k]
}

func (w *World) collect(job int, k dag.Kind) phase {
	s := w.Now()
	planned := s.Plan.Jobs[job].Phase(k)
	p := phase{Tasks: planned.Count(), Known: planned.Known}
	if job < len(s.Jobs) && s.Jobs[job].State.Ended() {
		return p
	}
	list := attempts(s, job, k)
	for i := range list {
		p.Failed = p.Failed || list[i].State == dag.AttemptFailed
	}
	next := 0
	eachTask(list, func(task int, state taskState, a *dag.Attempt) {
		if task >= p.Tasks {
			return
		}
		if state == taskPending {
			return
		}
		w.pend(&p, job, k, next, task)
		next = task + 1
		if state == taskRunning {
			cost := w.Costs.Left(schedule.Task{Job: job, Kind: k, Index: task, Attempt: int(a.Number),
				Slot: int(a.Slot), Node: int(a.Node), Running: a, Start: a.Start})
			p.Running++
			p.Groups = append(p.Groups, group{First: task, Count: 1, Running: true, Full: tame(w.Costs.Full(job, k, task)),
				Rem: tame(w.Costs.Rem(job, k, task)), Setup: tame(millis(cost.Setup)), Origin: cost.Origin})
		}
	})
	w.pend(&p, job, k, next, p.Tasks)
	p.best = schedule.Unknown
	for i := range p.Groups {
		p.best, p.worst = min(p.best, p.Groups[i].Origin), max(p.worst, p.Groups[i].Origin)
	}
	return p
}

// pend adds the pending tasks from first up to end.
func (w *World) pend(p *phase, job int, k dag.Kind, first, end int) {
	for i := first; i < end; {
		cost := w.Costs.Left(schedule.Task{Job: job, Kind: k, Index: i, Slot: -1, Node: -1, Start: dag.NoInstant})
		n := min(max(1, cost.Same), end-i)
		full := tame(w.Costs.Full(job, k, i))
		p.Groups = append(p.Groups, group{First: i, Count: n, Full: full, Rem: full, Setup: min(full, tame(millis(cost.Setup))), Origin: cost.Origin})
		p.Pending += n
		i += n
	}
}

// eachPhase calls visit for every phase of the plan in order: jobs, maps before reduces.
func (w *World) eachPhase(visit func(job int, k dag.Kind, p *phase)) {
	for j := range w.Now().Plan.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			visit(j, k, w.phase(j, k))
		}
	}
}

// jobEnded says whether a job is over, so that nothing unknown of it is left.
func (w *World) jobEnded(job int) bool {
	s := w.Now()
	return job < len(s.Jobs) && s.Jobs[job].State.Ended()
}
