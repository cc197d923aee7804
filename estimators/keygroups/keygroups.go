// Package keygroups predicts the times of a stage's tasks from their key groups: those that a run has finished, and
// those in the profile of an earlier run. It decides whether key groups predict better than bytes, and which of
// them a profile keeps. Package nearestfit has the method (E. Coppa, I. Finocchi, "On data skewness, stragglers,
// and MapReduce progress indicators", SoCC 2015). This package decides when to use it, as measured in
// docs/evidence/nearestfit.md.
//
// A stage may be of any engine that reports key groups. Times are milliseconds, sizes bytes; NaN is unknown.
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

// A Stage is the input of a prediction: a run's data of a stage and its key groups, and those of a profile.
type Stage struct {
	Tasks    int
	Attempts []dag.Attempt // in the order of their tasks
	Groups   *dag.Groups   // of this run; nil: unknown
	// Feeders is the number of tasks that write the stage's input. While fewer have reported, its groups still
	// grow.
	Feeders int
	Bytes   dag.Series // expected input of each task
	// Silent means that only the key groups show the remaining work of some task.
	Silent bool

	Profile      *dag.Groups // of an earlier run; nil: unknown
	ProfileBytes dag.Series  // input of each task of that run
	Growth       float64     // of a task since that run, if its bytes are unknown; 0 or NaN: 1
	Slowdown     float64     // of this run against that one, until groups of one size show it; 0 or NaN: 1
	DeltaBytes   float64     // NearestFit's δ; 0: that of nearestfit.Default
}

// A Prediction is the predicted times of a stage's tasks from their key groups.
type Prediction struct {
	// Sizes are the key groups of the stage's tasks: those of this run, else those of the profile at this run's
	// size. One extra task has the groups of lost attempts.
	Sizes *dag.Groups
	// Work is the tasks' times. It is nil without evidence that key groups predict them better than bytes.
	Work *Work
	// Time returns the time of one group; nil if Work does not use NearestFit.
	Time estimators.GroupTime

	stage Stage
}

// Work is the times of a stage's tasks. Slices are by task.
type Work struct {
	Left    []float64     // after the last finished group; NaN: unknown
	Whole   []float64     // Left, and the time of the finished groups
	Since   []dag.Instant // the end of that group; NoInstant: none has ended
	Attempt []int32       // attempt that has finished these groups; -1: none
	Bytes   []float64     // of a task's groups
	// Spread is the standard deviation of the logarithm of Left for a single task, Common the part that all tasks
	// share. Forms have neither.
	Spread []float64
	Common float64
	// Profiled means that this run has finished no group: everything is from the profile.
	Profiled bool
}

// Predict returns nil if the stage has no known key groups.
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

// choose sets Work and Time if there is evidence for them. Without evidence, other data about the tasks is used.
//
// Measured groups replace the bytes of counters even if their time is linear in bytes: counters of a Streaming
// reduce count the data that a pipe has received, not the finished work.
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
		// The errors of a task's groups even out in their sum.
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

// Until there is doubted times the evidence that NearestFit needs, its range includes what bytes predict: that was the
// estimate before, and the first groups may mislead. outer is the distance of an 80% range's ends from its middle, in
// standard deviations.
const doubted = 2

var outer = estimators.Normal(0.9)

// Standard deviations of logarithms.
const (
	LeastSpread = 0.03
	unjudged    = 0.25 // if no groups were predicted
)

// work returns the times of tasks with these groups; left is in seconds.
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

// Basis describes the basis of Work for people.
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

// ratioEWMA is the weight of the newest minute of work in the smoothed ratios. The paper gives no value (section
// 7.1).
const ratioEWMA = 0.3

// forms are the parameters of each form.
var forms = [...]struct {
	origin dag.GroupOrigin // required origin of the groups; GroupsNone: any
	use    nearestfit.Use
	ewma   float64
	ratio  func(p *nearestfit.Prediction, task int) float64 // replaces NearestFit
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

// noFit leaves out fits, which ratios do not need.
const noFit = nearestfit.NeighboursOnly

// Form returns the work of tasks in one form, even if it is not better. It is nil if the run's groups are not of
// the form's kind, or do not predict some unfinished task.
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

// params returns the paper's parameters with four deviations (facts/nearestfit.md N2, N4). One curve serves all
// tasks, which may each have finished few groups. Its points weigh by time, or the noise of the largest groups would
// bend it. It is not extrapolated without limit. Keys that only some feeders have reported do not stay to the end.
func (s *Stage) params() nearestfit.Params {
	p := nearestfit.Default()
	p.Pooled, p.Weights, p.Bounded, p.Conserve = true, nearestfit.PerSecond, true, true
	if s.DeltaBytes > 0 {
		p.DeltaBytes = s.DeltaBytes
	}
	return p
}

// sizes returns the run's groups g at their expected final sizes. While feeders are left, keys still grow, so sizes
// are scaled by the share of feeders that have reported. Tasks without reported keys get those of the profile, else
// bytes alone: a tap around only the reduces, as in Pig's STREAM, reports no keys, and its bytes are those of
// counters.
//
// One extra task has the groups of attempts that failed or were killed. They show the times of groups, but not the
// progress of a task.
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

// profileFits reports whether the profile has the sizes of the run's tasks. If the numbers of tasks differ, keys
// are in other tasks.
func (s *Stage) profileFits() bool { return s.Profile != nil && len(s.Profile.Reduces) == s.Tasks }

// profiled returns the profile's groups of a task: the same keys, scaled by the growth of the task.
func (s *Stage) profiled(task int) dag.ReduceGroups {
	r, growth := s.Profile.Reduces[task], s.Growth
	// Shuffled bytes may be compressed, and are more than keys and values: compare them only with each other.
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

// grown returns groups f times as large.
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

// curve returns the finished groups of the profile's run at this run's speed: by the times of groups of one size in
// both runs, else by Slowdown. The tasks' time by bytes does not show the speed: larger keys take more of it.
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
	if min(took, expected) >= settled { // ratios of less work are noise (facts/measured.md 3)
		f = min(max(took/expected, 1./taskcost.MostSlowdown), taskcost.MostSlowdown)
	}
	for i := range out {
		out[i].Took = time.Duration(min(float64(out[i].Took)*f, float64(math.MaxInt64)/2))
	}
	return out
}

// withCurve returns the groups behind Work: those of the run and, in one extra task, those of the profile and of
// lost attempts. The extra task has their explicit sizes as well, so that groups that match no explicit size show
// the sizes of implicit groups.
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
