package nearestfit

import (
	"cmp"
	"math"
	"sync"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/powerfit"
	"github.com/paratimer/paratimer/estimators/internal/runs"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// A Prediction is computed from the groups that have arrived. It does not change with the job, and may be read
// concurrently.
type Prediction struct {
	params Params
	tasks  []view
	all    func() *seen // of all tasks together
	alpha  float64      // seconds a byte, of the ratios; NaN: none
	mean   float64      // seconds a byte, of rule 5; NaN: none
}

// A view is the data of one task.
type view struct {
	seen
	left       []dag.GroupSize
	implicit   float64
	last       float64
	ratioBytes float64       // not yet done
	alpha      float64       // NaN: the job's
	fit, best  *powerfit.Fit // of rules 2 and 4, nil: none
}

// seen is the measured groups, prepared for predictions.
type seen struct {
	points   []smoothing.Point // by size
	near     *smoothing.Index
	implicit float64 // bytes of the groups that matched no explicit size
}

// Predict computes new fits from the groups that have arrived.
func (j *Job) Predict() *Prediction {
	p := &Prediction{params: j.params, tasks: make([]view, len(j.tasks))}
	done := work{}
	for i := range j.tasks {
		t := &j.tasks[i]
		done.add(t.work)
		p.tasks[i] = view{
			seen:       see(t.profile.Points()),
			left:       t.left.rest(),
			implicit:   t.implicit,
			last:       t.last,
			ratioBytes: max(0, t.bytes-t.work.bytes),
			alpha:      math.NaN(),
		}
		if v := &p.tasks[i]; j.params.Conserve {
			v.left = conserve(v.left, v.implicit, v.ratioBytes)
			if v.implicit > v.ratioBytes { // of a task that has read all of its input nothing is left
				v.implicit = v.ratioBytes
			}
		}
		if t.work.bytes > j.params.TaskRatioMin*t.bytes {
			p.tasks[i].alpha = j.alpha(t.work, t.recent)
		}
	}
	p.mean, p.alpha = done.alpha(), j.alpha(done, j.recent)
	// Few predictions need the job's neighbors: they are sorted on first use.
	p.all = sync.OnceValue(p.together)
	p.fit()
	p.choose()
	return p
}

// alpha returns the speed that the ratios use.
func (j *Job) alpha(done work, recent recently) float64 {
	if a := recent.alpha(); !math.IsNaN(a) {
		return a
	}
	return done.alpha()
}

func see(points []smoothing.Point) seen {
	s := seen{points: points, near: smoothing.NewIndex(points)}
	for _, c := range points {
		s.implicit += c.Size * c.Marked
	}
	return s
}

// together returns the job's profile. A mean over neighbors is the same whether groups of two tasks are one point
// or two.
func (p *Prediction) together() *seen {
	each := make([][]smoothing.Point, len(p.tasks))
	for i := range p.tasks {
		each[i] = p.tasks[i].points
	}
	s := see(runs.Merge(each, func(a, b smoothing.Point) int { return cmp.Compare(a.Size, b.Size) }))
	return &s
}

// fit computes the fits of rule 2: each task's own, or one for all.
func (p *Prediction) fit() {
	of := func(points []smoothing.Point) *powerfit.Fit {
		if f, ok := powerfit.New(weighted(points, p.params.Weights), p.params.mostPower(points)); ok {
			return &f
		}
		return nil
	}
	if p.params.Use == NeighboursOnly {
		return
	}
	var pooled *powerfit.Fit
	if p.params.Pooled {
		pooled = of(p.all().points)
	}
	for i := range p.tasks {
		if p.tasks[i].fit = pooled; !p.params.Pooled {
			p.tasks[i].fit = of(p.tasks[i].points)
		}
	}
}

// mostPower returns the largest power of a fit to points, by size: a doubling of size among them supports another 1.
func (p *Params) mostPower(points []smoothing.Point) float64 {
	if !p.Bounded {
		return powerfit.MostPower
	}
	low, high := 0.0, 0.0
	for _, c := range points {
		if c.Size > 0 {
			low, high = cmp.Or(low, c.Size), c.Size
		}
	}
	if low == 0 {
		return 1
	}
	return min(powerfit.MostPower, 1+math.Log2(high/low))
}

// at returns the time of a group by a fit. A bounded fit is used as far beyond its sizes as these reach, as a ratio;
// from there on time grows with the size.
func (p *Params) at(f *powerfit.Fit, bytes float64) float64 {
	if reach := f.High * (f.High / f.Low); p.Bounded && bytes > reach && f.C > 1 {
		return f.At(reach) * (bytes / reach)
	}
	return f.At(bytes)
}

func weighted(points []smoothing.Point, w Weights) []powerfit.Point {
	out := make([]powerfit.Point, len(points))
	for i, c := range points {
		out[i] = powerfit.Point{X: c.Size, Y: c.Mean, Weight: w.of(c)}
	}
	return out
}

// of returns the weight of a point.
func (w Weights) of(c smoothing.Point) float64 {
	// Shorter times are not measured well enough to weigh more.
	const short = 1e-3 // seconds
	switch w {
	case Unit:
		return 1
	case PerSecond:
		return c.Count / max(c.Mean, short)
	default:
		return c.Count
	}
}

// Time predicts the time of a group of this size in a task, and returns the rule behind it (section 3.3). It is NaN
// with NoRule if there is no data, and for an invalid size or task.
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
		return p.params.at(t.fit, bytes), OwnFit
	}
	if near {
		if s, ok := p.all().near.Near(bytes, p.params.DeltaBytes); ok {
			return s, JobNeighbours
		}
	}
	if t.best != nil {
		return p.params.at(t.best, bytes), BestFit
	}
	if math.IsNaN(p.mean) {
		return math.NaN(), NoRule
	}
	return p.mean * bytes, Fallback
}
