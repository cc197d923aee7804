package paper

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// Model is the paper's cost model (section 3.1.3): a pipeline of N tuples takes s alpha N. N and alpha come from
// the plan, K (the tuples done) from the running attempts and the slowdown factor s from slow. Set-up is the
// cluster's and is never scaled. If the plan has no N, an attempt's own total replaces it; without alpha the cost
// is unknown.
func Model(slow func(dag.Run) Slowdown) estimators.Model {
	return func(run dag.Run) estimators.Costs { return newPaperCosts(run.Now(), slow(run)) }
}

type paperCosts struct {
	at     dag.Instant
	setup  float64 // ms
	whole  time.Duration
	phases [][]paperPhase // by job and stage
}

type paperPhase struct {
	n        int
	attempts []dag.Attempt
	pipes    []paperPipe
	// The costs of pending tasks, computed once, because the replay and the scenarios read each of them. A uniform
	// stage has one entry.
	uniform bool
	pending []paperTask
}

// A paperTask is the cost of a pending task without set-up.
type paperTask struct {
	work float64 // ms
	// ms; each pipeline rounded by itself, so that pipeline boundaries are whole too (facts/paratimer.md A1)
	rounded int64
	origin  schedule.Origin
}

type paperPipe struct {
	tuples, alpha dag.Series
	slow          float64
	origin        schedule.Origin
}

func newPaperCosts(s *dag.Snapshot, slow Slowdown) estimators.Costs {
	c := &paperCosts{
		at: s.At, setup: taskcost.Finite(taskcost.MS(s.Plan.Cluster.Setup)),
		phases: dag.ByStage[paperPhase](s.Plan),
	}
	c.whole = taskcost.Duration(c.setup)
	for j := range s.Plan.Jobs {
		for k := range s.Plan.Jobs[j].NumStages() {
			from, to := &s.Plan.Jobs[j].Stages[k], &c.phases[j][k]
			to.n = from.Count()
			to.attempts = s.Attempts(j, k)
			for p, pipe := range from.Pipelines[:min(len(from.Pipelines), dag.Pipelines)] {
				factor, own := slow.At(j, k, p)
				to.pipes = append(to.pipes, paperPipe{pipe.Tuples, pipe.Alpha, factor, schedule.Profiled})
				if own {
					to.pipes[p].origin = schedule.Observed
				}
			}
			if j >= len(s.Jobs) || !s.Jobs[j].State.Ended() {
				to.price()
			}
		}
	}
	return estimators.Costs{Left: c.left, Full: c.full, Rem: c.rem}
}

// price computes the costs of pending tasks.
func (pp *paperPhase) price() {
	n := 1
	if pp.uniform = pp.same(0) >= pp.n; !pp.uniform {
		for _, pipe := range pp.pipes {
			n = max(n, len(pipe.tuples.Values()), len(pipe.alpha.Values()))
		}
		n = min(n, pp.n) // tasks beyond all lists are unknown
	}
	pp.pending = make([]paperTask, n)
	for i := range pp.pending {
		pp.pending[i] = pp.sum(i, nil)
	}
}

// sum returns the remaining cost of task i with the least sure origin of its pipelines; a is nil for a task that does
// not run. A stage without pipelines is unknown.
func (pp *paperPhase) sum(i int, a *dag.Attempt) (t paperTask) {
	if len(pp.pipes) == 0 {
		t.origin = schedule.Unknown
	}
	for p := range pp.pipes {
		ms, known := pp.left(p, i, a)
		t.work += ms
		t.rounded += int64(ms + 0.5)
		if t.origin = max(t.origin, pp.pipes[p].origin); !known {
			t.origin = schedule.Unknown
		}
	}
	t.work = taskcost.Finite(t.work)
	return t
}

// task returns the cost of task i while it is pending.
func (pp *paperPhase) task(i int) *paperTask {
	switch {
	case pp.uniform:
		return &pp.pending[0]
	case i < len(pp.pending):
		return &pp.pending[i]
	}
	return &paperTask{origin: schedule.Unknown}
}

// same returns the number of tasks from i on that have the sizes and costs of task i.
func (p *paperPhase) same(i int) int {
	n := max(1, p.n-i)
	for _, pipe := range p.pipes {
		n = min(n, pipe.tuples.Same(i, p.n), pipe.alpha.Same(i, p.n))
	}
	return max(1, n)
}

// left returns s alpha (N - K) of pipeline p of task i, in milliseconds; a is nil for a task that does not run.
func (pp *paperPhase) left(p, i int, a *dag.Attempt) (ms float64, known bool) {
	pipe := &pp.pipes[p]
	n := pipe.tuples.At(i)
	if a != nil {
		if math.IsNaN(n) {
			n = a.Total[p]
		}
		if a.Done[p] > 0 {
			n -= a.Done[p]
		}
	}
	if n <= 0 {
		return 0, true
	}
	ms = pipe.slow * pipe.alpha.At(i) * n
	return taskcost.Finite(ms), !math.IsNaN(ms)
}

func (c *paperCosts) full(job int, k dag.StageIndex, i int) float64 {
	return taskcost.Finite(c.setup + c.phases[job][k].task(i).work)
}

func (c *paperCosts) rem(job int, k dag.StageIndex, i int) float64 {
	p := &c.phases[job][k]
	switch state, a := dag.StateOf(dag.AttemptsOf(p.attempts, i)); state {
	case dag.TaskDone:
		return 0
	case dag.TaskRunning:
		return taskcost.Finite(c.setupLeft(a) + p.sum(i, a).work)
	}
	return c.full(job, k, i)
}

// setupLeft returns the rest of the set-up while no tuple has been processed (facts/paratimer.md P5).
func (c *paperCosts) setupLeft(a *dag.Attempt) float64 {
	for _, k := range a.Done {
		if k > 0 {
			return 0
		}
	}
	if !a.Start.Known() {
		return c.setup
	}
	return taskcost.Finite(c.setup - float64(c.at-a.Start))
}

func (c *paperCosts) left(t schedule.Task) schedule.Cost {
	p := &c.phases[t.Job][t.Stage]
	if t.Running != nil {
		left := p.sum(t.Index, t.Running)
		return schedule.Cost{
			Setup: taskcost.Duration(c.setupLeft(t.Running)), Work: taskcost.Duration(left.work),
			Origin: left.origin, Same: 1,
		}
	}
	task := p.task(t.Index)
	cost := schedule.Cost{
		Setup: c.whole, Work: time.Duration(task.rounded) * time.Millisecond, Origin: task.origin, Same: 1,
	}
	if p.uniform || t.Index >= len(p.pending) {
		cost.Same = max(1, p.n-t.Index)
	}
	return cost
}

// An amount is a number of tuples that are done, and the total.
type amount struct{ done, total float64 }

func (a *amount) add(b amount) {
	a.done += b.done
	a.total += b.total
}

// ratio returns done/total, NaN if the total is not positive.
func (a amount) ratio() float64 {
	if !(a.total > 0) {
		return math.NaN()
	}
	return a.done / a.total
}

// amounts returns, for each job's pipelines (map, copy, sort, reduce), the tuples done and in total: K and N of
// facts/paratimer.md A10.
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
	known   amount  // tuples of the tasks with a known size
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
