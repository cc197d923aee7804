package whatif

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// A Replay predicts by replaying the scheduler over the remaining tasks, with costs from the observed run. It is not
// safe for concurrent use.
type Replay struct {
	run   dag.Run
	now   *dag.Snapshot // completed by the model
	costs estimators.Costs
	past  Past          // the finished run, whose failures happen again; zero for other runs
	base  time.Duration // duration of the replay of a finished run
	lean  schedule.EndOnly
}

// NewReplay returns the predictor of a run, or of a plan that has not started.
func NewReplay(run dag.Run, model estimators.Model) *Replay {
	r := &Replay{run: run, now: run.Now(), costs: model(run)}
	if r.costs.Completed != nil {
		r.now = r.costs.Completed
	}
	return r
}

// clusterState returns the state after the change, without the change's failures.
func (r *Replay) clusterState(c Change) (*clusterState, error) {
	w, err := worldOf(r.now, r.costs.Left, c)
	if err == nil && len(r.past.Lost) > 0 && !c.Unfailing {
		w.fault = again(r.past.Lost)
	}
	return w, err
}

// Room returns how many tasks can run at once.
func (r *Replay) Room() Room { return roomOf(r.now) }

// Elapsed returns the time since the first submission, 0 before it.
func (r *Replay) Elapsed() time.Duration { return r.now.Elapsed() }

// Predict returns the end of the query under the change.
func (r *Replay) Predict(c Change) (Answer, error) {
	w, err := r.clusterState(c)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{}
	e, err := r.estimate(w, c, estimators.Scenarios()[0])
	if err != nil {
		return a, err
	}
	left := time.Duration(0)
	if e.Remaining != nil {
		left = *e.Remaining
	}
	for _, f := range c.Failures {
		failed, note, err := w.fail(f)
		if err != nil {
			return a, err
		}
		if a.Note != "" {
			note = a.Note + "; " + note
		}
		if a.Note = note; failed == nil {
			return a, nil
		}
		w = failed
	}
	if len(c.Failures) > 0 || w.fault != nil {
		s, err := w.end(&r.lean)
		if err != nil {
			return a, err
		}
		left = r.withLater(s.End.Sub(r.now.At))
	}
	others := c
	if others.Unfailing = !c.Unfailing; r.past.Struck && others.None() { // only the failures are removed
		left = min(left, r.past.Took) // failures cost the time that the run took beyond its replay without them
	} else {
		left = r.scaled(left)
	}
	if left == 0 && costless(e.Warnings) {
		e.Remaining = nil
	}
	if a.Remaining, a.Floor, a.AssumedRatio = &left, nil, e.AssumedRatio; e.Remaining == nil {
		a.Remaining, a.Floor, a.AssumedRatio = nil, e.Low, math.NaN()
	}
	a.Measured, a.Warnings = e.Measured, w.notes
	for _, said := range e.Warnings {
		a.Warnings = append(a.Warnings, dag.Warning{Code: WarnCosts, Text: said.Text})
	}
	return a, nil
}

// costless reports whether the costs or sizes of some remaining work are unknown. If that is all of the work, the
// replay takes no time, which is no valid answer.
func costless(warned []dag.Warning) bool {
	return slices.ContainsFunc(warned, func(w dag.Warning) bool {
		return w.Code == dag.WarnAssumedCost || w.Code == dag.WarnUnknownSize
	})
}

// estimate evaluates a scenario in the given state, without the failures of the change.
func (r *Replay) estimate(w *clusterState, c Change, s estimators.Scenario) (estimators.Estimate, error) {
	model := func(dag.Run) estimators.Costs { return r.costsIn(w, c) }
	return s.Of(estimators.NewReplayContext(r.run, model, estimators.Options{}))
}

// rangeTasks is the number of tasks above which ranges are too expensive.
const rangeTasks = 2000

// PredictRange returns Predict's answer with the range of 8 of 10 runs, from sampled states that are changed and
// replayed. It has no range if the model cannot be sampled, if there are too many tasks, or if the change has failures:
// a failure fixes a single state.
func (r *Replay) PredictRange(c Change) (Answer, error) {
	a, err := r.Predict(c)
	if err != nil || a.Remaining == nil && a.Floor == nil || len(c.Failures) > 0 {
		return a, err
	}
	w, err := r.clusterState(c)
	if err != nil {
		return a, err
	}
	tasks := 0
	for j := range w.s.Plan.Jobs {
		tasks += w.s.Plan.Jobs[j].Tasks()
	}
	if tasks > rangeTasks {
		return a, nil
	}
	e, err := r.estimate(w, c, estimators.Sampled())
	if err != nil || len(e.Distribution) == 0 {
		return a, err
	}
	low, high := e.Distribution.Range(0.8)
	low, high = r.scaled(low), r.scaled(high)
	if a.Low, a.High = &low, &high; a.Floor != nil && low < *a.Floor {
		a.Floor = &low // the work with known costs may take less
	}
	return a, nil
}

// End returns the duration of Predict without the other parts of the answer.
func (r *Replay) End(c Change) (time.Duration, error) {
	w, err := r.clusterState(c)
	if err != nil {
		return 0, err
	}
	s, err := w.end(&r.lean)
	if err != nil {
		return 0, err
	}
	return r.scaled(r.withLater(s.Remaining())), nil
}

// withLater adds the expected time of work that the engine has not announced to that of all known work.
func (r *Replay) withLater(known time.Duration) time.Duration {
	if r.costs.Later == nil || !r.now.Plan.Open {
		return known
	}
	later, _ := r.costs.Later(known)
	return known + later
}

// wanted returns how many slots the tasks of unfinished jobs would use at once: for maps and for reduces under FIFO,
// containers of YARN, or cores of executors.
func (r *Replay) wanted() (n [2]int) {
	plan := r.now.Plan
	for j := range plan.Jobs {
		switch job := &plan.Jobs[j]; {
		case r.now.Jobs[j].State.Ended():
		case plan.Cluster.Policy == dag.FIFO:
			n[0], n[1] = n[0]+job.Stages[dag.Map].Count(), n[1]+job.Stages[dag.Reduce].Count()
		case plan.Cluster.Policy == dag.Executors:
			n[0] += coresOf(plan, j)
		default:
			n[0] += job.Tasks()
		}
	}
	return n
}

// costsIn returns the model's costs after the change.
func (r *Replay) costsIn(w *clusterState, c Change) estimators.Costs {
	out := estimators.Costs{
		Left: w.left(), Completed: w.s, Warnings: r.costs.Warnings, AssumedRatio: r.costs.AssumedRatio,
		Measured: r.costs.Measured, Later: r.costs.Later,
	}
	out.Full = func(job int, k dag.StageIndex, i int) float64 { // of a task that starts alone
		return milliseconds(w.costs.of(schedule.Task{
			Job: job, Stage: k, Index: i, Slot: -1, Node: -1, Start: dag.NoInstant, Together: 1,
		}))
	}
	out.Rem = func(job int, k dag.StageIndex, i int) float64 {
		if i < w.costs.phases[job][k].was && r.costs.Rem(job, k, i) == 0 {
			return 0
		}
		of := dag.AttemptsOf(w.s.Jobs[job].Stages[k].Attempts, i)
		for at := range of {
			if of[at].State == dag.AttemptRunning {
				return milliseconds(w.costs.of(schedule.TaskOf(job, k, &of[at])))
			}
		}
		return out.Full(job, k, i)
	}
	if out.AssumedRatio == nil {
		out.AssumedRatio = func(*schedule.Schedule) float64 { return 0 }
	}
	if r.costs.Sampling != nil {
		out.Sampling = func() func(estimators.Draws) estimators.Drawn {
			return changedDraws(r.costs.Sampling(), c, w.fault)
		}
	}
	return out
}

func milliseconds(c schedule.Cost) float64 { return float64((c.Setup + c.Work) / time.Millisecond) }

// changedDraws draws samples from a model and applies the change to each. lost are the failures of the change.
func changedDraws(draw func(estimators.Draws) estimators.Drawn, change Change,
	lost schedule.Fault,
) func(estimators.Draws) estimators.Drawn {
	if draw == nil {
		return nil
	}
	return func(d estimators.Draws) estimators.Drawn {
		drawn := draw(d)
		w, err := worldOf(drawn.Snapshot, drawn.Left, change)
		if err != nil { // the change applied to the plan without an error, so ignore it for the sample
			return drawn
		}
		out := estimators.Drawn{Snapshot: w.s, Left: w.left(), Fault: drawn.Fault, Later: drawn.Later}
		if lost != nil {
			out.Fault = func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
				if at, ok := lost(t, start, end); ok || drawn.Fault == nil {
					return at, ok
				}
				return drawn.Fault(t, start, end)
			}
		}
		return out
	}
}
