package estimators

import "github.com/paratimer/paratimer/dag"

// pipes is how many pipelines a MapReduce job has: map, copy, sort, reduce.
const pipes = 1 + dag.Pipelines

// pipesOf is how many pipelines are kept for a job.
func pipesOf(job *dag.Job) int { return max(pipes, 1+dag.Pipelines*(len(job.Stages)-1)) }

// kindOf is the type of pipeline i: of a later stage that of the second one.
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
	own  [][]float64    // of a job's pipeline; 0 where nothing was observed
	kind [pipes]float64 // of a pipeline's type over all jobs; 0 where nothing was observed
	all  float64        // of all pipelines together; 0 where nothing was observed
}

// At returns s for pipeline p of job's phase k, and whether it was measured on that very pipeline.
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

// FixedSlowdown is a given factor for each type of pipeline, in the order map, copy, sort, reduce.
func FixedSlowdown(byPipe [4]float64) func(dag.Run) Slowdown {
	return func(dag.Run) Slowdown { return Slowdown{kind: byPipe} }
}

// slowdownWindowMS is how far back factors are measured, and slowdownSamples how many snapshots of that time are
// looked at: enough to meet most tasks twice, few enough to cost nothing.
const (
	slowdownWindowMS = 60_000
	slowdownSamples  = 13
)

// minExpectedMS is the least expected work that a factor is taken from: ratios of tiny works are noise, and carried
// over they ruin every later job (docs/facts/measured.md 3).
const minExpectedMS = 3_000

// ObservedSlowdown measures factors over the last minute of the run: observed over expected time, counted only while a
// task was certainly inside the pipeline (0 < K < N at both ends of the interval), so stalled time after the last tuple
// does not count. A pipeline has its own factor, else that of its type over all jobs, else 1; factors are clipped to
// 0.1..10. Other than in the paper, a type that nobody has seen takes the factor of all that was seen, before 1: a
// slower cluster is slower for reduces too.
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

// A pace is observed against expected time.
type pace struct {
	observed, expected float64 // ms
	quantum            float64 // ms by which the expected time may be off: counters are whole tuples
}

func (p *pace) add(q pace) {
	p.observed += q.observed
	p.expected += q.expected
	p.quantum += q.quantum
}

// factor is 0 where there is too little to say. A factor that whole tuples alone could make is 1.
func (p *pace) factor() float64 {
	if p.expected < minExpectedMS {
		return 0
	}
	if off := p.observed - p.expected; off <= p.quantum && -off <= p.quantum {
		return 1
	}
	return min(max(p.observed/p.expected, 0.1), 10)
}
