package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// standard replays the scheduler from the snapshot at each tick; the time remaining is the length of the critical
// path ("maximum overhead and accuracy", section 3.1.4; docs/facts/paratimer.md A4, P14). If no cost of the
// remaining work is known, the time is a floor.
func standard(w *ReplayContext) (Estimate, error) {
	if w.ended() {
		return w.EstimateOf(0), nil
	}
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	e := w.scenario(ms)
	e.Warnings = w.warnings()
	if factors := w.Costs.NodeFactors; factors != nil {
		e.Nodes = factors()
	}
	return w.supposing(0, e), nil
}

// standardMS returns the time remaining in milliseconds: the length of the critical path, which is the replay's
// (docs/facts/paratimer.md A3).
func (w *ReplayContext) standardMS() (float64, error) {
	if w.ended() {
		return 0, nil
	}
	path, err := w.Path()
	if err != nil {
		return 0, err
	}
	return float64(path.Schedule.End - path.Schedule.Now), nil
}

// scenario makes an Estimate from a time that rests on the replay.
func (w *ReplayContext) scenario(ms float64) Estimate {
	e := w.EstimateOf(ms)
	if w.ended() {
		return e
	}
	e.Path = w.path
	e.Origin, e.AssumedRatio = w.Trust()
	e.Measured = w.Costs.Measured
	return w.early(e)
}

// EstimateOfCosts makes an Estimate from a time in milliseconds that rests on the tasks' costs, but on no replay.
func (w *ReplayContext) EstimateOfCosts(ms float64) Estimate {
	e := w.EstimateOf(ms)
	if w.ended() {
		return e
	}
	e.Origin = w.leastSure(func(int, dag.StageIndex) bool { return true })
	return w.early(e)
}

// early turns an estimate into a floor if it comes too early, or covers only a part of the work.
func (w *ReplayContext) early(e Estimate) Estimate {
	open := w.Run.Now().Plan.Open
	if w.Unknown() || open && w.Costs.Later == nil {
		e.Low, e.Remaining, e.Progress = e.Remaining, nil, math.NaN()
		if w.Costs.AssumedRatio != nil { // start-ups and pauses that were never observed are no floor
			low := taskcost.Exact(taskcost.MS(*e.Low) * (1 - e.AssumedRatio))
			e.Low = &low
		}
		return e
	}
	if open && e.Remaining != nil {
		later, more := w.Costs.Later(*e.Remaining)
		f := w.EstimateOf(taskcost.MS(*e.Remaining + later))
		e.Low, e.Remaining, e.Progress, e.More = e.Remaining, f.Remaining, f.Progress, &more
	}
	return e
}

// bestGuess is the paper's best guess under data skew (section 4.4): every task has its own size, and tasks start
// in the expected order of the scheduler. This is the standard replay. Low and High are bounds over all other
// orders: the tighter lower bound and Algorithm 1's upper one.
func bestGuess(w *ReplayContext) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	e := w.scenario(ms)
	if w.Unknown() || w.ended() {
		return e, nil
	}
	b, err := w.skewBounds(true)
	if err != nil {
		return Estimate{}, err
	}
	low, high := taskcost.Exact(min(b.low, ms)), taskcost.Exact(max(b.high, ms))
	e.Low, e.High = &low, &high
	return e, nil
}

// alone removes every other application from now on. The limits of queues and users stay.
func alone(_ dag.Run, s *dag.Snapshot) { s.Load = nil }
