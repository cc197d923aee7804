// Package keygroups predicts the times of a stage's tasks from their key groups: the records of one key. Predict uses
// the groups that this run has finished and those in the profile of an earlier run. It predicts known groups as well,
// by nearestfit and by bytes, and uses nearestfit only if its errors are clearly smaller. Learn selects the groups that
// a profile keeps.
//
// Package nearestfit has the method; docs/evidence/nearestfit.md has the measurements behind the limits here. The
// package does not read reports and knows no engine. Times are milliseconds, sizes bytes; NaN is unknown.
package keygroups

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// A Stage is the input of Predict: the state of a stage, its key groups, and those of an earlier run.
type Stage struct {
	Tasks    int
	Attempts []dag.Attempt // in the order of their tasks
	Groups   *dag.Groups   // of this run; nil: unknown
	// Feeders is the number of tasks that write the stage's input. Until all have reported, its groups grow.
	Feeders int
	Bytes   dag.Series // expected input of each task
	// Silent is set if a task shows its remaining work by key groups alone: it reports no counters.
	Silent bool

	Profile      *dag.Groups // of an earlier run; nil: unknown
	ProfileBytes dag.Series  // input of each task of that run
	Growth       float64     // a task's bytes as a multiple of those in that run, if unknown; 0 or NaN: 1
	Slowdown     float64     // times as a multiple of those in that run, if no groups show it; 0 or NaN: 1
	DeltaBytes   float64     // NearestFit's δ; 0: that of nearestfit.Default
}

// A Prediction is what key groups show about a stage.
type Prediction struct {
	// Sizes are the expected key groups of each task: those of this run, else those of the profile, scaled to this
	// run's bytes. One more task at the end has the groups of attempts that failed or were killed.
	Sizes *dag.Groups
	// Work is the times of the tasks; nil if key groups do not predict them better than other data.
	Work *Work
	// Time returns the time of one group; nil if Work is by bytes.
	Time estimators.GroupTime

	stage Stage
}

// Work is the times of a stage's tasks. Slices are by task.
type Work struct {
	Left    []float64     // of the groups that are not finished; NaN: unknown
	Whole   []float64     // of all groups
	Since   []dag.Instant // the end of the last finished group; NoInstant: there is none
	Attempt []int32       // the attempt that has finished the groups; -1: none
	Bytes   []float64     // of all groups
	// Spread is the standard deviation of the logarithm of a task's Left, Common that of the sum over all tasks. Form
	// sets neither.
	Spread []float64
	Common float64
	// Profiled is set if this run has finished no group, so that all times are from the profile.
	Profiled bool
}

// Predict returns the prediction for a stage; nil if it has no key groups.
func Predict(s Stage) *Prediction {
	if !s.Groups.Known() {
		s.Groups = nil
	}
	if !s.Profile.Known() {
		s.Profile = nil
	}
	g := s.Groups
	if g == nil && s.profileFits() {
		g = &dag.Groups{Origin: s.Profile.Origin}
	}
	if g == nil {
		return nil
	}
	p := &Prediction{Sizes: s.sizes(g), stage: s}
	p.choose()
	return p
}

// choose sets Work and Time if enough groups are known to judge the models. If nearestfit is not better, Work is by the
// bytes of finished groups, if there are any. These are better than the bytes of counters: in a Streaming reduce, a
// counter shows what the script's pipe has received, not what the script has finished.
func (p *Prediction) choose() {
	s := &p.stage
	params := s.params()
	points, curve := nearestfit.Arrivals(p.Sizes), s.curve(p.Sizes, params)
	if len(points) == 0 && len(curve) == 0 {
		return
	}
	measured := len(points) > 0
	v := judge(points, s.Tasks+1, curve, params)
	if !v.settled(1) && s.Profile != nil {
		v = crossJudge(s.Profile, params)
	}
	nearest := v.better() || measured && s.Silent && v.nearest < v.linear()
	if !v.settled(1) || !nearest && !measured {
		return
	}
	job := nearestfit.FromGroups(s.withCurve(p.Sizes, curve), params).Predict()
	left, spread := make([]float64, s.Tasks), make([]float64, s.Tasks)
	all, byBytes := 0.0, 0.0 // seconds of all tasks
	for i := range left {
		rest := job.Remaining(i)
		linear := job.TaskRatio(i)
		if left[i] = rest.Seconds; !nearest {
			left[i] = linear
		}
		all, byBytes = all+left[i], byBytes+linear
		// Errors of groups partly cancel in the sum over a task.
		if spread[i] = rest.Spread / math.Sqrt(max(rest.Groups, 1)); math.IsNaN(spread[i]) {
			spread[i] = unjudged
		}
		spread[i] = max(spread[i], LeastSpread)
	}
	p.Work = work(p.Sizes, left)
	p.Work.Spread, p.Work.Common, p.Work.Profiled = spread, v.common(), len(points) == 0
	apart := math.Abs(math.Log(byBytes / all))
	if !v.settled(doubted) && !math.IsNaN(apart) && !math.IsInf(apart, 0) {
		p.Work.Common = max(p.Work.Common, apart/outer)
	}
	if nearest {
		p.Time = func(task int, bytes float64) (float64, string) {
			seconds, rule := job.Time(task, bytes)
			return 1000 * seconds, rule.String()
		}
	}
}

// doubted is a multiple of the groups that a verdict needs. With fewer, the first groups may be unusual: the range is
// so wide that it includes the time by bytes, the estimate before.
const doubted = 2

// outer is half the width of an 80% range, in standard deviations.
var outer = estimators.Normal(0.9)

// Standard deviations of logarithms.
const (
	LeastSpread = 0.03
	unjudged    = 0.25 // if no groups were predicted
)

// work returns the Work of tasks with the groups g and the remaining seconds left.
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

// bounded limits a time to the valid range. NaN stays NaN.
func bounded(ms float64) float64 { return min(max(ms, 0), taskcost.MostMS) }

// Basis returns the basis of Work as a phrase.
func (p *Prediction) Basis() string {
	by := "key groups, "
	if p.Time == nil {
		by = "bytes of their key groups, "
	}
	switch {
	case p.Work.Profiled:
		return by + "as a profile has them"
	case p.Sizes.Origin == dag.GroupsTapped:
		return by + "as the tap measures them"
	}
	return by + "all of which are known"
}

// ratioEWMA is nearestfit.Params.EWMA of the smoothed ratios. The paper gives no value (section 7.1).
const ratioEWMA = 0.3

// forms are the parameters of each form.
var forms = [...]struct {
	origin dag.GroupOrigin // required origin of the groups; GroupsNone: any
	use    nearestfit.Use
	ewma   float64
	ratio  func(p *nearestfit.Prediction, task int) float64 // instead of Remaining; nil: Remaining
}{
	estimators.FormTheory:            {origin: dag.GroupsComplete},
	estimators.FormStream:            {origin: dag.GroupsTapped},
	estimators.FormFitOnly:           {use: nearestfit.FitOnly},
	estimators.FormNeighboursOnly:    {use: nearestfit.NeighboursOnly},
	estimators.FormJobRatio:          {use: noFit, ratio: (*nearestfit.Prediction).JobRatio},
	estimators.FormTaskRatio:         {use: noFit, ratio: (*nearestfit.Prediction).TaskRatio},
	estimators.FormJobRatioSmoothed:  {use: noFit, ratio: (*nearestfit.Prediction).JobRatio, ewma: ratioEWMA},
	estimators.FormTaskRatioSmoothed: {use: noFit, ratio: (*nearestfit.Prediction).TaskRatio, ewma: ratioEWMA},
}

// noFit saves the time of fits, which ratios do not use.
const noFit = nearestfit.NeighboursOnly

// Form returns the times by one form of the method, whether or not it is better than bytes. It returns nil if the
// form needs groups of another origin, or if an unfinished task has no prediction.
func (p *Prediction) Form(f estimators.GroupForm) *Work {
	s, form, g := &p.stage, &forms[f], p.stage.Groups
	if g == nil || form.origin != dag.GroupsNone && form.origin != g.Origin {
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
		if math.IsNaN(left[i]) && !slices.ContainsFunc(dag.AttemptsOf(s.Attempts, i), done) {
			return nil
		}
	}
	return work(g, left)
}

// params returns the paper's parameters with four differences (facts/nearestfit.md N2, N4). All tasks share one fit,
// since each may have finished few groups. Weights fall with time, since the times of large groups vary most. The fit
// is bounded. Remaining groups are conserved, since keys that only some feeders have reported match no finished group.
func (s *Stage) params() nearestfit.Params {
	p := nearestfit.Default()
	p.Pooled, p.Weights, p.Bounded, p.Conserve = true, nearestfit.PerSecond, true, true
	if s.DeltaBytes > 0 {
		p.DeltaBytes = s.DeltaBytes
	}
	return p
}

// sizes returns Prediction.Sizes, from the run's groups g. Until all feeders have reported, sizes are divided by the
// share that has. A task without reported keys has those of the profile, or only its bytes: a tap around reduces
// alone, as in Pig's STREAM, reports no keys.
//
// Groups of failed and killed attempts are in one more task: they show times of groups, but no task's progress.
func (s *Stage) sizes(g *dag.Groups) *dag.Groups {
	out := &dag.Groups{Origin: g.Origin, Maps: g.Maps, Reduces: make([]dag.ReduceGroups, s.Tasks+1), Note: g.Note}
	growth, known := 1.0, s.profileFits()
	if g.Maps > 0 && g.Maps < s.Feeders {
		growth = float64(s.Feeders) / float64(g.Maps)
	}
	var lost []dag.GroupPoint
	for i := range s.Tasks {
		r := dag.NoReduceGroups()
		if i < len(g.Reduces) {
			r = grown(g.Reduces[i], growth)
		}
		if !slices.ContainsFunc(dag.AttemptsOf(s.Attempts, i), func(a dag.Attempt) bool {
			return a.Number == r.Attempt && (a.State == dag.AttemptRunning || a.State == dag.AttemptSucceeded)
		}) {
			lost = append(lost, r.Done...)
			r.Done, r.Attempt = nil, -1
		}
		switch reported := g.Maps > 0 || len(r.Explicit) > 0; {
		case !math.IsNaN(r.Bytes) && (reported || !known):
		case known:
			was := s.profiled(i)
			r.Bytes, r.Implicit, r.Explicit, r.Top = was.Bytes, was.Implicit, was.Explicit, was.Top
		default:
			r.Bytes = s.Bytes.At(i)
			r.Implicit = r.Bytes
		}
		out.Reduces[i] = r
	}
	slices.SortStableFunc(lost, func(a, b dag.GroupPoint) int { return cmp.Compare(a.At, b.At) })
	out.Reduces[s.Tasks] = dag.ReduceGroups{Attempt: -1, Done: lost}
	return out
}

// profileFits reports whether the profile's tasks have the same keys as this run's: another number of tasks divides
// the keys in another way.
func (s *Stage) profileFits() bool { return s.Profile != nil && len(s.Profile.Reduces) == s.Tasks }

// profiled returns the profile's groups of a task, scaled by the growth of its bytes.
func (s *Stage) profiled(task int) dag.ReduceGroups {
	r, growth := s.Profile.Reduces[task], s.Growth
	// Bytes of a shuffle may be compressed and have headers, so they are not compared with the bytes of groups.
	was := s.ProfileBytes.At(task)
	if !(was > 0) {
		was = r.Bytes
	}
	if is := s.Bytes.At(task); is > 0 && was > 0 {
		growth = is / was
	}
	if !(growth > 0) {
		growth = 1
	}
	return grown(r, growth)
}

// grown returns groups with all sizes multiplied by f.
func grown(r dag.ReduceGroups, f float64) dag.ReduceGroups {
	if f == 1 {
		return r
	}
	r.Bytes *= f
	r.Implicit *= f
	r.Explicit, r.Top = slices.Clone(r.Explicit), slices.Clone(r.Top)
	for i := range r.Explicit {
		r.Explicit[i].Bytes *= f
	}
	for i := range r.Top {
		r.Top[i].Bytes *= f
	}
	return r
}

// curve returns the finished groups of the profile with times as this run would need. The factor is this run's time
// divided by the profile's, for groups of the same sizes; if few are finished, it is Slowdown. Seconds a byte would be
// no measure of speed, since they depend on the sizes of keys.
func (s *Stage) curve(g *dag.Groups, params nearestfit.Params) []dag.GroupPoint {
	if s.Profile == nil {
		return nil
	}
	var out []dag.GroupPoint
	job := nearestfit.New(make([]nearestfit.Task, 1), params)
	for i := range s.Profile.Reduces {
		out = append(out, s.Profile.Reduces[i].Done...)
	}
	for i := range out {
		job.Add(0, &out[i])
	}
	f, then, took, expected := s.Slowdown, job.Predict(), 0.0, 0.0
	if !(f > 0) {
		f = 1
	}
	for i := range g.Reduces {
		for _, d := range g.Reduces[i].Done {
			if one, rule := then.Time(0, d.Bytes); rule != nearestfit.NoRule {
				took += d.Took.Seconds() * d.Count
				expected += one * d.Count
			}
		}
	}
	if min(took, expected) >= settled { // with less work the ratio varies too much (facts/measured.md 3)
		f = min(max(took/expected, 1./taskcost.MostSlowdown), taskcost.MostSlowdown)
	}
	for i := range out {
		out[i].Took = time.Duration(min(float64(out[i].Took)*f, float64(math.MaxInt64)/2))
	}
	return out
}

// withCurve returns the groups that Work is computed from: g, with the curve's points in the last task. That task also
// gets the explicit sizes behind its points. Then only points without a known key count as implicit groups.
func (s *Stage) withCurve(g *dag.Groups, curve []dag.GroupPoint) *dag.Groups {
	lost := g.Reduces[s.Tasks].Done
	other := dag.ReduceGroups{Done: slices.Concat(curve, lost)}
	promise := func(g *dag.Groups) {
		for i := range g.Reduces {
			other.Explicit = append(other.Explicit, g.Reduces[i].Explicit...)
		}
	}
	if len(curve) > 0 {
		promise(s.Profile)
	}
	if len(lost) > 0 {
		promise(g)
	}
	return &dag.Groups{Reduces: append(slices.Clone(g.Reduces[:s.Tasks]), other)}
}
