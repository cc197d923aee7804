package whatif

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// An evened stage is one with the same remaining work for all unfinished tasks.
type evened struct {
	work time.Duration // before pace and growth
	all  int           // number of tasks of the stage
}

// same returns how many tasks from i on have that work.
func (e *evened) same(i int) int { return max(1, e.all-i) }

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
	list := w.s.Jobs[j].Stages[k].Attempts
	for i := 0; i < len(list); {
		task, to := int(list[i].Task), i
		done, running := false, (*dag.Attempt)(nil)
		for ; to < len(list) && int(list[to].Task) == task; to++ {
			done = done || list[to].State == dag.AttemptSucceeded
			if list[to].State == dag.AttemptRunning {
				running = &list[to]
			}
		}
		i = to
		if task >= n || !done && running == nil {
			continue
		}
		pending(task)
		next = task + 1
		if !done {
			visit(w.costs.left(taskOf(j, k, running)).Work, 1)
		}
	}
	pending(n)
}
