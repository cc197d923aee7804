package observed

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// Reduces by their key groups (package nearestfit). A job goes by them where this run has shown, or an earlier one,
// that they tell more than its bytes: groups that have ended are predicted from those before them, by NearestFit and by
// the linear model, and the errors are compared (groups_judge.go). Until there is evidence the linear model stands.

// learnGroups finds the jobs whose reduces are told by their key groups.
func (m *Model) learnGroups(profile *profiles.Match, slow *slowdown) {
	m.groups = make([]*jobGroups, len(m.phases))
	if m.learning {
		return
	}
	for j := range m.phases {
		known := profile.Job(j)
		if m.Snapshot.Jobs[j].Groups == nil && !measured(known) || m.Snapshot.Jobs[j].State.Ended() ||
			m.over(j, dag.Reduce) {
			continue
		}
		g := m.newJobGroups(j, known, slow)
		if g == nil {
			continue
		}
		m.groups[j] = g
		if w := g.choose(); w != nil {
			m.phases[j][dag.Reduce].goBy(w)
			m.warnGroups(g)
		}
	}
}

// goBy makes key groups tell the work of a phase.
func (ph *phase) goBy(w *groupWork) { ph.groups, ph.origin = w, w.origin }

// ByGroups says whether the model goes by the key groups of a job.
func (m *Model) ByGroups(job int) bool {
	return job < len(m.phases) && m.phases[job][dag.Reduce].groups != nil
}

// inForm is the model with the work of reduces predicted in one form, nil where no job that is left has the data for
// it.
func (m *Model) inForm(f estimators.GroupForm) *Model {
	var out *Model
	for j, g := range m.groups {
		if g == nil {
			continue
		}
		w := g.inForm(f)
		if w == nil {
			continue
		}
		if out == nil {
			forced := *m
			forced.phases = slices.Clone(m.phases)
			out = &forced
		}
		out.phases[j][dag.Reduce].goBy(w)
	}
	return out
}

// choose is the work of the job's reduces by their key groups, nil where the linear model stands.
//
// Where groups are measured by more than counters, the linear model is that of the groups: the task's time by bytes.
// Counters of a Streaming reduce tell what a pipe has swallowed, not what is done. Where nothing else tells of the
// phase's reduces, or counters say nothing of what is left of one, NearestFit need not win by much.
func (g *jobGroups) choose() *groupWork {
	var points []arrival
	if g.own != nil {
		points = arrivals(g.own)
	}
	if len(points) == 0 && len(g.curve) == 0 {
		return nil
	}
	j := judge{job: g.newJob(nil)}
	j.record(points, g.n+1, len(g.curve) > 0)
	counted := g.own != nil && g.own.Origin == dag.GroupsCounted
	v := j.verdict
	g.judged = v
	if !v.settled(counted) && g.known != nil {
		v, counted = crossJudged(g.known, g.m.pooled()), false
	}
	if !v.settled(counted) {
		return nil
	}
	ph := &g.m.phases[g.job][dag.Reduce]
	measured := len(points) > 0 && !counted
	alone := measured && (ph.seen.silent > 0 || ph.origin >= schedule.Assumed)
	g.nearest = v.better(counted) || alone && v.nearest < v.linear()
	if !g.nearest && !measured {
		return nil
	}
	job := g.newJob(g.sizes.Reduces)
	for i := range points {
		points[i].recordIn(job)
	}
	p := job.Predict()
	g.prediction = p
	rest := make([]nearestfit.Left, g.n)
	for i := range rest {
		rest[i] = p.Remaining(i)
		if !g.nearest {
			rest[i].Seconds = p.TaskRatio(i)
		}
	}
	w := g.workOf(g.sizes, g.own, func(i int) float64 { return rest[i].Seconds })
	w.spread, w.common = spreads(rest), v.common()
	if len(points) == 0 {
		w.origin = schedule.Profiled
	}
	return w
}

// nearest are NearestFit's parameters.
func (m *Model) nearest() nearestfit.Params {
	p := nearestfit.Default()
	if m.delta > 0 {
		p.DeltaBytes = m.delta
	}
	return p
}

// pooled are the parameters that the model goes by. They deviate from the paper (docs/facts/nearestfit.md N2, N4): the
// curve is one over all tasks, which may each have seen little; its points weigh by time, or the noise of the largest
// groups would bend it; and keys that only some maps told do not stay to the end.
func (m *Model) pooled() nearestfit.Params {
	p := m.nearest()
	p.Pooled, p.Weights, p.Conserve = true, nearestfit.PerSecond, true
	return p
}

// newJob starts a job of reduces, and one more for the groups of an earlier run and those of lost attempts. That one is
// promised what these were: what matches no promise tells how large implicit groups are. Without promises a job tells
// what groups take, and costs less.
func (g *jobGroups) newJob(promised []dag.ReduceGroups) *nearestfit.Job {
	tasks := make([]nearestfit.Task, g.n+1)
	for i := range min(g.n, len(promised)) {
		r := &promised[i]
		tasks[i] = nearestfit.Task{Explicit: r.Explicit, Implicit: r.Implicit, Bytes: r.Bytes}
	}
	if len(promised) > 0 {
		tasks[g.n].Explicit = g.promisedElsewhere()
	}
	job := nearestfit.New(tasks, g.m.pooled())
	for _, d := range g.curve {
		job.Record(g.n, 0, d.Bytes, d.Took.Seconds(), d.Count)
	}
	return job
}

// promisedElsewhere are the explicit sizes of an earlier run, and of this one where attempts were lost.
func (g *jobGroups) promisedElsewhere() []dag.GroupSize {
	var out []dag.GroupSize
	add := func(all *dag.Groups) {
		for i := range all.Reduces {
			out = append(out, all.Reduces[i].Explicit...)
		}
	}
	if len(g.curve) > 0 {
		add(g.known)
	}
	if g.own != nil && len(g.own.Reduces[g.n].Done) > 0 {
		add(g.own)
	}
	return out
}

// spreads are how far what is left of each task may be off for itself: its groups' errors, which in a sum even out.
func spreads(rest []nearestfit.Left) []float64 {
	out := make([]float64, len(rest))
	for i, l := range rest {
		out[i] = l.Spread / math.Sqrt(max(l.Groups, 1))
		if math.IsNaN(out[i]) {
			out[i] = workSigma
		}
		out[i] = min(max(out[i], workSigma/2), wideSigma)
	}
	return out
}

// warnGroups says that a job goes by its key groups. The text has no numbers: it is told once.
func (m *Model) warnGroups(g *jobGroups) {
	by := "key groups"
	if !g.nearest {
		by = "bytes of their key groups"
	}
	m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnKeyGroups, Text: fmt.Sprintf(
		"the reduces of job %s are predicted by their %s, %s", m.Snapshot.Plan.Jobs[g.job].Node, by, g.source())})
}

// TaskSize is what a reduce is given, in bytes, or on the paper's cluster in records, where nothing tells their
// bytes; NaN where nothing tells.
func (m *Model) TaskSize(job int, k dag.StageIndex, task int) float64 {
	return m.phases[job][k].size(task)
}

// KeyGroups is what is known of the key groups of a job's reduces, and what one of them takes, by NearestFit, where the
// job's reduces go by that.
func (m *Model) KeyGroups(job int) (*dag.Groups, estimators.GroupTime) {
	if job < len(m.groups) && m.groups[job] != nil {
		g := m.groups[job]
		if !m.ByGroups(job) || !g.nearest {
			return g.sizes, nil
		}
		return g.sizes, func(task int, bytes float64) (float64, string) {
			seconds, rule := g.prediction.Time(task, bytes)
			return 1000 * seconds, rule.String()
		}
	}
	return m.Snapshot.Plan.Jobs[job].Stages[dag.Reduce].Groups, nil
}
