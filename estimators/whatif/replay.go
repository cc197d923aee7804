package whatif

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// A Replay predicts by replaying the scheduler over the tasks that are left, from what a run has shown. It is not safe for
// concurrent use.
type Replay struct {
	run   dag.Run
	now   *dag.Snapshot // completed by the model
	costs estimators.Costs
	lost  []Lost        // of a finished run: it fails again
	took  time.Duration // by a finished run, 0 of others
	base  time.Duration // the replay of a finished run
	lean  schedule.Lean
}

// NewReplay is the predictor of a run, or of a plan of which nothing has run.
func NewReplay(run dag.Run, model estimators.Model) *Replay {
	r := &Replay{run: run, now: run.Now(), costs: model(run)}
	if c, ok := r.costs.(estimators.Completer); ok {
		r.now = c.Completed()
	}
	return r
}

// NewReplayOf is the predictor of a finished run. Its base is what the run took; every other answer is longer or shorter than
// that as a replay of the change is than one of the run, so that what the replay misses of the run is missed of neither.
func NewReplayOf(p Past, model estimators.Model) (*Replay, error) {
	r := NewReplay(p.Before, model)
	r.lost = p.Lost
	w, err := r.world(Change{})
	if err != nil {
		return nil, err
	}
	s, err := w.end(&r.lean)
	if err != nil {
		return nil, err
	}
	r.took, r.base = p.Took, s.Remaining()
	return r, nil
}

// Miss is by how much the replay of a finished run is longer than the run was, as a ratio of that; NaN of others.
func (r *Replay) Miss() float64 {
	if r.took <= 0 {
		return math.NaN()
	}
	return float64(r.base-r.took) / float64(r.took)
}

// world applies a change but for its failures.
func (r *Replay) world(c Change) (*world, error) {
	w, err := worldOf(r.now, r.costs.Left, c)
	if err == nil && len(r.lost) > 0 && !c.Unfailing {
		w.fault = again(r.lost)
	}
	return w, err
}

// told corrects a replayed length by what the replay of the base misses.
func (r *Replay) told(d time.Duration) time.Duration {
	if r.took <= 0 || r.base <= 0 {
		return d
	}
	return time.Duration(math.Round(d.Seconds()*r.took.Seconds()/r.base.Seconds()*1000)) * time.Millisecond
}

// again makes the attempts fail that have failed in the past, after as long.
func again(lost []Lost) schedule.Fault {
	type key struct {
		job, task, number int
		kind              dag.Kind
	}
	held := make(map[key]time.Duration, len(lost))
	for _, l := range lost {
		held[key{l.Job, l.Task, l.Number, l.Kind}] = l.Held
	}
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		d, ok := held[key{t.Job, t.Index, t.Attempt, t.Kind}]
		return min(start.Add(d), end), ok
	}
}

// Room is how many tasks can run at once.
func (r *Replay) Room() Room { return RoomOf(r.now) }

// Elapsed is the time since the first submission, 0 before.
func (r *Replay) Elapsed() time.Duration {
	if origin := r.now.Origin(); origin.Known() && origin < r.now.At {
		return r.now.At.Sub(origin)
	}
	return 0
}

// Predict is when the query would end under the change.
func (r *Replay) Predict(c Change) (Answer, error) {
	w, err := r.world(c)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Model: ModelReplay, Change: c}
	s, err := w.whole()
	if err != nil {
		return Answer{}, err
	}
	left := r.told(s.Remaining())
	a.Remaining = &left
	if d, ok := r.costs.(estimators.Doubter); ok {
		a.AssumedRatio = d.AssumedRatio(s)
	}
	a.Warnings = w.notes
	return a, nil
}

// End is Predict where no more than the length is wanted.
func (r *Replay) End(c Change) (time.Duration, error) {
	w, err := r.world(c)
	if err != nil {
		return 0, err
	}
	s, err := w.end(&r.lean)
	if err != nil {
		return 0, err
	}
	return r.told(s.Remaining()), nil
}

// Tasks counts the maps and reduces that are not done.
func (r *Replay) Tasks() (n [2]int) {
	for j := range r.now.Plan.Jobs {
		if r.now.Jobs[j].State.Ended() {
			continue
		}
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			n[k] += r.now.Plan.Jobs[j].Phase(k).Count()
		}
	}
	return n
}
