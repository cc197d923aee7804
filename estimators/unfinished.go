package estimators

import (
	"iter"
	"math"
	"sort"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A TaskGroup is Count unfinished tasks with consecutive indices and equal costs, in milliseconds.
// Tasks that run are groups of one.
type TaskGroup struct {
	First, Count int
	Full         float64 // a whole task
	Rem          float64 // what is left of a task
	Setup        float64 // the part of Rem that is set-up
	Running      bool
	Origin       schedule.Origin
}

// Work returns the remaining time of a task without its set-up.
func (g *TaskGroup) Work() float64 { return max(0, g.Rem-g.Setup) }

// A stretch is a TaskGroup. If each is not nil, it is Count pending tasks that differ only in their cost, each's
// values. Most tasks of a large query are such, and each takes 8 bytes.
type stretch struct {
	TaskGroup
	each []float64
}

// A StageLeft is the unfinished part of a job's stage, and the state of its other tasks.
type StageLeft struct {
	stretches []stretch // ordered by First
	Tasks     int       // in total; 0 if unknown
	Known     bool      // whether Tasks is known
	Running   int
	Pending   int
	Failed    bool // an attempt of the stage has failed
	// The surest and the least sure origin of the unfinished tasks' costs.
	Best, Worst schedule.Origin
}

// unseen reports whether a remaining task's cost is unknown.
func (p *StageLeft) unseen() bool { return p.Unfinished() > 0 && p.Worst == schedule.Unknown }

// Unfinished returns the number of tasks that are not done.
func (p *StageLeft) Unfinished() int { return p.Running + p.Pending }

// Stage returns the unfinished part of a job's stage.
func (w *ReplayContext) Stage(job int, k dag.StageIndex) *StageLeft {
	if w.phases == nil {
		w.phases = dag.ByStage[StageLeft](w.Now().Plan)
		for j := range w.phases {
			for k := range w.phases[j] {
				w.phases[j][k] = w.collect(j, dag.StageIndex(k)) //nolint:gosec // an index
			}
		}
	}
	return &w.phases[job][k]
}

func (w *ReplayContext) collect(job int, k dag.StageIndex) StageLeft {
	s := w.Now()
	planned := &s.Plan.Jobs[job].Stages[k]
	p := StageLeft{Tasks: planned.Count(), Known: planned.Known}
	if s.JobEnded(job) {
		return p
	}
	list := s.Attempts(job, k)
	for i := range list {
		p.Failed = p.Failed || list[i].State == dag.AttemptFailed
	}
	next := 0
	dag.EachTask(list, func(task int, state dag.TaskState, a *dag.Attempt) {
		if task >= p.Tasks || state == dag.TaskPending {
			return
		}
		w.pend(&p, job, k, next, task)
		next = task + 1
		if state == dag.TaskRunning {
			cost := w.Costs.Left(schedule.TaskOf(job, k, a))
			p.Running++
			p.stretches = append(p.stretches, stretch{TaskGroup: TaskGroup{
				First: task, Count: 1, Running: true, Full: taskcost.Finite(w.Costs.Full(job, k, task)),
				Rem:   taskcost.Finite(w.Costs.Rem(job, k, task)),
				Setup: taskcost.Finite(taskcost.MS(cost.Setup)), Origin: cost.Origin,
			}})
		}
	})
	w.pend(&p, job, k, next, p.Tasks)
	p.Best = schedule.Unknown
	for i := range p.stretches {
		p.Best, p.Worst = min(p.Best, p.stretches[i].Origin), max(p.Worst, p.stretches[i].Origin)
	}
	return p
}

// NotStarted returns a job's stage as if none of its tasks had started.
func (w *ReplayContext) NotStarted(job int, k dag.StageIndex) *StageLeft {
	var all StageLeft
	w.pend(&all, job, k, 0, w.Now().Plan.Jobs[job].Stages[k].Count())
	return &all
}

// pend adds the pending tasks from first up to end.
func (w *ReplayContext) pend(p *StageLeft, job int, k dag.StageIndex, first, end int) {
	var last *stretch // the one that is being filled
	task := schedule.Task{Job: job, Stage: k, Index: first, Slot: -1, Node: -1, Start: dag.NoInstant}
	for task.Index < end {
		cost := w.Costs.Left(task)
		n := min(max(1, cost.Same), end-task.Index)
		full, setup := taskcost.Finite(w.Costs.Full(job, k, task.Index)), taskcost.Finite(taskcost.MS(cost.Setup))
		switch {
		case n == 1 && last != nil && last.Setup == setup && last.Origin == cost.Origin:
			last.each = append(last.each, full)
			last.Count++
		default:
			p.stretches = append(p.stretches, stretch{TaskGroup: TaskGroup{
				First: task.Index, Count: n, Full: full, Rem: full, Setup: setup, Origin: cost.Origin,
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

// All yields the unfinished tasks in order, in groups. A group is valid until the next one.
func (p *StageLeft) All() iter.Seq[*TaskGroup] { return p.Between(0, math.MaxInt) }

// Between is All for the tasks with indices from first up to end.
func (p *StageLeft) Between(first, end int) iter.Seq[*TaskGroup] {
	return func(yield func(*TaskGroup) bool) {
		var g TaskGroup
		for i := p.find(first); i < len(p.stretches) && p.stretches[i].First < end; i++ {
			s := &p.stretches[i]
			g = s.TaskGroup
			for task, last := max(first, s.First), min(s.First+s.Count, end); task < last; task += g.Count {
				if s.set(&g, task, last); !yield(&g) {
					return
				}
			}
		}
	}
}

// At returns the remaining work of one task; ok is false for one that is done.
func (p *StageLeft) At(task int) (g TaskGroup, ok bool) {
	i := p.find(task)
	if i == len(p.stretches) || p.stretches[i].First > task {
		return g, false
	}
	g = p.stretches[i].TaskGroup
	p.stretches[i].set(&g, task, task+1)
	return g, true
}

// find returns the index of the first stretch that does not end before a task.
func (p *StageLeft) find(task int) int {
	return sort.Search(len(p.stretches), func(i int) bool { return p.stretches[i].First+p.stretches[i].Count > task })
}

// set makes a group of tasks of a stretch: all from first up to end, or only the first if each has its own cost.
func (s *stretch) set(g *TaskGroup, first, end int) {
	g.First, g.Count = first, end-first
	if s.each != nil {
		g.Count, g.Full, g.Rem = 1, s.each[first-s.First], s.each[first-s.First]
	}
}

// EachStage calls visit for every stage of the plan in order: jobs, and their stages.
func (w *ReplayContext) EachStage(visit func(job int, k dag.StageIndex, p *StageLeft)) {
	for j := range w.Now().Plan.Jobs {
		for k := range w.Now().Plan.Jobs[j].NumStages() {
			visit(j, k, w.Stage(j, k))
		}
	}
}
