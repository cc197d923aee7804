package estimators

import "github.com/paratimer/paratimer/dag"

// sampled returns at most n snapshots of the run's last ms milliseconds, oldest first, the newest among them.
func sampled(run dag.Run, ms int64, n int) []*dag.Snapshot {
	from, limit := 0, run.Now().At-dag.Instant(ms)
	for from < len(run.Window)-1 && run.Window[from].At < limit {
		from++
	}
	window := run.Window[from:]
	if len(window) <= n {
		return window
	}
	thin := make([]*dag.Snapshot, n)
	for i := range thin {
		thin[i] = window[i*(len(window)-1)/(n-1)]
	}
	return thin
}

// measure adds up, for each pipeline of a phase, the time between the first and the last sample in which an attempt was
// certainly inside it, and the time that the tuples between them should have taken.
func measure(window []*dag.Snapshot, job int, k dag.StageIndex) (sum [dag.Pipelines]pace) {
	newest := window[len(window)-1]
	pls := newest.Plan.Jobs[job].Stages[k].Pipelines
	pls = pls[:min(len(pls), dag.Pipelines)]
	list := attempts(newest, job, k)
	for i := range list {
		a := &list[i]
		if a.State == dag.AttemptWaiting || a.State != dag.AttemptRunning && a.End <= window[0].At {
			continue
		}
		for p := range pls {
			from, first := sample(window, job, k, a, pls[p], p, 1)
			to, last := sample(window, job, k, a, pls[p], p, -1)
			if first == nil || from.At >= to.At || last.Done[p] < first.Done[p] {
				continue
			}
			alpha := pls[p].Alpha.At(int(a.Task))
			if ms := alpha * (last.Done[p] - first.Done[p]); ms >= 0 {
				sum[p].add(pace{float64(to.At - from.At), ms, alpha})
			}
		}
	}
	return sum
}

// sample returns the first (step 1) or the last (step -1) snapshot in which attempt a was inside pipeline p, and the
// attempt as it was then.
func sample(window []*dag.Snapshot, job int, k dag.StageIndex, a *dag.Attempt, pl dag.Pipeline, p,
	step int,
) (*dag.Snapshot, *dag.Attempt) {
	i := 0
	if step < 0 {
		i = len(window) - 1
	}
	for ; i >= 0 && i < len(window); i += step {
		b := a
		if i < len(window)-1 {
			b = find(attempts(window[i], job, k), a.Task, a.Number)
		}
		if b != nil && inside(b, pl, p) {
			return window[i], b
		}
	}
	return nil, nil
}

// inside says whether a running attempt is certainly inside pipeline p: some of its tuples are done, and not all.
func inside(a *dag.Attempt, pl dag.Pipeline, p int) bool {
	if a.State != dag.AttemptRunning || !(a.Done[p] > 0) {
		return false
	}
	n := pl.Tuples.At(int(a.Task))
	if !(n > 0) {
		n = a.Total[p]
	}
	return a.Done[p] < n
}
