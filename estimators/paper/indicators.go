// Package paper has the costs of the ParaTimer paper, and the estimators that ParaTimer is compared with: the paper's
// static tracking, Parallax, the bars of engines, indicators of databases, and NearestFit's forms.
//
// [Model] makes the costs; package estimators replays them. [Others] are the estimators.
//
// # Stability
//
// Young: names may change in a minor version (CONTRIBUTING.md).
package paper

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// Others returns scenarios for comparison: the paper's static tracking and its cheap variants, more failures, and
// other indicators.
func Others() []estimators.Scenario {
	return slices.Concat([]estimators.Scenario{
		{
			Name:     "standard_static",
			Meaning:  "the critical path of the last plan, made at the start and at each failure, is tracked",
			Estimate: standardStatic(trackAll),
		},
		{
			Name:     "standard_static_thread",
			Meaning:  "as standard_static, but one slot's tasks of each path fragment are tracked",
			Estimate: standardStatic(trackThread),
		},
		{
			Name: "standard_static_subset", Meaning: "as standard_static, but few tasks of each round are tracked",
			Estimate: standardStatic(trackSubset),
		},
	}, estimators.Variants(), []estimators.Scenario{
		{
			Name: "parallax", Meaning: "jobs one after another, at the average width of what is left (Parallax)",
			Estimate: parallax,
		},
		{Name: "parallax_rounds", Meaning: "as parallax, round by round", Estimate: parallaxRounds},
		{
			Name: "parallax_aggregate", Meaning: "as parallax, at the cluster's speed in the last minute",
			Estimate: parallaxAggregate,
		},
		{Name: "pig", Meaning: "Pig's own percentage", Estimate: pig},
		{Name: "hadoop", Meaning: "Hadoop's own percentages, averaged over tasks", Estimate: hadoop},
		{Name: "dne", Meaning: "the share of input tuples read (driver node)", Estimate: dne},
		{Name: "gnm", Meaning: "the share of getnext calls made", Estimate: gnm},
		{Name: "luo", Meaning: "what is left at the speed of the last ten seconds (Luo)", Estimate: luo},
		inForm("nearestfit", "reduces by their key groups, every key known (NearestFit)", estimators.FormTheory),
		inForm("nearestfit_stream",
			"reduces by their key groups, the largest keys known (NearestFit's streaming form)", estimators.FormStream),
		inForm("job_ratio", "reduces by their job's time for a byte", estimators.FormJobRatio),
		inForm("task_ratio", "reduces by their own time for a byte", estimators.FormTaskRatio),
		inForm("job_ratio_ewma",
			"as job_ratio, the newest minute of work weighing most", estimators.FormJobRatioSmoothed),
		inForm("task_ratio_ewma",
			"as task_ratio, the newest minute of work weighing most", estimators.FormTaskRatioSmoothed),
		inForm("nearestfit_fit_only", "as nearestfit, by its fitted curves alone", estimators.FormFitOnly),
		inForm("nearestfit_neighbours_only",
			"as nearestfit, by its nearest neighbours alone", estimators.FormNeighboursOnly),
	})
}

// dne is the driver node estimator (Chaudhuri et al., SIGMOD 2004) as in the paper's comparison: the share of the
// tuples that all four pipelines of all jobs read, sum K / sum N (facts/paratimer.md A5, A10).
func dne(w *estimators.ReplayContext) (estimators.Estimate, error) { return tuples(w, 1), nil }

// tuples returns the share of tuples done, with those of maps counted weight times.
func tuples(w *estimators.ReplayContext, weight float64) estimators.Estimate {
	return w.EstimateOfRatio(total(amounts(w.Run.Now()), weight).ratio())
}

func total(jobs [][]amount, weight float64) amount {
	var sum amount
	for _, job := range jobs {
		for i, a := range job {
			if i == 0 {
				a = amount{a.done * weight, a.total * weight}
			}
			sum.add(a)
		}
	}
	return sum
}

// gnm is the total getnext model (Chaudhuri et al., SIGMOD 2004): dne, but every operator counts. The map pipeline
// has three (record reader, map runner, combine), so its tuples count three times (facts/paratimer.md A5,
// A10).
func gnm(w *estimators.ReplayContext) (estimators.Estimate, error) { return tuples(w, 3), nil }

// luoWindowMS is the length of time over which Luo's speed is measured.
const luoWindowMS = 10_000

// luo is Luo et al.'s indicator (SIGMOD 2004) as in the paper's comparison: the remaining tuples at the speed of
// the last ten seconds, one byte a tuple (facts/paratimer.md A5, A10).
func luo(w *estimators.ReplayContext) (estimators.Estimate, error) {
	now, before := w.Run.Now(), w.Run.Before(luoWindowMS)
	sum := total(amounts(now), 1)
	ms := luoLeft(sum.done, sum.total, total(amounts(before), 1).done, float64(now.At-before.At), w.ElapsedMS())
	if math.IsNaN(ms) && !w.Now().State.Ended() {
		return w.EstimateOfRatio(math.NaN()), nil
	}
	return w.EstimateOf(ms), nil
}

// luoLeft returns the milliseconds remaining when done of total units are done now and were doneBefore windowMS
// earlier. If nothing moved in that time, the speed since the start, elapsedMS ago, counts; NaN if nothing was ever
// done.
func luoLeft(done, total, doneBefore, windowMS, elapsedMS float64) float64 {
	left := total - done
	switch {
	case left <= 0 && total > 0:
		return 0
	case done > doneBefore && windowMS > 0:
		return left * windowMS / (done - doneBefore)
	case done > 0 && elapsedMS > 0:
		return left * elapsedMS / done
	}
	return math.NaN()
}

// parallax is Parallax (Morton et al., ICDE 2010) as in the ParaTimer paper's comparison: jobs and stages strictly
// one after another, each at the average width n / ceil(n/C) of its n unfinished tasks, with the cost model's own
// slowdown (facts/paratimer.md A10, P15: parallax_avg_ms). Set-up counts once a round of pending tasks, and
// not for running tasks.
func parallax(w *estimators.ReplayContext) (estimators.Estimate, error) {
	return sumStages(w, func(job int, k dag.StageIndex, p *estimators.StageLeft) float64 {
		c := estimators.Slots(w.Now().Plan, job, k)
		n := p.Unfinished()
		rounds := (n + c - 1) / c
		work, setup := workAndSetup(p)
		return work*float64(rounds)/float64(n) + setup*float64((p.Pending+c-1)/c)
	})
}

// parallaxRounds packs the unfinished tasks of a stage into rounds of C, running ones first, and adds up the mean
// remaining time of each round (facts/paratimer.md A10: parallax_rounds_ms).
func parallaxRounds(w *estimators.ReplayContext) (estimators.Estimate, error) {
	return sumStages(w, func(job int, k dag.StageIndex, p *estimators.StageLeft) float64 {
		pack := packing{width: estimators.Slots(w.Now().Plan, job, k)}
		for _, running := range []bool{true, false} {
			for g := range p.All() {
				if g.Running == running {
					pack.add(g)
				}
			}
		}
		pack.close()
		return pack.sum
	})
}

// sumStages sums remaining over the stages that have unfinished tasks.
func sumStages(w *estimators.ReplayContext,
	remaining func(job int, k dag.StageIndex, p *estimators.StageLeft) float64,
) (estimators.Estimate, error) {
	sum := 0.0
	w.EachStage(func(job int, k dag.StageIndex, p *estimators.StageLeft) {
		if p.Unfinished() > 0 {
			sum += remaining(job, k, p)
		}
	})
	return w.EstimateOfCosts(sum), nil
}

// workAndSetup returns the remaining work of all unfinished tasks without set-up, and the mean set-up of a pending
// task.
func workAndSetup(p *estimators.StageLeft) (work, setup float64) {
	for g := range p.All() {
		work += g.Work() * float64(g.Count)
		if !g.Running {
			setup += g.Setup * float64(g.Count)
		}
	}
	if p.Pending > 0 {
		setup /= float64(p.Pending)
	}
	return work, setup
}

// A packing fills rounds of a fixed width with tasks, and sums the means of the rounds.
type packing struct {
	width, n  int
	left, sum float64
}

func (p *packing) add(g *estimators.TaskGroup) {
	ms := g.Rem
	if g.Running {
		ms = g.Work()
	}
	for count := g.Count; count > 0; {
		if p.n == 0 && count >= p.width {
			// Whole rounds of equal tasks: their mean is the task.
			p.sum += ms * float64(count/p.width)
			count %= p.width
			continue
		}
		m := min(count, p.width-p.n)
		p.left += ms * float64(m)
		p.n += m
		count -= m
		if p.n == p.width {
			p.close()
		}
	}
}

func (p *packing) close() {
	if p.n > 0 {
		p.sum += p.left / float64(p.n)
	}
	p.left, p.n = 0, 0
}

// parallaxAggregate is parallax at the speed of the whole cluster. Each kind of task has one factor, also for
// stages to come: C slots times the time that tasks of that kind worked in the last minute, over the work that they
// did. The width of a stage of n tasks is n / ceil(n/C) throughout. Only this reading gives the paper's published
// figures (facts/paratimer.md A5, P15): a lone last map makes the cluster look C times slower.
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
		if i == 0 || !dag.SameAttempts(before, list) {
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
