// Package keygroups predicts how long the tasks of a stage take from their key groups: those that a run has finished,
// and those that a profile of an earlier run has. It decides whether key groups predict better than bytes, and what a
// profile keeps of them. Package nearestfit has the method (E. Coppa, I. Finocchi, "On data skewness, stragglers, and
// MapReduce progress indicators", SoCC 2015). When it is used is decided here, as measured in docs/nearestfit.md.
//
// A stage may be of any engine that reports key groups. Times are milliseconds, sizes bytes; NaN is unknown.
package keygroups

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// A Stage is what a run has shown of a stage and its key groups, and what a profile has of them.
type Stage struct {
	Tasks    int
	Attempts []dag.Attempt // in the order of their tasks
	Groups   *dag.Groups   // of this run; nil: unknown
	// Feeders is how many tasks write the stage's input. While fewer have reported, its groups still grow.
	Feeders int
	Bytes   dag.Series // that each task is expected to get
	// Silent means that nothing but the key groups shows how much work some task has left.
	Silent bool

	Profile      *dag.Groups // of an earlier run; nil: unknown. Those of counters are not used.
	ProfileBytes dag.Series  // that each task of that run got
	Growth       float64     // of a task since that run, if its bytes are unknown; 0 or NaN: 1
	Slowdown     float64     // of this run against that one, until groups of one size have shown it; 0 or NaN: 1
	DeltaBytes   float64     // NearestFit's δ; 0: that of nearestfit.Default
}

// A Prediction is how long the tasks of a stage take by their key groups.
type Prediction struct {
	// Sizes are the key groups of the stage's tasks: those of this run, else those of the profile at this run's size.
	// One task more has the groups of attempts that were lost.
	Sizes *dag.Groups
	// Work is how long tasks take. It is nil if there is no evidence that key groups predict that better than bytes.
	Work *Work
	// Time is how long one group takes; nil if Work does not rest on NearestFit.
	Time estimators.GroupTime

	stage Stage
}

// Work is how long the tasks of a stage take. Slices are by task.
type Work struct {
	Left    []float64     // after the last group that has ended; NaN: unknown
	Whole   []float64     // Left, and what was done before
	Since   []dag.Instant // when that group ended; NoInstant: none has
	Attempt []int32       // that has finished these groups; -1: none
	Bytes   []float64     // of a task's groups
	// Spread is the standard deviation of the logarithm of Left that is a task's own, Common that of what all tasks
	// share. Forms have neither.
	Spread []float64
	Common float64
	// Profiled means that this run has finished no group: all is from the profile.
	Profiled bool
}

// Predict returns nil if nothing is known of the stage's key groups.
func Predict(s Stage) *Prediction {
	if s.Profile != nil && s.Profile.Origin == dag.GroupsCounted {
		s.Profile = nil // bursts of one run do not predict those of another
	}
	g := s.Groups
	if g != nil && g.Origin == dag.GroupsNone {
		g = nil
	}
	if s.profileFits() && (g == nil || g.Origin == dag.GroupsCounted) {
		g = &dag.Groups{Origin: s.Profile.Origin} // keys that were measured are better than bursts
	}
	if g == nil {
		return nil
	}
	p := &Prediction{Sizes: s.sizes(g), stage: s}
	p.choose()
	return p
}

// choose sets Work and Time if there is evidence for them. Until there is, what else is known of the tasks stands.
//
// Measured groups replace the bytes of counters even if their time is linear in bytes: counters of a Streaming reduce
// show what a pipe has taken, not what is done.
func (p *Prediction) choose() {
	s := &p.stage
	params, counted := s.params(), p.Sizes.Origin == dag.GroupsCounted
	// These deviate from the paper (docs/facts/nearestfit.md N2, N4): one curve for all tasks, which may each have
	// finished few groups; its points weigh by time, or the noise of the largest groups would bend it; and keys that
	// only some feeders have reported do not stay to the end.
	params.Pooled, params.Weights, params.Conserve = true, nearestfit.PerSecond, true
	points, curve := nearestfit.Arrivals(p.Sizes), s.curve(p.Sizes, params)
	if len(points) == 0 && len(curve) == 0 {
		return
	}
	measured := len(points) > 0 && !counted
	v := judge(points, s.Tasks+1, curve, params)
	if !v.settled(counted) && s.Profile != nil {
		v, counted = crossJudge(s.Profile, params), false
	}
	nearest := v.better(counted) || measured && s.Silent && v.nearest < v.linear()
	if !v.settled(counted) || !nearest && !measured {
		return
	}
	job := nearestfit.FromGroups(s.withCurve(p.Sizes, curve), params).Predict()
	left, spread := make([]float64, s.Tasks), make([]float64, s.Tasks)
	for i := range left {
		rest := job.Remaining(i)
		if left[i] = rest.Seconds; !nearest {
			left[i] = job.TaskRatio(i)
		}
		// The errors of a task's groups even out in their sum.
		if spread[i] = rest.Spread / math.Sqrt(max(rest.Groups, 1)); math.IsNaN(spread[i]) {
			spread[i] = unknownSpread
		}
		spread[i] = min(max(spread[i], leastSpread), mostSpread)
	}
	p.Work = work(p.Sizes, left)
	p.Work.Spread, p.Work.Common, p.Work.Profiled = spread, v.common(), len(points) == 0
	if nearest {
		p.Time = func(task int, bytes float64) (float64, string) {
			seconds, rule := job.Time(task, bytes)
			return 1000 * seconds, rule.String()
		}
	}
}

// Standard deviations of logarithms.
const (
	leastSpread   = 0.03
	unknownSpread = 0.06 // of a task's own work
	mostSpread    = 1
	unjudged      = 0.25 // of all tasks together, if no groups were predicted
)

// work is how long tasks with these groups take that have so many seconds left.
func work(g *dag.Groups, left []float64) *Work {
	n := len(left)
	w := &Work{
		Left: left, Whole: make([]float64, n), Bytes: make([]float64, n), Since: make([]dag.Instant, n),
		Attempt: make([]int32, n),
	}
	for i := range left {
		r, took := &g.Reduces[i], 0.0
		w.Left[i], w.Since[i], w.Attempt[i], w.Bytes[i] = bounded(1000*left[i]), dag.NoInstant, r.Attempt, r.Bytes
		for _, d := range r.Done {
			w.Since[i] = max(w.Since[i], d.At)
			if ms := taskcost.MS(d.Took) * d.Count; ms > 0 && !math.IsInf(ms, 1) {
				took += ms
			}
		}
		w.Whole[i] = bounded(w.Left[i] + took)
	}
	return w
}

// bounded bounds a cost, and keeps NaN.
func bounded(ms float64) float64 { return min(max(ms, 0), taskcost.MostMS) }

// Basis names what Work rests on, for people.
func (p *Prediction) Basis() string {
	by := "key groups, "
	if p.Time == nil {
		by = "bytes of their key groups, "
	}
	switch {
	case p.Work.Profiled:
		return by + "as a profile has them"
	case p.Sizes.Origin == dag.GroupsCounted:
		return by + "as far as counters show them"
	case p.Sizes.Origin == dag.GroupsTapped:
		return by + "as the tap measures them"
	}
	return by + "all of which are known"
}

// ratioEWMA is the weight of the newest minute of work in the smoothed ratios. The paper has no value (section 7.1).
const ratioEWMA = 0.3

// forms are the parameters of each form.
var forms = [...]struct {
	origin dag.GroupOrigin // of the groups that it is for; GroupsNone: any
	use    nearestfit.Use
	ewma   float64
	ratio  func(p *nearestfit.Prediction, task int) float64 // in place of NearestFit
}{
	estimators.FormTheory:            {origin: dag.GroupsComplete},
	estimators.FormStream:            {origin: dag.GroupsTapped},
	estimators.FormCounters:          {origin: dag.GroupsCounted},
	estimators.FormFitOnly:           {use: nearestfit.FitOnly},
	estimators.FormNeighboursOnly:    {use: nearestfit.NeighboursOnly},
	estimators.FormJobRatio:          {use: noFit, ratio: (*nearestfit.Prediction).JobRatio},
	estimators.FormTaskRatio:         {use: noFit, ratio: (*nearestfit.Prediction).TaskRatio},
	estimators.FormJobRatioSmoothed:  {use: noFit, ratio: (*nearestfit.Prediction).JobRatio, ewma: ratioEWMA},
	estimators.FormTaskRatioSmoothed: {use: noFit, ratio: (*nearestfit.Prediction).TaskRatio, ewma: ratioEWMA},
}

// noFit leaves out fits, which ratios do not need.
const noFit = nearestfit.NeighboursOnly

// Form returns the work of tasks in one form, be it better or not. It is nil if the run's groups are not of the form's
// kind, or do not predict some task that is left.
func (p *Prediction) Form(f estimators.GroupForm) *Work {
	s, form, g := &p.stage, &forms[f], p.stage.Groups
	if g == nil || g.Origin == dag.GroupsNone || form.origin != dag.GroupsNone && form.origin != g.Origin {
		return nil
	}
	params := s.params()
	params.Use, params.EWMA = form.use, form.ewma
	g = s.sizes(g)
	job := nearestfit.FromGroups(g, params).Predict()
	left := make([]float64, s.Tasks)
	for i := range left {
		if form.ratio != nil {
			left[i] = form.ratio(job, i)
		} else {
			left[i] = job.Remaining(i).Seconds
		}
		done := func(a dag.Attempt) bool { return a.State == dag.AttemptSucceeded }
		if math.IsNaN(left[i]) && !slices.ContainsFunc(attemptsOf(s.Attempts, i), done) {
			return nil
		}
	}
	return work(g, left)
}

// params are the paper's parameters.
func (s *Stage) params() nearestfit.Params {
	p := nearestfit.Default()
	if s.DeltaBytes > 0 {
		p.DeltaBytes = s.DeltaBytes
	}
	return p
}
