package paper

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// parallaxAggregate is parallax at the speed of the whole cluster. Each kind of task has one factor, also for
// stages to come: C slots times the time that tasks of that kind worked in the last minute, over the work that they
// did. The width of a stage of n tasks is n / ceil(n/C) throughout. Only this reading gives the paper's published
// figures (docs/facts/paratimer.md A5, P15): a lone last map makes the cluster look C times slower.
func parallaxAggregate(w *estimators.ReplayContext) (estimators.Estimate, error) {
	factor := aggregateSlowdown(w)
	return sumStages(w, func(job int, k dag.StageIndex, p *estimators.StageLeft) float64 {
		c := estimators.Slots(w.Now().Plan, job, k)
		rounds := (p.Tasks + c - 1) / c
		work, setup := workAndSetup(p)
		return factor[k]*work*float64(rounds)/float64(p.Tasks) + setup*float64((p.Pending+c-1)/c)
	})
}

// aggregateSlowdown returns C x elapsed / (expected time of the work done) for each stage index (maps, reduces); 1
// if too little work was done.
func aggregateSlowdown(w *estimators.ReplayContext) []float64 {
	window := sampled(w.Run, slowdownWindowMS, slowdownSamples)
	stages := dag.StageIndex(dag.MapReduceStages)
	for j := range w.Now().Plan.Jobs {
		stages = max(stages, w.Now().Plan.Jobs[j].NumStages())
	}
	factor := slices.Repeat([]float64{1}, int(stages))
	for k := range stages {
		done := make([]float64, len(window)) // expected time of the work done by each snapshot, ms
		width := 1
		for j := range w.Now().Plan.Jobs {
			if k >= w.Now().Plan.Jobs[j].NumStages() {
				continue
			}
			if n := workDone(w, window, j, k, done); n > 0 {
				width = max(width, estimators.Slots(w.Now().Plan, j, k))
			}
		}
		var elapsed, work float64
		for i := 1; i < len(window); i++ {
			// The interval in which tasks begin to work contains some set-up.
			if done[i] > done[i-1] && (i == 1 || done[i-1] > done[i-2]) {
				elapsed += float64(window[i].At - window[i-1].At)
				work += done[i] - done[i-1]
			}
		}
		// A lone task at full speed gives C; a greater value comes from the interval in which the last task ended.
		if work >= minExpectedMS && elapsed > 0 {
			factor[k] = min(float64(width)*elapsed/work, float64(width))
		}
	}
	return factor
}

// workDone adds to done the work that a stage had completed by each snapshot, and returns the work during the
// window.
func workDone(w *estimators.ReplayContext, window []*dag.Snapshot, job int, k dag.StageIndex, done []float64) float64 {
	planned := &w.Now().Plan.Jobs[job].Stages[k]
	all := w.NotStarted(job, k)
	var first, last float64
	var before []dag.Attempt
	for i, s := range window {
		list := s.Attempts(job, k)
		if i == 0 || !sameSlice(before, list) {
			last = workOf(all, planned, k, list)
		}
		if i == 0 {
			first = last
		}
		before = list
		done[i] += last
	}
	return last - first
}

// sameSlice reports whether two snapshots share one list.
func sameSlice(a, b []dag.Attempt) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// workOf sums the completed work of the attempts; p is the stage as if nothing had run.
func workOf(p *estimators.StageLeft, planned *dag.Stage, k dag.StageIndex, list []dag.Attempt) float64 {
	sum := 0.0
	dag.EachTask(list, func(task int, state dag.TaskState, a *dag.Attempt) {
		switch g, ok := p.At(task); {
		case ok && state == dag.TaskDone:
			sum += g.Work()
		case ok && state == dag.TaskRunning:
			sum += g.Work() * workShare(planned, task, a, k)
		}
	})
	return sum
}

// workShare returns the share of a task's work that an attempt has done: by time if the plan has sizes and costs,
// else by progress.
func workShare(planned *dag.Stage, task int, a *dag.Attempt, k dag.StageIndex) float64 {
	var done, all float64
	for p := range min(pipelinesOf(planned), len(planned.Pipelines)) {
		alpha, n := planned.Pipelines[p].Alpha.At(task), planned.Pipelines[p].Tuples.At(task)
		done += alpha * max(0, min(a.Done[p], n))
		all += alpha * n
	}
	if all > 0 && done >= 0 {
		return min(done/all, 1)
	}
	return progressOf(planned, task, a)
}
