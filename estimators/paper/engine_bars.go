package paper

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// hadoop returns the progress of Hadoop's own job pages. A job's mapProgress and reduceProgress are the means of
// its tasks' progress (JobImpl.computeProgress). The stages of all submitted jobs are averaged, each weighted by
// its number of tasks. Jobs to come have no page, so the figure falls back when one is submitted.
func hadoop(w *estimators.ReplayContext) (estimators.Estimate, error) {
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
	return w.EstimateOfRatio(f), nil
}

// hadoopProgress returns the sum of the progress of a stage's tasks, and their number. A task that is done counts
// 1.
func hadoopProgress(s *dag.Snapshot, job int, k dag.StageIndex) amount {
	planned := &s.Plan.Jobs[job].Stages[k]
	n := planned.Count()
	sum := amount{total: float64(n)}
	if job < len(s.Jobs) && s.Jobs[job].State == dag.Succeeded {
		sum.done = sum.total
		return sum
	}
	dag.EachTask(s.Attempts(job, k), func(task int, state dag.TaskState, a *dag.Attempt) {
		switch {
		case task >= n:
		case state == dag.TaskDone:
			sum.done++
		case state == dag.TaskRunning:
			sum.done += progressOf(planned, task, a)
		}
	})
	return sum
}

// progressOf returns an attempt's progress as the engine reports it, else by its tuples: Hadoop counts a reduce's
// copy, sort and reduce a third each.
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

// pig returns Pig's percentage, the mean over jobs. A job counts as the mean of its map, copy and reduce pipelines,
// without sort, if the plan has its tuples (docs/facts/paratimer.md A5, A10, P27). Any other job counts as in Pig's
// own MapReduceLauncher: 1 once it has succeeded, else half of its map and half of its reduce progress by Hadoop,
// so a job without reduces stays at a half until its end.
func pig(w *estimators.ReplayContext) (estimators.Estimate, error) {
	s := w.Run.Now()
	jobs := amounts(s)
	sum := 0.0
	for j := range jobs {
		if f, known := tuplesOfParts(&s.Plan.Jobs[j], jobs[j]); known {
			sum += f
			continue
		}
		switch {
		case j < len(s.Jobs) && s.Jobs[j].State == dag.Succeeded:
			sum++
		default:
			stages := 0.0
			for k := range s.Plan.Jobs[j].NumStages() {
				p := hadoopProgress(s, j, k)
				stages += p.done / max(1, p.total)
			}
			sum += stages / float64(max(1, s.Plan.Jobs[j].NumStages()))
		}
	}
	if len(jobs) == 0 {
		return w.EstimateOfRatio(math.NaN()), nil
	}
	return w.EstimateOfRatio(sum / float64(len(jobs))), nil
}

// tuplesOfParts returns the mean share over a job's map, copy and reduce pipelines that have tuples; known is false
// if the plan lacks these.
func tuplesOfParts(job *dag.Job, a []amount) (f float64, known bool) {
	if !job.IsMapReduce() {
		return 0, false
	}
	parts := 0.0
	for _, part := range []struct {
		k dag.StageIndex
		p int
	}{{dag.Map, 0}, {dag.Reduce, dag.Copy}, {dag.Reduce, dag.Work}} {
		phase := &job.Stages[part.k]
		if !phase.Known {
			return 0, false
		}
		if phase.Tasks == 0 {
			continue
		}
		if part.p >= len(phase.Pipelines) || !phase.Pipelines[part.p].Tuples.Known() {
			return 0, false
		}
		if ratio, any := a[pipe(part.k, part.p)].ratio(); any {
			f += ratio
			parts++
		}
	}
	if parts == 0 {
		return 0, true
	}
	return f / parts, true
}
