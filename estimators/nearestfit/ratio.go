package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// work is what was done, and how long it took.
type work struct {
	bytes, seconds float64
}

func (w *work) add(more work) {
	w.bytes += more.bytes
	w.seconds += more.seconds
}

// alpha is seconds a byte; NaN while nothing is done.
func (w work) alpha() float64 {
	if w.bytes <= 0 {
		return math.NaN()
	}
	return w.seconds / w.bytes
}

// recently is the work that was done, with more weight on what is new: each minute of work weighs less by what the
// newest one weighs. It goes by time, not by reports, or a burst of milliseconds would weigh as much as a group of
// minutes.
type recently struct{ work }

func (r *recently) add(w work, weight float64) {
	const minute = 60
	keep := math.Pow(1-weight, w.seconds/minute)
	r.bytes = r.bytes*keep + w.bytes
	r.seconds = r.seconds*keep + w.seconds
}

// JobRatio is the seconds that a task has left if all bytes take what the job's have taken on average; NaN while none
// are done anywhere. The group that is being processed counts as left (section 3.1).
func (p *Prediction) JobRatio(task int) float64 {
	if task < 0 || task >= len(p.tasks) {
		return math.NaN()
	}
	return p.alpha * p.tasks[task].ratioBytes
}

// TaskRatio is JobRatio with the task's own speed, once more than Params.TaskRatioMin of its bytes are done.
func (p *Prediction) TaskRatio(task int) float64 {
	if task < 0 || task >= len(p.tasks) {
		return math.NaN()
	}
	t := &p.tasks[task]
	if !math.IsNaN(t.alpha) {
		return t.alpha * t.ratioBytes
	}
	return p.JobRatio(task)
}

// conserve takes out of explicit groups, the smallest first, what they and the implicit bytes are together beyond the
// bytes that are left. A key of which some maps told and others did not has a size below its true one: its group, when
// it is done, matches none, so that it would be counted to the end. Such keys are the smallest that are reported.
// Groups that counters have seen only as bursts match none either.
//
// The paper does not say what becomes of them (section 4.2): this is a deviation, see Params.Conserve.
func conserve(explicit []dag.GroupSize, implicit, left float64) []dag.GroupSize {
	over := implicit - left
	for _, g := range explicit {
		over += g.Bytes * g.Count
	}
	if !(over > 0) { // NaN where bytes are not known
		return explicit
	}
	for i := range explicit {
		g := &explicit[i]
		if g.Bytes*g.Count > over {
			g.Count -= over / g.Bytes
			return explicit[i:]
		}
		over -= g.Bytes * g.Count
	}
	return nil
}
