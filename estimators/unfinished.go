package estimators

import (
	"iter"
	"sort"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A group is Count unfinished tasks with consecutive indices and equal costs, in milliseconds.
// Tasks that run are groups of one.
type group struct {
	First, Count int
	Full         float64 // a whole task
	Rem          float64 // what is left of a task
	Setup        float64 // the part of Rem that is set-up
	Running      bool
	Origin       schedule.Origin
}

// A stretch is a group. If each is not nil, it is Count pending tasks that differ only in their cost, each's
// values. Most tasks of a large query are such, and each takes 8 bytes.
type stretch struct {
	group
	each []float64
}

// A phase is the unfinished part of a stage, and the state of its other tasks.
type phase struct {
	stretches []stretch // ordered by First
	Tasks     int       // in total; 0 if unknown
	Known     bool      // whether Tasks is known
	Running   int
	Pending   int
	Failed    bool // an attempt of the phase has failed
	// The surest and the least sure origin of the unfinished tasks' costs.
	best, worst schedule.Origin
}

// unseen reports whether a remaining task's cost is unknown.
func (p *phase) unseen() bool { return p.left() > 0 && p.worst == schedule.Unknown }

// left returns the number of tasks that are not done.
func (p *phase) left() int { return p.Running + p.Pending }

// unfinished is the part of a ReplayContext with the remaining work of each task.
type unfinished struct {
	phases [][]phase // by job and stage
}

// phase returns the unfinished part of a job's stage.
func (w *ReplayContext) phase(job int, k dag.StageIndex) *phase {
	if w.phases == nil {
		plan := w.Now().Plan
		w.phases = make([][]phase, len(plan.Jobs))
		for j := range plan.Jobs {
			w.phases[j] = make([]phase, len(plan.Jobs[j].Stages))
			for k := range plan.Jobs[j].NumStages() {
				w.phases[j][k] = w.collect(j, k)
			}
		}
	}
	return &w.phases[job][k]
}

func (w *ReplayContext) collect(job int, k dag.StageIndex) phase {
	s := w.Now()
	planned := &s.Plan.Jobs[job].Stages[k]
	p := phase{Tasks: planned.Count(), Known: planned.Known}
	if s.JobEnded(job) {
		return p
	}
	list := s.Attempts(job, k)
	for i := range list {
		p.Failed = p.Failed || list[i].State == dag.AttemptFailed
	}
	next := 0
	dag.EachTask(list, func(task int, state dag.TaskState, a *dag.Attempt) {
		if task >= p.Tasks {
			return
		}
		if state == dag.TaskPending {
			return
		}
		w.pend(&p, job, k, next, task)
		next = task + 1
		if state == dag.TaskRunning {
			cost := w.Costs.Left(schedule.Task{
				Job: job, Stage: k, Index: task, Attempt: int(a.Number),
				Slot: int(a.Slot), Node: int(a.Node), Running: a, Start: a.Start,
			})
			p.Running++
			p.stretches = append(p.stretches, stretch{group: group{
				First: task, Count: 1, Running: true, Full: taskcost.Bounded(w.Costs.Full(job, k, task)),
				Rem:   taskcost.Bounded(w.Costs.Rem(job, k, task)),
				Setup: taskcost.Bounded(taskcost.MS(cost.Setup)), Origin: cost.Origin,
			}})
		}
	})
	w.pend(&p, job, k, next, p.Tasks)
	p.best = schedule.Unknown
	for i := range p.stretches {
		p.best, p.worst = min(p.best, p.stretches[i].Origin), max(p.worst, p.stretches[i].Origin)
	}
	return p
}

// pend adds the pending tasks from first up to end.
func (w *ReplayContext) pend(p *phase, job int, k dag.StageIndex, first, end int) {
	var last *stretch // the one that is being filled
	for task := (schedule.Task{
		Job: job, Stage: k, Index: first, Slot: -1, Node: -1,
		Start: dag.NoInstant,
	}); task.Index < end; {
		cost := w.Costs.Left(task)
		n := min(max(1, cost.Same), end-task.Index)
		full, setup := taskcost.Bounded(w.Costs.Full(job, k, task.Index)), taskcost.Bounded(taskcost.MS(cost.Setup))
		switch {
		case n == 1 && last != nil && last.Setup == setup && last.Origin == cost.Origin:
			last.each = append(last.each, full)
			last.Count++
		default:
			p.stretches = append(p.stretches, stretch{group: group{
				First: task.Index, Count: n, Full: full, Rem: full,
				Setup: setup, Origin: cost.Origin,
			}})
			if last = nil; n == 1 {
				last = &p.stretches[len(p.stretches)-1]
				last.each = append(make([]float64, 0, min(end-task.Index, 1<<12)), full)
			}
		}
		p.Pending += n
		task.Index += n
	}
}

// all yields the unfinished tasks in order, in groups. A group is valid until the next one.
func (p *phase) all() iter.Seq[*group] {
	return func(yield func(*group) bool) {
		for i := range p.stretches {
			if !p.stretches[i].visit(0, p.stretches[i].Count, yield) {
				return
			}
		}
	}
}

// between yields the unfinished tasks with indices from first up to end, in groups.
func (p *phase) between(first, end int) iter.Seq[*group] {
	return func(yield func(*group) bool) {
		i := sort.Search(len(p.stretches), func(i int) bool {
			return p.stretches[i].First+
				p.stretches[i].Count > first
		})
		for ; i < len(p.stretches) && p.stretches[i].First < end; i++ {
			s := &p.stretches[i]
			if !s.visit(max(0, first-s.First), min(s.Count, end-s.First), yield) {
				return
			}
		}
	}
}

// at returns the remaining work of one task; ok is false for one that is done.
func (p *phase) at(task int) (g group, ok bool) {
	i := sort.Search(len(p.stretches), func(i int) bool { return p.stretches[i].First+p.stretches[i].Count > task })
	if i == len(p.stretches) || p.stretches[i].First > task {
		return g, false
	}
	s := &p.stretches[i]
	g = s.group
	if s.each != nil {
		g.Full, g.Rem = s.each[task-s.First], s.each[task-s.First]
	}
	g.First, g.Count = task, 1
	return g, true
}

// visit yields the tasks of a stretch with offsets from from up to to.
func (s *stretch) visit(from, to int, yield func(*group) bool) bool {
	g := s.group
	if s.each == nil {
		g.First, g.Count = g.First+from, to-from
		return yield(&g)
	}
	g.Count = 1
	for i := from; i < to; i++ {
		g.First, g.Full, g.Rem = s.First+i, s.each[i], s.each[i]
		if !yield(&g) {
			return false
		}
	}
	return true
}

// eachPhase calls visit for every stage of the plan in order: jobs, and their stages.
func (w *ReplayContext) eachPhase(visit func(job int, k dag.StageIndex, p *phase)) {
	for j := range w.Now().Plan.Jobs {
		for k := range w.Now().Plan.Jobs[j].NumStages() {
			visit(j, k, w.phase(j, k))
		}
	}
}
