package whatif

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// NewReplayOf returns the predictor of a finished run. Its base is the real duration. The other answers scale that
// duration by the ratio of two replays, with and without the change. So the error of the replay cancels out.
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

// Took returns the length of a finished run, 0 for other runs.
func (r *Replay) Took() time.Duration { return r.took }

// Miss returns how much longer the replay of a finished run is than the run, as a ratio of the run; NaN for other
// runs.
func (r *Replay) Miss() float64 {
	if r.took <= 0 {
		return math.NaN()
	}
	return float64(r.base-r.took) / float64(r.took)
}

// mostMissed is the largest error of the replay of a finished run without a warning.
const mostMissed = 0.1

// Doubt returns a warning if the error of the replay makes every answer doubtful.
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

// scaled scales a replayed duration by the ratio of the real run to the base's replay.
func (r *Replay) scaled(d time.Duration) time.Duration {
	if r.took <= 0 || r.base <= 0 {
		return d
	}
	return time.Duration(math.Round(d.Seconds()*r.took.Seconds()/r.base.Seconds()*1000)) * time.Millisecond
}

// again returns a fault that repeats past failures: the same attempts fail after the same time.
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
