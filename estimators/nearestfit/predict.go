package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/neighbours"
	"github.com/paratimer/paratimer/estimators/internal/powerfit"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// A Prediction is what can be said from what has arrived. It does not change with the job, and may be read concurrently.
type Prediction struct {
	params Params
	tasks  []view
	all    seen
	alpha  float64 // seconds a byte, of the ratios; NaN: none
	mean   float64 // seconds a byte, of rule 5; NaN: none
}

// A view is what is known of one task.
type view struct {
	seen
	left       []dag.GroupSize
	implicit   float64
	last       float64
	ratioBytes float64 // not yet done
	alpha      float64 // NaN: the job's
	best       *powerfit.Fit
	spread     float64
}

// seen is what was measured, ready to be asked.
type seen struct {
	points    []smoothing.Point
	near      *neighbours.Index
	histogram []smoothing.Point // implicit groups by size
	bytes     float64           // of the histogram
	fit       *powerfit.Fit
}

// Predict makes the fits anew from what has arrived.
func (j *Job) Predict() *Prediction {
	p := &Prediction{params: j.params, tasks: make([]view, len(j.tasks)), all: j.all.see(j.params, j.params.Pooled)}
	p.mean, p.alpha = j.all.alpha(), j.all.alpha()
	if j.params.EWMA > 0 {
		p.alpha = j.speed.value(j.params.EWMA)
	}
	for i := range j.tasks {
		t := &j.tasks[i]
		v := &p.tasks[i]
		*v = view{
			seen:       t.see(j.params, !j.params.Pooled),
			left:       t.left.rest(),
			implicit:   t.implicit,
			last:       t.last,
			ratioBytes: positive(t.bytes - t.measured.bytes),
			alpha:      math.NaN(),
		}
		if j.params.Pooled {
			v.fit = p.all.fit
		}
		if t.measured.bytes > j.params.TaskRatioMin*t.bytes {
			v.alpha = t.measured.alpha()
			if j.params.EWMA > 0 {
				v.alpha = t.speed.value(j.params.EWMA)
			}
		}
	}
	p.choose()
	for i := range p.tasks {
		p.tasks[i].spread = p.spread(&p.tasks[i])
	}
	return p
}

func (m *measured) see(p Params, fit bool) seen {
	s := seen{points: m.profile.Points(), histogram: m.implicit.Points()}
	for _, h := range s.histogram {
		s.bytes += h.Size * h.Count
	}
	n := len(s.points)
	columns := make([]float64, 3*n)
	size, mean, count := columns[:n:n], columns[n:2*n:2*n], columns[2*n:]
	for i, c := range s.points {
		size[i], mean[i], count[i] = c.Size, c.Mean, c.Count
	}
	s.near = neighbours.New(size, mean, count)
	if fit && p.Use != NeighboursOnly {
		if f, ok := powerfit.New(weighted(s.points, p.Weights)); ok {
			s.fit = &f
		}
	}
	return s
}

func weighted(points []smoothing.Point, w Weights) []powerfit.Point {
	out := make([]powerfit.Point, len(points))
	for i, c := range points {
		out[i] = powerfit.Point{X: c.Size, Y: c.Mean, Weight: 1}
		if w == Counts {
			out[i].Weight = c.Count
		}
	}
	return out
}

// Fit is the fit that rule 2 asks for a task: its own, or with Params.Pooled the job's.
func (p *Prediction) Fit(task int) (powerfit.Fit, bool) {
	if task < 0 || task >= len(p.tasks) || p.tasks[task].fit == nil {
		return powerfit.Fit{}, false
	}
	return *p.tasks[task].fit, true
}

// Time predicts how long a group of this size takes in a task, and by which rule (section 3.3). It is NaN by NoRule where
// nothing is known, and for no size or task.
func (p *Prediction) Time(task int, bytes float64) (seconds float64, rule Rule) {
	if task < 0 || task >= len(p.tasks) || !measurable(bytes, maxBytes) {
		return math.NaN(), NoRule
	}
	t := &p.tasks[task]
	near := p.params.Use != FitOnly
	if near {
		if s, ok := t.near.Near(bytes, p.params.DeltaBytes); ok {
			return s, OwnNeighbours
		}
	}
	if t.fit != nil && t.fit.R2 >= p.params.R2 {
		return t.fit.At(bytes), OwnFit
	}
	if near {
		if s, ok := p.all.near.Near(bytes, p.params.DeltaBytes); ok {
			return s, JobNeighbours
		}
	}
	if t.best != nil {
		return t.best.At(bytes), BestFit
	}
	if math.IsNaN(p.mean) {
		return math.NaN(), NoRule
	}
	return p.mean * bytes, Fallback
}
