package nearestfit

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/paratimer/paratimer/dag"
)

// A Prediction is the times that the finished groups of a job predict. It does not change with the job, and is safe
// for concurrent use.
type Prediction struct {
	params Params
	tasks  []view
	all    func() *seen // the groups of all tasks
	alpha  float64      // seconds a byte of JobRatio; NaN: unknown
	mean   float64      // seconds a byte of Fallback; NaN: unknown
}

// A view is what a Prediction has of one task.
type view struct {
	seen
	left       []dag.GroupSize
	implicit   float64
	last       float64
	ratioBytes float64   // the task's bytes without those of finished groups
	alpha      float64   // seconds a byte of TaskRatio; NaN: as JobRatio
	fit, best  *powerFit // of OwnFit and BestFit; nil: none
}

// seen is finished groups, in the forms that predictions need.
type seen struct {
	points   []point // by size
	near     *neighbours
	implicit float64 // bytes of the implicit groups among them
}

// Predict returns the prediction from the groups that have arrived.
func (j *Job) Predict() *Prediction {
	p := &Prediction{params: j.params, tasks: make([]view, len(j.tasks))}
	done := work{}
	for i := range j.tasks {
		t := &j.tasks[i]
		done.add(t.work)
		p.tasks[i] = view{
			seen:       see(t.profile.list()),
			left:       t.left.rest(),
			implicit:   t.implicit,
			last:       t.last,
			ratioBytes: max(0, t.bytes-t.work.bytes),
			alpha:      math.NaN(),
		}
		if v := &p.tasks[i]; j.params.Conserve {
			v.left = conserve(v.left, v.implicit, v.ratioBytes)
			if v.implicit > v.ratioBytes {
				v.implicit = v.ratioBytes
			}
		}
		if t.work.bytes > j.params.TaskRatioMin*t.bytes {
			p.tasks[i].alpha = j.alpha(t.work, t.recent)
		}
	}
	p.mean, p.alpha = done.alpha(), j.alpha(done, j.recent)
	// Few predictions need the groups of all tasks, so they are sorted on first use.
	p.all = sync.OnceValue(p.together)
	p.fit()
	p.choose()
	return p
}

// alpha returns the seconds a byte of the ratios: of recent work if EWMA is set, else of all work.
func (j *Job) alpha(done work, recent recently) float64 {
	if a := recent.alpha(); !math.IsNaN(a) {
		return a
	}
	return done.alpha()
}

func see(points []point) seen {
	s := seen{points: points, near: newNeighbours(points)}
	for _, c := range points {
		s.implicit += c.Size * c.Marked
	}
	return s
}

// together returns the finished groups of all tasks.
func (p *Prediction) together() *seen {
	var all []point
	for i := range p.tasks {
		all = append(all, p.tasks[i].points...)
	}
	slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(a.Size, b.Size) })
	s := see(all)
	return &s
}

// fit sets the fit of each task.
func (p *Prediction) fit() {
	of := func(points []point) *powerFit {
		if f, ok := fitPower(weighted(points, p.params.Weights), p.params.mostPower(points)); ok {
			return &f
		}
		return nil
	}
	if p.params.Use == NeighboursOnly {
		return
	}
	var pooled *powerFit
	if p.params.Pooled {
		pooled = of(p.all().points)
	}
	for i := range p.tasks {
		if p.tasks[i].fit = pooled; !p.params.Pooled {
			p.tasks[i].fit = of(p.tasks[i].points)
		}
	}
}

// mostPower returns the largest power of a fit of these points, which are sorted by size. If Bounded is set it is 1,
// and 1 more for each doubling from the smallest size to the largest.
func (p *Params) mostPower(points []point) float64 {
	if !p.Bounded {
		return mostPower
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
	return min(mostPower, 1+math.Log2(high/low))
}

// at returns the time of a group by a fit. If Bounded is set, and the largest size of the fit is n times the
// smallest, the fit is used up to n times the largest size; beyond, time is proportional to size.
func (p *Params) at(f *powerFit, bytes float64) float64 {
	if reach := f.High * (f.High / f.Low); p.Bounded && bytes > reach && f.C > 1 {
		return f.At(reach) * (bytes / reach)
	}
	return f.At(bytes)
}

func weighted(points []point, w Weights) []powerPoint {
	out := make([]powerPoint, len(points))
	for i, c := range points {
		out[i] = powerPoint{X: c.Size, Y: c.Mean, Weight: w.of(c)}
	}
	return out
}

// of returns the weight of a point.
func (w Weights) of(c point) float64 {
	// Shorter times are not measured well, so they weigh no more.
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

// Time returns the predicted time of a group of this size in a task, and the rule of the prediction (section 3.3). It
// returns NaN and NoRule if no group is finished, or if the size or the task is invalid.
func (p *Prediction) Time(task int, bytes float64) (seconds float64, rule Rule) {
	if task < 0 || task >= len(p.tasks) || !measurable(bytes, maxMeasured) {
		return math.NaN(), NoRule
	}
	t := &p.tasks[task]
	near := p.params.Use != FitOnly
	if near {
		if s, ok := t.near.near(bytes, p.params.DeltaBytes); ok {
			return s, OwnNeighbours
		}
	}
	if t.fit != nil && t.fit.R2 >= p.params.R2 {
		return p.params.at(t.fit, bytes), OwnFit
	}
	if near {
		if s, ok := p.all().near.near(bytes, p.params.DeltaBytes); ok {
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

// choose sets the best fit of each task that does not use its own: the one with the smallest sum of squared errors
// over the task's points, whatever their counts. A task without points gets the fit with the highest R2. If two are
// equal, it is the fit of the first task.
func (p *Prediction) choose() {
	var fits []*powerFit
	for i := range p.tasks {
		if f := p.tasks[i].fit; f != nil {
			fits = append(fits, f)
		}
	}
	if len(fits) == 0 {
		return
	}
	if p.params.Pooled {
		fits = fits[:1]
	}
	clearest := slices.MaxFunc(fits, func(a, b *powerFit) int { return cmp.Compare(a.R2, b.R2) })
	for i := range p.tasks {
		if own := p.tasks[i].fit; own == nil || own.R2 < p.params.R2 {
			p.tasks[i].best = leastSquares(fits, p.tasks[i].points, clearest)
		}
	}
}

// leastSquares returns the first fit with the smallest sum of squared errors; other if there are no points.
func leastSquares(fits []*powerFit, points []point, other *powerFit) *powerFit {
	if len(points) == 0 || len(fits) == 1 {
		return other
	}
	best, low := fits[0], math.Inf(1)
	for _, f := range fits {
		sse := 0.0
		for _, c := range points {
			d := c.Mean - f.At(c.Size)
			sse += d * d
		}
		if sse < low {
			best, low = f, sse
		}
	}
	return best
}

// Left is the remaining work of a task.
type Left struct {
	// Seconds is r_i: the time from At to the end of the last group. NaN: unknown.
	Seconds float64
	// At is p_i: the last arrival of groups, before the first one the start. NaN: unknown. The task is expected to
	// end at At+Seconds, or now if that is in the past.
	At float64
	// Shares are the parts of Seconds by rule.
	Shares [Rules]Share
	// Explicit and Implicit are the remaining bytes.
	Explicit, Implicit float64
	// Spread is the standard deviation of the logarithm of the actual over the fitted time of a group, weighted by
	// time. NaN: there is no fit or no finished group.
	Spread float64
	// Groups is the number of equally long groups whose sum would vary as much as that of the remaining ones: if
	// their errors are independent, Seconds has the spread Spread/sqrt(Groups). NaN if Seconds is NaN or 0.
	Groups float64
}

// A Share is the remaining groups whose time is predicted by one rule.
type Share struct{ Bytes, Seconds float64 }

// Remaining returns the predicted work of a task: its remaining explicit groups, and groups for its implicit bytes.
// The sizes of these are as frequent as in the task's finished implicit groups, if there are none in those of the
// job (section 4.2). If the job has none either, the time of implicit bytes is proportional to them. All is unknown
// for a task that the job does not have.
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

// likely returns the points whose marked groups show the sizes of a task's implicit groups, and the bytes of these.
func (p *Prediction) likely(t *view) ([]point, float64) {
	if t.seen.implicit > 0 {
		return t.points, t.seen.implicit
	}
	return p.all().points, p.all().implicit
}

// spread returns Left.Spread of a task, by the fit that predicts it.
func (p *Prediction) spread(t *view) float64 {
	var f *powerFit
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
