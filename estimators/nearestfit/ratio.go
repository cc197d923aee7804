package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// work is bytes done and their time.
type work struct {
	bytes, seconds float64
}

func (w *work) add(more work) {
	w.bytes += more.bytes
	w.seconds += more.seconds
}

// alpha returns seconds a byte; NaN while nothing is done.
func (w work) alpha() float64 {
	if w.bytes <= 0 {
		return math.NaN()
	}
	return w.seconds / w.bytes
}

// recently is finished work, weighted towards new work: each new minute of work reduces the weight of older work.
// It decays by time, not by reports, or a burst of milliseconds would weigh as much as a group of minutes.
type recently struct{ work }

func (r *recently) add(w work, weight float64) {
	const minute = 60
	keep := math.Pow(1-weight, w.seconds/minute)
	r.bytes = r.bytes*keep + w.bytes
	r.seconds = r.seconds*keep + w.seconds
}

// JobRatio returns the remaining seconds of a task if all bytes take the mean time of the job's finished ones; NaN
// while none are done. The group that is being processed counts as remaining (section 3.1).
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

// conserve removes explicit groups, the smallest first, until they and the implicit bytes fit into the remaining
// bytes. If only some maps reported a key, its size is below the true one. When its group is done, the group
// matches no explicit size, so the key would be counted to the end. Such keys are the smallest that are reported.
//
// The paper does not mention them (section 4.2): this is a deviation, see Params.Conserve.
func conserve(explicit []dag.GroupSize, implicit, left float64) []dag.GroupSize {
	over := implicit - left
	for _, g := range explicit {
		over += g.Bytes * g.Count
	}
	if !(over > 0) { // NaN if bytes are unknown
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
