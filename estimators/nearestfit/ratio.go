package nearestfit

import "math"

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

// speed is seconds a byte with more weight on what is new.
type speed struct {
	at   float64 // of the report that is being added up
	now  work    // that report
	mean float64 // of the reports before it; NaN: none had bytes
}

func newSpeed() speed { return speed{at: math.NaN(), mean: math.NaN()} }

// report adds groups. Those that became visible at one instant are one report.
func (s *speed) report(at float64, w work, weight float64) {
	if at != s.at {
		s.mean = s.value(weight)
		s.at, s.now = at, work{}
	}
	s.now.add(w)
}

// value is the exponentially weighted mean with the report at hand; NaN before there is one.
func (s *speed) value(weight float64) float64 {
	switch now := s.now.alpha(); {
	case math.IsNaN(now):
		return s.mean
	case math.IsNaN(s.mean):
		return now
	default:
		return s.mean + weight*(now-s.mean)
	}
}

// JobRatio is the seconds that a task has left if all bytes take what the job's have taken on average; NaN while none are
// done anywhere. The group that is being processed counts as left (section 3.1).
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
