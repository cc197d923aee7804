package paper

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// pipes is the number of pipelines of a MapReduce job: map, copy, sort, reduce.
const pipes = dag.Pipelines + 1

// pipesOf returns the number of pipelines that are kept for a job.
func pipesOf(job *dag.Job) int { return max(pipes, 1+dag.Pipelines*(len(job.Stages)-1)) }

// kindOf returns the type of pipeline i; the pipelines of later stages have the types of the second stage.
func kindOf(i int) int {
	if i < pipes {
		return i
	}
	return 1 + (i-1)%dag.Pipelines
}

// pipe numbers the pipelines of a job: 0 map, 1 copy, 2 sort, 3 reduce, and three more for each later stage.
func pipe(k dag.StageIndex, p int) int {
	if k == dag.Map {
		return 0
	}
	return 1 + dag.Pipelines*int(k-1) + p
}

// A Slowdown holds the factors s between observed and expected time per tuple (section 3.1.3), one a job and pipeline.
// The zero Slowdown is 1 everywhere.
type Slowdown struct {
	own  [][]float64    // of a job's pipeline; 0 if nothing was observed
	kind [pipes]float64 // of a pipeline's type over all jobs; 0 if nothing was observed
	all  float64        // of all pipelines together; 0 if nothing was observed
}

// At returns s for pipeline p of job's stage k, and whether it was measured on that very pipeline.
func (s Slowdown) At(job int, k dag.StageIndex, p int) (factor float64, own bool) {
	i := pipe(k, p)
	if job < len(s.own) && s.own[job][i] > 0 {
		return s.own[job][i], true
	}
	switch {
	case s.kind[kindOf(i)] > 0:
		return s.kind[kindOf(i)], false
	case s.all > 0:
		return s.all, false
	}
	return 1, false
}

// FixedSlowdown returns a given factor for each type of pipeline, in the order map, copy, sort, reduce.
func FixedSlowdown(byPipe [4]float64) func(dag.Run) Slowdown {
	return func(dag.Run) Slowdown { return Slowdown{kind: byPipe} }
}

// slowdownWindowMS is the length of the window in which factors are measured. slowdownSamples is the number of
// snapshots of the window that are read: enough to meet most tasks twice, few enough to cost nothing.
const (
	slowdownWindowMS = 60_000
	slowdownSamples  = 13
)

// minExpectedMS is the least expected work for a measured factor: ratios of tiny works are noise, and carried over
// they ruin every later job (facts/measured.md 3).
const minExpectedMS = 3_000

// ObservedSlowdown measures factors over the last minute of the run: observed over expected time. It only counts
// time in which a task was certainly inside the pipeline (0 < K < N at both ends of the interval), so stalled time
// after the last tuple does not count. A pipeline has its own factor, else that of its type over all jobs, else 1;
// factors are clipped to 0.1..10. Unlike in the paper, a type that was never seen takes the factor of all observed
// pipelines before 1: a slower cluster is slower for reduces too.
func ObservedSlowdown(run dag.Run) Slowdown {
	window := sampled(run, slowdownWindowMS, slowdownSamples)
	plan := run.Now().Plan
	s := Slowdown{own: make([][]float64, len(plan.Jobs))}
	var all [pipes]pace
	for j := range plan.Jobs {
		job := make([]pace, pipesOf(&plan.Jobs[j]))
		s.own[j] = make([]float64, len(job))
		for k := range plan.Jobs[j].NumStages() {
			for p, observed := range measure(window, j, k) {
				if i := pipe(k, p); i < len(job) {
					job[i].add(observed)
				}
			}
		}
		for i := range job {
			s.own[j][i] = job[i].factor()
			all[kindOf(i)].add(job[i])
		}
	}
	var every pace
	for i := range all {
		s.kind[i] = all[i].factor()
		every.add(all[i])
	}
	s.all = every.factor()
	return s
}

// A pace is observed and expected time.
type pace struct {
	observed, expected float64 // ms
	quantum            float64 // ms by which the expected time may be off: counters are whole tuples
}

func (p *pace) add(q pace) {
	p.observed += q.observed
	p.expected += q.expected
	p.quantum += q.quantum
}

// factor returns 0 if there is too little data. A deviation that counting whole tuples can explain gives 1.
func (p *pace) factor() float64 {
	if p.expected < minExpectedMS {
		return 0
	}
	if off := p.observed - p.expected; off <= p.quantum && -off <= p.quantum {
		return 1
	}
	return min(max(p.observed/p.expected, 0.1), 10)
}

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

// measure sums, for each pipeline of a stage, the time between the first and the last sample in which an attempt
// was certainly inside it, and the expected time of the tuples between them.
func measure(window []*dag.Snapshot, job int, k dag.StageIndex) (sum [dag.Pipelines]pace) {
	newest := window[len(window)-1]
	pls := newest.Plan.Jobs[job].Stages[k].Pipelines
	pls = pls[:min(len(pls), dag.Pipelines)]
	list := newest.Attempts(job, k)
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
			b = dag.FindAttempt(window[i].Attempts(job, k), a.Task, a.Number)
		}
		if b != nil && inside(b, pl, p) {
			return window[i], b
		}
	}
	return nil, nil
}

// inside reports whether a running attempt is certainly inside pipeline p: some of its tuples are done, and not
// all.
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

// inForm returns the scenario whose estimate is standard's, with the work of reduces predicted in one form. If the form
// has no data about any remaining reduce, the estimate has no time. NearestFit is by Coppa and Finocchi, "On data
// skewness, stragglers, and MapReduce progress indicators", SoCC 2015; the moving averages are in its section 7.1, the
// forms of one part of it are for the ablation in section 8.6.
func inForm(name, meaning string, f estimators.GroupForm) estimators.Scenario {
	return estimators.Scenario{Name: name, Meaning: meaning, Estimate: func(w *estimators.ReplayContext) (
		estimators.Estimate, error,
	) {
		if w.Now().State.Ended() {
			return w.EstimateOf(0), nil
		}
		var left schedule.Left
		if in := w.Costs.Groups.In; in != nil {
			left = in(f)
		}
		if left == nil {
			return estimators.Estimate{Progress: math.NaN()}, nil
		}
		end, err := w.End(left)
		if err != nil {
			return estimators.Estimate{}, err
		}
		e := w.EstimateOf(taskcost.MS(end.Sub(w.Now().At)))
		e.Origin = schedule.Observed
		return e, nil
	}}
}
