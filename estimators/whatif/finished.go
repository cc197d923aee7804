package whatif

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// NewReplayOf is the predictor of a finished run. Its base is what the run took; every other answer is longer or
// shorter than that as a replay of the change is than one of the run, so that what the replay misses of the run is
// missed of neither.
func NewReplayOf(p Past, model estimators.Model) (*Replay, error) {
	r := NewReplay(p.Before, model)
	r.lost, r.others, r.struck = p.Lost, p.OthersMB, p.Struck
	w, err := r.clusterState(Change{})
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

// mostMissed is by how much the replay of a finished run may miss it before its answers are doubtful.
const mostMissed = 0.1

// Doubt says why every answer is doubtful, if it is.
func (r *Replay) Doubt() (w Warning, doubtful bool) {
	miss := r.Miss()
	if !(math.Abs(miss) > mostMissed) {
		return w, false
	}
	w = Warning{
		WarnBase, "something that is not in the tasks lengthened or shortened the run, so every answer is doubtful",
	}
	if r.others > 0 {
		w.Text += fmt.Sprintf("; other applications held up to %d MB", r.others)
	}
	return w, true
}

// failureCost is what the failures of a finished run cost, by a replay without them that takes so long: as much less as
// the replay of the run takes, and as much less as the run took. The warning says so where these differ.
func (r *Replay) failureCost(without time.Duration) (most time.Duration, w Warning, doubtful bool) {
	cost := r.took - r.told(without)
	most = r.took - without
	if !FailureDoubtful(r.took, cost, most) {
		return most, w, false
	}
	if most <= 0 {
		return most, Warning{WarnFailures, fmt.Sprintf(
			"the failures cost %s in the replay, but a replay without them takes no less than the run did: doubtful",
			units.Exact(cost))}, true
	}
	return most, Warning{WarnFailures, fmt.Sprintf(
		"the failures cost %s in the replay, and %s if all that the replay misses of the run is due to them: doubtful",
		units.Exact(cost), units.Exact(most))}, true
}

// FailureDoubtful says whether measures of what the failures of a run cost differ so much that none is believed: by
// more than a factor of two, and by more than a second and a hundredth of the run.
func FailureDoubtful(took time.Duration, costs ...time.Duration) bool {
	least, most := slices.Min(costs), slices.Max(costs)
	return most > 2*least && most-least > max(time.Second, took/100)
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
		kind              dag.StageIndex
	}
	held := make(map[key]time.Duration, len(lost))
	for _, l := range lost {
		held[key{l.Job, l.Task, l.Number, l.Stage}] = l.Held
	}
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		d, ok := held[key{t.Job, t.Index, t.Attempt, t.Stage}]
		return min(start.Add(d), end), ok
	}
}
