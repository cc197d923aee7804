package keygroups

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

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

// Bounds of the slowdown that key groups show, and the least work of both runs for it: ratios of less are noise
// (docs/facts/measured.md 3).
const (
	slowdownLeast   = 0.1
	slowdownMost    = 10
	slowdownSeconds = 3
)

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
	if took >= slowdownSeconds && expected >= slowdownSeconds {
		f = min(max(took/expected, slowdownLeast), slowdownMost)
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
