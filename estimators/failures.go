package estimators

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// failing replays the scheduler with one failure (section 3.2.1): the next attempt of the task that weighs most fails
// after ratio (0..1) of its time, or now if that instant is past. None fails if all weigh less than 0. Unlike
// worstFailures, which adds to the standard time, a failure off the critical path costs nothing.
func (w *ReplayContext) failing(
	ratio float64, weigh func(job int, k dag.StageIndex, g *TaskGroup) float64,
) (Estimate, error) {
	var worst TaskID
	most := -1.0
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		for g := range p.All() {
			if v := weigh(job, k, g); v > most {
				most, worst = v, TaskID{job, k, g.First}
			}
		}
	})
	if w.ended() || most < 0 {
		return standard(w)
	}
	happened := false
	fault := func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		if happened || (TaskID{t.Job, t.Stage, t.Index}) != worst {
			return dag.NoInstant, false
		}
		happened = true
		at := start + dag.Instant(ratio*float64(end-start))
		return min(max(at, w.Now().At), end), true
	}
	s, err := schedule.Replay(w.Now(), w.Costs.Left, schedule.Options{Fault: fault})
	if err != nil {
		return Estimate{}, err
	}
	path, err := pathfrag.Find(w.Now().Plan, s, w.tolerances(s))
	if err != nil {
		return Estimate{}, err
	}
	e := w.EstimateOfCosts(float64(s.End - s.Now))
	e.Path = path
	return w.supposing(1, e), nil
}

// failureHalfway lets the longest unfinished task, the first of them by plan order, fail after half its time.
func failureHalfway(w *ReplayContext) (Estimate, error) {
	return w.failing(0.5, func(_ int, _ dag.StageIndex, g *TaskGroup) float64 { return g.Full })
}

// failureNow lets the running task that has run longest fail at this instant.
func failureNow(w *ReplayContext) (Estimate, error) {
	return w.failing(0, func(job int, k dag.StageIndex, g *TaskGroup) float64 {
		if !g.Running {
			return -1
		}
		_, a := dag.StateOf(dag.AttemptsOf(w.Now().Attempts(job, k), g.First))
		if a == nil || !a.Start.Known() {
			return -1
		}
		return float64(w.Now().At - a.Start)
	})
}

// averageFailure adds the mean full duration of the unfinished tasks to the standard time.
func averageFailure(w *ReplayContext) (Estimate, error) {
	sum, n := 0.0, 0
	w.EachStage(func(_ int, _ dag.StageIndex, p *StageLeft) {
		for g := range p.All() {
			sum += g.Full * float64(g.Count)
			n += g.Count
		}
	})
	return w.adding(1, sum/float64(max(n, 1)))
}

// adding adds the time that n failures take to the standard time.
func (w *ReplayContext) adding(n int, more float64) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	return w.supposing(n, w.scenario(ms+more)), nil
}

// worstFailures is the pessimistic scenario (section 3.2.1, facts/paratimer.md P17): n failures of the longest
// unfinished task, each right before the task finishes, when all its work is lost. Each adds the task's full
// duration, whether it runs or not. n is at most 3: Hadoop tries a task 4 times before the job fails
// (mapreduce.map.maxattempts).
func worstFailures(n int) func(*ReplayContext) (Estimate, error) {
	return func(w *ReplayContext) (Estimate, error) { return w.adding(n, float64(n)*w.longest()) }
}

// longest returns the full duration of the longest unfinished task, 0 if there is none.
func (w *ReplayContext) longest() (most float64) {
	w.EachStage(func(_ int, _ dag.StageIndex, p *StageLeft) {
		for g := range p.All() {
			most = max(most, g.Full)
		}
	})
	return most
}

// failureUntilProven is the paper's FailureEstimate (section 4.3): it expects a worst failure until one has been
// seen, and then none for the rest of that job's pipeline.
func failureUntilProven(w *ReplayContext) (Estimate, error) {
	if w.hold() {
		return w.adding(0, 0)
	}
	return w.adding(1, w.longest())
}

// hold reports whether an unfinished stage of some job has a failed attempt (facts/paratimer.md P18). It
// follows from the snapshot's list of failures alone.
func (w *ReplayContext) hold() bool {
	held := false
	w.EachStage(func(_ int, _ dag.StageIndex, p *StageLeft) {
		held = held || p.Failed && p.Unfinished() > 0
	})
	return held
}

// A FailureLaw is the rate at which attempts fail: a Poisson process with a rate that is drawn once a replay. The
// rate has the posterior of Jeffreys' prior, Gamma(1/2, ·), given the failures of this run and the time that its
// attempts have used slots. The prior weighs as much as failureTasks mean tasks without a failure. If the plan
// gives a rate (Cluster.FailRate), or else a profile does, the prior is that of givenFailures failures at that
// rate.
type FailureLaw struct {
	shape float64
	ms    float64
}

const (
	failureTasks  = 300
	givenFailures = 10
)

// NewFailureLaw reads the failures of a snapshot; mean is the mean time of a task, in milliseconds.
func NewFailureLaw(s *dag.Snapshot, mean float64) FailureLaw {
	l := FailureLaw{shape: 0.5, ms: failureTasks * max(mean, 1)}
	if rate := givenRate(s); rate > 0 {
		l = FailureLaw{shape: givenFailures, ms: givenFailures * taskcost.MS(time.Hour) / rate}
	}
	for j := range s.Jobs {
		for _, a := range s.Jobs[j].All() {
			if a.State == dag.AttemptFailed {
				l.shape++
			}
			if end := min(s.At, dag.FirstKnown(a.End, s.At)); a.Start.Known() && a.State != dag.AttemptWaiting &&
				end > a.Start {
				l.ms += float64(end - a.Start)
			}
		}
	}
	return l
}

// givenRate returns the failures per hour of task time, from the plan or the first profile that has it; 0: unknown.
func givenRate(s *dag.Snapshot) float64 {
	rate := s.Plan.Cluster.FailRate
	for i := 0; i < len(s.Profiles) && rate == 0; i++ {
		rate = s.Profiles[i].Cluster.FailRate
	}
	return min(rate, dag.MaxFailRate)
}

// Fault makes attempts fail in a replay from now on. A running attempt has survived until now.
func (l FailureLaw) Fault(d Draws, now dag.Instant) schedule.Fault {
	rate := gammaQuantile(d.Common(ForFaults, 0, 0), l.shape) / l.ms
	if !(rate > 0) {
		return nil
	}
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		start = max(start, now)
		u := d.Task(ForFailure, t.Job, t.Stage, t.Index, t.Attempt)
		if u >= rate*float64(end-start) { // -ln(1-u) is not less than u
			return 0, false
		}
		at := -math.Log1p(-u) / rate
		if at >= float64(end-start) {
			return 0, false
		}
		return start + dag.Instant(at), true
	}
}

// gammaQuantile returns the quantile of order u of the Gamma distribution with rate 1: Wilson and Hilferty's cube
// (PNAS 1931) for shapes from 1 on. For the shape 1/2 it is half the square of a normal number.
func gammaQuantile(u, shape float64) float64 {
	if shape == 0.5 {
		z := Normal((1 + u) / 2)
		return z * z / 2
	}
	c := 1 / (9 * shape)
	z := 1 - c + Normal(u)*math.Sqrt(c)
	return shape * max(0, z*z*z)
}

// Probability returns the probability that exactly n attempts fail while tasks use slots for ms milliseconds in
// total. It is a negative binomial distribution: that of a Poisson process with a rate drawn from a Gamma
// distribution.
func (l FailureLaw) Probability(n int, ms float64) float64 {
	share := ms / (l.ms + ms)
	p := math.Pow(1-share, l.shape)
	for k := range n {
		p *= (l.shape + float64(k)) / float64(k+1) * share
	}
	return p
}

// supposing gives an estimate the probability that exactly n attempts fail from now on, as its scenario assumes
// (section 3). It uses the failure law of the sampled range over the remaining work of all tasks, without repeated
// work. If a job's number of tasks or a stage's cost is unknown, the probability stays nil.
func (w *ReplayContext) supposing(n int, e Estimate) Estimate {
	if w.ended() {
		return e
	}
	left, full, tasks, known := 0.0, 0.0, 0, true
	w.EachStage(func(job int, _ dag.StageIndex, p *StageLeft) {
		known = known && (p.Known || w.Now().JobEnded(job)) && !p.unseen()
		for g := range p.All() {
			left += g.Rem * float64(g.Count)
			full += g.Full * float64(g.Count)
			tasks += g.Count
		}
	})
	if known {
		p := NewFailureLaw(w.Now(), full/float64(max(tasks, 1))).Probability(n, left)
		e.Probability = &p
	}
	return e
}
