package whatif

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// A Replay predicts by replaying the scheduler over the tasks that are left, from what a run has shown. It is not safe
// for concurrent use.
type Replay struct {
	run   dag.Run
	now   *dag.Snapshot // completed by the model
	costs estimators.Costs
	lost  []Lost        // of a finished run: it fails again
	took  time.Duration // by a finished run, 0 of others
	base  time.Duration // the replay of a finished run
	// struck is that an attempt of a finished run failed, or that it lost a node.
	struck bool
	// others is the most memory in MB that other applications held at once during a finished run.
	others int
	lean   schedule.EndOnly
}

// NewReplay is the predictor of a run, or of a plan of which nothing has run.
func NewReplay(run dag.Run, model estimators.Model) *Replay {
	r := &Replay{run: run, now: run.Now(), costs: model(run)}
	if r.costs.Completed != nil {
		r.now = r.costs.Completed
	}
	return r
}

// clusterState applies a change but for its failures.
func (r *Replay) clusterState(c Change) (*clusterState, error) {
	w, err := worldOf(r.now, r.costs.Left, c)
	if err == nil && len(r.lost) > 0 && !c.Unfailing {
		w.fault = again(r.lost)
	}
	return w, err
}

// Room is how many tasks can run at once.
func (r *Replay) Room() Room { return RoomOf(r.now) }

// Plan is what is to run, completed by the cost model. Do not modify it.
func (r *Replay) Plan() *dag.Plan { return r.now.Plan }

// Nodes is how many machines the cluster has, 0 where that is not known.
func (r *Replay) Nodes() int {
	c := &r.now.Plan.Cluster
	if c.Policy == dag.FIFO && c.SlotsPerNode > 0 {
		return (max(c.MapSlots, c.ReduceSlots) + c.SlotsPerNode - 1) / c.SlotsPerNode
	}
	if n := len(r.now.Nodes); n > 0 {
		return n
	}
	return len(c.Nodes)
}

// Elapsed is the time since the first submission, 0 before.
func (r *Replay) Elapsed() time.Duration {
	if origin := r.now.Origin(); origin.Known() && origin < r.now.At {
		return r.now.At.Sub(origin)
	}
	return 0
}

// Predict is when the query would end under the change.
func (r *Replay) Predict(c Change) (Answer, error) {
	w, err := r.clusterState(c)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Model: ModelReplay, Change: c}
	e, err := r.estimate(w, c, estimators.Scenarios()[0], estimators.Options{})
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
		left = s.End.Sub(r.now.At)
	}
	without := left
	if left = r.told(left); left == 0 && costless(e.Warnings) {
		e.Remaining = nil
	}
	if a.Remaining, a.Floor, a.AssumedRatio = &left, nil, e.AssumedRatio; e.Remaining == nil {
		a.Remaining, a.Floor, a.AssumedRatio = nil, e.Low, math.NaN()
	}
	a.Warnings = w.notes
	for _, said := range e.Warnings {
		a.Warnings = append(a.Warnings, Warning{WarnCosts, said.Text})
	}
	if r.struck && c.onlyUnfailing() {
		most, said, doubtful := r.failureCost(without)
		if a.MostSaved = &most; doubtful {
			a.Warnings = append(a.Warnings, said)
		}
	}
	return a, nil
}

// costless says that work is left which nobody knows the cost of. Where all of it is such, it takes no time, and that
// is not known.
func costless(warned []dag.Warning) bool {
	return slices.ContainsFunc(warned, func(w dag.Warning) bool {
		return w.Code == dag.WarnAssumedCost ||
			w.Code == dag.WarnUnknownSize
	})
}

// estimate asks a scenario in a world without the failures of the change.
func (r *Replay) estimate(w *clusterState, c Change, s estimators.Scenario, opt estimators.Options) (
	estimators.Estimate, error,
) {
	model := func(dag.Run) estimators.Costs { return r.costsIn(w, c) }
	return s.Of(estimators.NewReplayContext(r.run, model, opt))
}

// Bounds of ranges: so many replays each, and none where many tasks make that dear.
const (
	rangeSamples = 64
	rangeTasks   = 2000
)

// Range is what 8 of 10 runs would take: many worlds that may be, changed and replayed. ok is false where the model
// gives none, of too many tasks, and of a change with failures, which is one world and not many.
func (r *Replay) Range(c Change) (low, high time.Duration, ok bool, err error) {
	w, err := r.clusterState(c)
	if err != nil || len(c.Failures) > 0 {
		return 0, 0, false, err
	}
	tasks := 0
	for j := range w.s.Plan.Jobs {
		tasks += w.s.Plan.Jobs[j].Tasks()
	}
	if tasks > rangeTasks {
		return 0, 0, false, nil
	}
	e, err := r.estimate(w, c, estimators.Sampled(), estimators.Options{Samples: rangeSamples})
	if err != nil || len(e.Distribution) == 0 {
		return 0, 0, false, err
	}
	low, high = e.Distribution.Range(0.8)
	return r.told(low), r.told(high), true, nil
}

// End is Predict where no more than the length is wanted.
func (r *Replay) End(c Change) (time.Duration, error) {
	w, err := r.clusterState(c)
	if err != nil {
		return 0, err
	}
	s, err := w.end(&r.lean)
	if err != nil {
		return 0, err
	}
	return r.told(s.Remaining()), nil
}

// Wanted is how many slots the tasks of jobs that have not ended would take at once: for maps and for reduces under
// FIFO, containers of YARN, or cores of executors.
func (r *Replay) Wanted() []int {
	plan, n := r.now.Plan, make([]int, len(r.Room().slots()))
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
