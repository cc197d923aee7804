package whatif

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// costs are the costs of a model with the changes applied.
type costs struct {
	left   schedule.Left
	phases [][]phaseCosts // number of nodes of the model; 0 if unknown
	nodes  int            // of the model; 0 if unknown
	// share of the tasks that start together on a node in the model and still do after the change; 1 if unchanged
	share float64
	ideal bool // no start-up time
}

// phaseCosts are the differences between a stage's tasks and the model's.
type phaseCosts struct {
	// fixed is the number of first tasks that are the same in the model. After them the model has was tasks, and this
	// run has is. If the numbers are equal, the tasks correspond one to one. Else each is like one of the model's, in
	// order.
	fixed, was, is int
	grown          float64 // factor of the work of those other tasks, from their larger input
	factor         float64 // factor of the work of all tasks, from the pace
	even           *evened
	work           func(task int) float64 // factor of the work of a task of the model; nil: 1
}

func newCosts(s *dag.Snapshot, left schedule.Left) *costs {
	c := &costs{left: left, phases: dag.ByStage[phaseCosts](s.Plan), nodes: len(s.Nodes), share: 1}
	for j := range c.phases {
		for k := range c.phases[j] {
			n := s.Plan.Jobs[j].Stages[k].Count()
			c.phases[j][k] = phaseCosts{was: n, is: n, grown: 1, factor: 1}
		}
	}
	return c
}

// of returns the remaining cost of a task.
func (c *costs) of(t schedule.Task) schedule.Cost {
	p := &c.phases[t.Job][t.Stage]
	index := t.Index
	if t.Running == nil {
		t.Index = p.like(index)
	}
	if c.nodes > 0 && t.Node >= c.nodes {
		t.Node %= c.nodes
	}
	if c.share < 1 && t.Together > 1 {
		t.Together = max(1, int(math.Ceil(float64(t.Together)*c.share)))
	}
	cost := c.left(t)
	if t.Running == nil {
		cost.Same = p.same(index, t.Index, cost.Same)
	}
	if p.even != nil {
		cost.Work, cost.Same = p.even.work, max(1, p.even.all-index)
		if t.Running != nil {
			cost.Same = 1
		}
	}
	f := p.factor
	if index >= p.fixed {
		f *= p.grown
	}
	if f != 1 {
		cost.Work = taskcost.Times(cost.Work, f)
	}
	if p.work != nil {
		cost.Work, cost.Same = taskcost.Times(cost.Work, p.work(t.Index)), 1
	}
	if c.ideal {
		cost.Setup = 0
	}
	return cost
}

// like returns the index of the model's task that task i corresponds to.
func (p *phaseCosts) like(i int) int {
	if i < p.fixed || p.was == p.is {
		return i
	}
	return p.fixed + (i-p.fixed)*p.was/p.is
}

// same returns how many tasks from i on are equal, if the model has same equal tasks from like on.
func (p *phaseCosts) same(i, like, same int) int {
	if i < p.fixed {
		return max(1, min(same, p.fixed-i))
	}
	if p.was == p.is {
		return same
	}
	end := p.fixed + ((like+same-p.fixed)*p.is+p.was-1)/p.was
	return max(1, min(end, p.fixed+p.is)-i)
}

// An evened stage is one with the same remaining work for all unfinished tasks.
type evened struct {
	work time.Duration // before pace and growth
	all  int           // number of tasks of the stage
}

// even spreads the remaining work of each stage that reads others, such as a job's reduces, over its unfinished
// tasks. The finished work of a running task does not change.
func (w *clusterState) even() {
	for j := range w.s.Plan.Jobs {
		job := &w.s.Plan.Jobs[j]
		for k := range job.NumStages() {
			n := job.Stages[k].Count()
			if n < 2 || len(job.Stages[k].After) == 0 || w.ended(j) {
				continue
			}
			sum, tasks := time.Duration(0), 0
			w.unfinished(j, k, func(work time.Duration, count int) {
				sum += time.Duration(count) * work
				tasks += count
			})
			if tasks > 0 {
				mean := (sum/time.Duration(tasks) + time.Millisecond/2).Truncate(time.Millisecond)
				w.costs.phases[j][k].even = &evened{work: mean, all: n}
			}
		}
	}
}

// unfinished visits the remaining work of a stage's tasks by the model; equal tasks are visited together.
func (w *clusterState) unfinished(j int, k dag.StageIndex, visit func(work time.Duration, count int)) {
	n, next := w.s.Plan.Jobs[j].Stages[k].Count(), 0
	pending := func(to int) {
		for next < to {
			c := w.costs.left(schedule.Task{Job: j, Stage: k, Index: next, Slot: -1, Node: -1, Start: dag.NoInstant})
			same := min(max(c.Same, 1), to-next)
			visit(c.Work, same)
			next += same
		}
	}
	dag.EachTask(w.s.Jobs[j].Stages[k].Attempts, func(task int, state dag.TaskState, a *dag.Attempt) {
		if task >= n || state == dag.TaskPending {
			return
		}
		pending(task)
		if next = task + 1; state == dag.TaskRunning {
			visit(w.costs.left(schedule.TaskOf(j, k, a)).Work, 1)
		}
	})
	pending(n)
}
