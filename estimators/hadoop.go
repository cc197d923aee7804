package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// hadoop is what Hadoop's own job pages say: a job's mapProgress and reduceProgress are the means of its tasks'
// progress (JobImpl.computeProgress), and the phases of all jobs that have been submitted are averaged, each by its
// number of tasks. Jobs to come have no page, so the figure falls back when one is submitted.
func hadoop(w *ReplayContext) (Estimate, error) {
	s := w.Run.Now()
	var sum amount
	for j := range s.Plan.Jobs {
		if j >= len(s.Jobs) || !s.Jobs[j].Submitted.Known() {
			continue
		}
		for k := range s.Plan.Jobs[j].NumStages() {
			sum.add(hadoopProgress(s, j, k))
		}
	}
	f, any := sum.ratio()
	if !any {
		f = math.NaN()
	}
	return w.ratio(f), nil
}

// hadoopProgress is the sum of the progress of a phase's tasks, and how many there are. A task that is done counts 1.
func hadoopProgress(s *dag.Snapshot, job int, k dag.StageIndex) amount {
	planned := &s.Plan.Jobs[job].Stages[k]
	n := planned.Count()
	sum := amount{total: float64(n)}
	if job < len(s.Jobs) && s.Jobs[job].State == dag.Succeeded {
		sum.done = sum.total
		return sum
	}
	eachTask(attempts(s, job, k), func(task int, state taskState, a *dag.Attempt) {
		switch {
		case task >= n:
		case state == taskDone:
			sum.done++
		case state == taskRunning:
			sum.done += progressOf(planned, task, a)
		}
	})
	return sum
}

// progressOf is an attempt's progress as the engine gives it, else by its tuples: Hadoop counts a reduce's copy, sort
// and reduce a third each.
func progressOf(planned *dag.Stage, task int, a *dag.Attempt) float64 {
	if !math.IsNaN(a.Ratio) {
		return min(max(a.Ratio, 0), 1)
	}
	sum := 0.0
	for p := range pipelinesOf(planned) {
		n := a.Total[p]
		if p < len(planned.Pipelines) {
			if t := planned.Pipelines[p].Tuples.At(task); !math.IsNaN(t) {
				n = t
			}
		}
		if n > 0 && a.Done[p] > 0 {
			sum += min(a.Done[p]/n, 1)
		}
	}
	return sum / float64(pipelinesOf(planned))
}
