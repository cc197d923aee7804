package paper

import "github.com/paratimer/paratimer/dag"

// An amount is a number of tuples that are done, and the total.
type amount struct{ done, total float64 }

func (a *amount) add(b amount) {
	a.done += b.done
	a.total += b.total
}

// ratio returns done/total; ok is false if the total is not positive.
func (a amount) ratio() (f float64, ok bool) {
	if !(a.total > 0) {
		return 0, false
	}
	return a.done / a.total, true
}

// amounts returns, for each job's pipelines (map, copy, sort, reduce), the tuples done and in total: K and N of
// docs/facts/paratimer.md A10.
//
// If the plan has no N, an attempt's own total replaces it. A task without a reported total counts as the mean of
// the tasks of its pipeline that have one; the engine's progress gives the share of it that is done. A pipeline
// without any known size counts as the mean pipeline of its type (else as one tuple a task), a job of unknown size
// as the mean job.
func amounts(s *dag.Snapshot) [][]amount {
	jobs := make([][]sizing, len(s.Plan.Jobs))
	var types [pipes]sizing
	for j := range s.Plan.Jobs {
		jobs[j] = make([]sizing, pipesOf(&s.Plan.Jobs[j]))
		for k := range s.Plan.Jobs[j].NumStages() {
			for p := range pipelinesOf(&s.Plan.Jobs[j].Stages[k]) {
				z := size(s, j, k, p)
				jobs[j][pipe(k, p)] = z
				types[kindOf(pipe(k, p))].add(z)
			}
		}
	}
	var anyType sizing
	for _, t := range types {
		anyType.add(t)
	}
	out := make([][]amount, len(jobs))
	for j := range jobs {
		out[j] = make([]amount, len(jobs[j]))
		for i, z := range jobs[j] {
			out[j][i] = z.fill(types[kindOf(i)], anyType)
		}
	}
	return out
}

// A sizing sums what the tasks of a pipeline have reported about their tuples.
type sizing struct {
	known   amount  // tuples of the tasks whose size is known
	sized   float64 // number of these tasks
	unsized float64 // number of tasks of unknown size
	share   float64 // sum, over the tasks of unknown size, of the share that is done
	jobs    float64 // number of pipelines of known task count, for the mean job
	open    bool    // the number of tasks is unknown
}

func (z *sizing) add(o sizing) {
	z.known.add(o.known)
	z.sized += o.sized
	z.unsized += o.unsized
	z.share += o.share
	z.jobs += o.jobs
}

func (z sizing) fill(sameType, all sizing) amount {
	if z.open {
		if sameType.jobs == 0 {
			return amount{0, 1}
		}
		z.unsized = (sameType.sized + sameType.unsized) / sameType.jobs
	}
	mean := 1.0
	for _, from := range []sizing{z, sameType, all} {
		if from.sized > 0 {
			mean = from.known.total / from.sized
			break
		}
	}
	return amount{z.known.done + z.share*mean, z.known.total + z.unsized*mean}
}

// pipelinesOf returns the number of pipelines that the tasks of a stage have: three if they copy, else one.
func pipelinesOf(s *dag.Stage) int {
	if s.Copies() {
		return dag.Pipelines
	}
	return 1
}

// size sums the tuples of a pipeline over its tasks.
func size(s *dag.Snapshot, job int, k dag.StageIndex, p int) sizing {
	planned := &s.Plan.Jobs[job].Stages[k]
	if !planned.Known {
		return sizing{open: job >= len(s.Jobs) || !s.Jobs[job].State.Ended()}
	}
	n := planned.Count()
	var z sizing
	if n > 0 {
		z.jobs = 1
	}
	var tuples dag.Series
	if p < len(planned.Pipelines) {
		tuples = planned.Pipelines[p].Tuples
	}
	next := 0
	dag.EachTask(s.Attempts(job, k), func(task int, state dag.TaskState, a *dag.Attempt) {
		if task >= n || state == dag.TaskPending {
			return
		}
		z.pending(tuples, next, task)
		next = task + 1
		z.task(tuples.At(task), state, a, planned.Copies(), p)
	})
	z.pending(tuples, next, n)
	return z
}

// pending adds the tasks from first up to end; they have not started.
func (z *sizing) pending(tuples dag.Series, first, end int) {
	for i := first; i < end; {
		m := min(tuples.Same(i, end), end-i)
		if t := tuples.At(i); t >= 0 {
			z.known.total += t * float64(m)
			z.sized += float64(m)
		} else {
			z.unsized += float64(m)
		}
		i += m
	}
}

// task adds a task that runs or is done; planned is its size by the plan, NaN if unknown.
func (z *sizing) task(planned float64, state dag.TaskState, a *dag.Attempt, copies bool, p int) {
	n := planned
	if !(n >= 0) {
		n = a.Total[p]
		if !(n >= 0) && state == dag.TaskDone && a.Done[p] > 0 {
			n = a.Done[p]
		}
	}
	if !(n >= 0) {
		z.unsized++
		z.share += doneShare(a, state, copies, p)
		return
	}
	z.sized++
	z.known.total += n
	switch {
	case state == dag.TaskDone:
		z.known.done += n
	case a.Done[p] > 0:
		z.known.done += min(a.Done[p], n)
	}
}

// doneShare returns the share of pipeline p that an attempt has done by the engine's own progress. The thirds of a
// reduce's progress are copy, sort and reduce.
func doneShare(a *dag.Attempt, state dag.TaskState, copies bool, p int) float64 {
	if state == dag.TaskDone {
		return 1
	}
	f := a.Ratio
	if copies {
		f = 3*f - float64(p)
	}
	if !(f > 0) {
		return 0
	}
	return min(f, 1)
}
