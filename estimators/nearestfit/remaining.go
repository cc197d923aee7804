package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/estimators/internal/powerfit"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// Left is the remaining work of a task.
type Left struct {
	// Seconds is r_i, from At on, including the group that is being processed; NaN: unknown.
	Seconds float64
	// At is p_i: the arrival of the last groups, before any the start; NaN: neither is known. A task ends at
	// max(now, At+Seconds).
	At float64
	// Shares are the parts of the prediction by rule.
	Shares [Rules]Share
	// Explicit and Implicit are the remaining bytes.
	Explicit, Implicit float64
	// Spread is the deviation of groups from the task's fit: the standard deviation of the logarithm of actual over
	// fitted times, weighted by time. NaN: no fit, or nothing measured.
	Spread float64
	// Groups is the effective number of remaining groups: that many groups of equal length would vary as much in
	// sum. For independent errors Seconds has a spread of Spread/sqrt(Groups). NaN if Seconds is NaN or 0.
	Groups float64
}

// A Share is the part of a prediction from one rule: the bytes of groups, and their time.
type Share struct{ Bytes, Seconds float64 }

// Remaining predicts the remaining work of a task: its explicit groups one by one, its implicit bytes as groups of
// the observed implicit sizes, in this task or, if it has none, in the job (section 4.2). Without either, time is
// proportional to bytes. For an invalid task everything is unknown.
func (p *Prediction) Remaining(task int) Left {
	left := Left{
		Seconds: math.NaN(), At: math.NaN(), Explicit: math.NaN(), Implicit: math.NaN(), Spread: math.NaN(),
		Groups: math.NaN(),
	}
	if task < 0 || task >= len(p.tasks) {
		return left
	}
	t := &p.tasks[task]
	left.At, left.Implicit, left.Explicit, left.Spread = t.last, t.implicit, 0, p.spread(t)
	seconds, squares := 0.0, 0.0
	add := func(bytes, count float64) {
		f, rule := p.Time(task, bytes)
		s := &left.Shares[rule]
		s.Bytes += bytes * count
		s.Seconds += f * count
		seconds += f * count
		squares += f * f * count
	}
	for _, g := range t.left {
		left.Explicit += g.Bytes * g.Count
		add(g.Bytes, g.Count)
	}
	switch histogram, bytes := p.likely(t); {
	case math.IsNaN(t.implicit):
		seconds = math.NaN()
	case t.implicit == 0:
	case bytes > 0:
		for _, h := range histogram {
			if h.Marked > 0 {
				add(h.Size, t.implicit*h.Marked/bytes)
			}
		}
	default:
		s := &left.Shares[Fallback]
		s.Bytes += t.implicit
		s.Seconds += t.implicit * p.mean
		seconds += t.implicit * p.mean
	}
	left.Seconds = seconds
	if squares > 0 {
		left.Groups = seconds * seconds / squares
	}
	return left
}

// likely returns the expected sizes of a task's implicit groups, and their bytes.
func (p *Prediction) likely(t *view) ([]smoothing.Point, float64) {
	if t.seen.implicit > 0 {
		return t.points, t.seen.implicit
	}
	return p.all().points, p.all().implicit
}

// spread returns the deviation of a task's points from the fit that predicts it.
func (p *Prediction) spread(t *view) float64 {
	var f *powerfit.Fit
	switch {
	case t.fit != nil && t.fit.R2 >= p.params.R2:
		f = t.fit
	case t.best != nil:
		f = t.best
	default:
		return math.NaN()
	}
	weight, squares := 0.0, 0.0
	for _, c := range t.points {
		if at := f.At(c.Size); at > 0 && c.Mean > 0 {
			off := math.Log(c.Mean / at)
			weight += c.Count * c.Mean
			squares += c.Count * c.Mean * off * off
		}
	}
	return math.Sqrt(squares / weight) // NaN without weight
}
