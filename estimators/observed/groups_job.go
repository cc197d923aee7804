package observed

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/schedule"
)

// jobGroups is what is known of the key groups of one job's reduces.
type jobGroups struct {
	m       *Model
	job, n  int
	shown   *dag.Groups      // this run's, as current makes them; nil: none
	own     *dag.Groups      // shown, or nil where the earlier run's are the better ones
	known   *dag.Groups      // an earlier run's, nil: none
	planned *dag.Stage       // the reduces as a profile has them, nil: none does
	sizes   *dag.Groups      // of this run's reduces: its own, else the earlier run's, scaled
	curve   []dag.GroupPoint // what groups cost in the earlier run, at this run's speed
	// nearest says that NearestFit tells the reduces, not their bytes.
	nearest    bool
	judged     verdict
	prediction *nearestfit.Prediction // that the reduces go by; nil: they go by something else
	// asked are the predictions of shown that forms have asked for.
	asked map[nearestfit.Params]*nearestfit.Prediction
}

// newJobGroups is nil where nothing tells of the job's groups.
func (m *Model) newJobGroups(j int, known *dag.Job, slow *slowdown) *jobGroups {
	g := &jobGroups{
		m: m, job: j, n: m.Snapshot.Plan.Jobs[j].Stages[dag.Reduce].Count(),
		asked: map[nearestfit.Params]*nearestfit.Prediction{},
	}
	if own := m.Snapshot.Jobs[j].Groups; own != nil && own.Origin != dag.GroupsNone {
		g.shown = m.current(j, own, g.n)
		g.own = g.shown
	}
	var scaled *dag.Groups
	if known != nil {
		g.planned = &known.Stages[dag.Reduce]
	}
	if measured(known) {
		g.known = known.Stages[dag.Reduce].Groups
		scaled = g.scaled(known)
		if g.own != nil && g.own.Origin == dag.GroupsCounted && scaled != nil {
			g.own = nil // keys that were measured tell more than bursts
		}
		g.curve = g.speeded(slow)
	}
	if g.shown != nil {
		g.expect(g.shown.Reduces, scaled)
	}
	if g.sizes = g.own; g.own == nil {
		g.sizes = scaled
	}
	if g.sizes == nil {
		return nil
	}
	return g
}

// measured says that an earlier run's groups are known from more than counters: bursts are no key groups, and on the
// recordings one run's say too little of another's.
func measured(known *dag.Job) bool {
	return known != nil && known.Stages[dag.Reduce].Groups != nil &&
		known.Stages[dag.Reduce].Groups.Origin != dag.GroupsCounted
}

// source says for people who measured.
func (g *jobGroups) source() string {
	switch {
	case g.m.given:
		return "as the plan tells them"
	case g.own == nil:
		return "as an earlier run had them"
	case g.own.Origin == dag.GroupsCounted:
		return "as far as counters tell"
	case g.own.Origin == dag.GroupsTapped:
		return "as the tap measures them"
	}
	return "all of which are known"
}

// inForm is the work of the job's reduces in a form; nil where its groups are of another kind, none has ended, or they
// tell nothing of a reduce that is left.
func (g *jobGroups) inForm(f estimators.GroupForm) *groupWork {
	params, origin := formParams(f, g.m.nearest())
	if g.shown == nil || origin != dag.GroupsNone && origin != g.shown.Origin {
		return nil
	}
	p := g.asked[params]
	if p == nil {
		p = nearestfit.FromGroups(g.shown, nil, params).Predict()
		g.asked[params] = p
	}
	left := func(i int) float64 { return p.Remaining(i).Seconds }
	switch f {
	case estimators.FormJobRatio, estimators.FormJobRatioSmoothed:
		left = p.JobRatio
	case estimators.FormTaskRatio, estimators.FormTaskRatioSmoothed:
		left = p.TaskRatio
	}
	w := g.workOf(g.shown, g.shown, left)
	attempts := g.m.Snapshot.Jobs[g.job].Stages[dag.Reduce].Attempts
	for i := range g.n {
		if math.IsNaN(w.left[i]) && !done(attempts, i) {
			return nil
		}
	}
	return w
}

// formParams are the parameters p for a form, and the origin of the groups that it is for; GroupsNone: any.
func formParams(f estimators.GroupForm, p nearestfit.Params) (nearestfit.Params, dag.GroupOrigin) {
	switch f {
	case estimators.FormTheory:
		return p, dag.GroupsComplete
	case estimators.FormStream:
		return p, dag.GroupsTapped
	case estimators.FormCounters:
		return p, dag.GroupsCounted
	case estimators.FormJobRatioSmoothed, estimators.FormTaskRatioSmoothed:
		p.EWMA = ratioEWMA
	case estimators.FormFitOnly:
		p.Use = nearestfit.FitOnly
	case estimators.FormNeighboursOnly:
		p.Use = nearestfit.NeighboursOnly
	case estimators.FormJobRatio, estimators.FormTaskRatio:
	}
	return p, dag.GroupsNone
}

// ratioEWMA is what the newest minute of work weighs in the smoothed ratios. The paper gives no value (section 7.1).
const ratioEWMA = 0.3

// done says whether a task has succeeded.
func done(attempts []dag.Attempt, task int) bool {
	for i := find(attempts, int32(task)); i < len(attempts) && attempts[i].Task == int32(task); i++ {
		if attempts[i].State == dag.AttemptSucceeded {
			return true
		}
	}
	return false
}

// workOf is the work of the job's reduces of these sizes, of which done, nil for nothing, has ended and left tells the
// seconds that remain.
func (g *jobGroups) workOf(sizes, done *dag.Groups, left func(task int) float64) *groupWork {
	w := &groupWork{
		origin: schedule.Observed, left: make([]float64, g.n), whole: make([]float64, g.n),
		since:   make([]dag.Instant, g.n),
		attempt: make([]int32, g.n), copy: make([]float64, g.n), sort: make([]float64, g.n), sized: true,
	}
	copied, sorted := g.m.transfers(g.job)
	for i := range g.n {
		w.left[i], w.since[i], w.attempt[i] = bounded(1000*left(i)), dag.NoInstant, -1
		took := 0.0
		if done != nil {
			r := &done.Reduces[i]
			w.attempt[i] = r.Attempt
			for _, d := range r.Done {
				w.since[i] = max(w.since[i], d.At)
				took += zero(taskcost.MS(d.Took) * d.Count)
			}
		}
		w.whole[i] = bounded(w.left[i] + took)
		bytes := sizes.Reduces[i].Bytes
		w.copy[i], w.sort[i] = transfer(copied, bytes), transfer(sorted, bytes)+g.pipes(i)
		w.sized = w.sized && !math.IsNaN(bytes)
	}
	return w
}

// pipes is what a plan tells of copy and sort of a task, in milliseconds; those of a profile that was learned take
// nothing.
func (g *jobGroups) pipes(i int) float64 {
	took := 0.0
	if g.planned != nil {
		for p := range min(len(g.planned.Pipelines), dag.Work) {
			pipe := &g.planned.Pipelines[p]
			took += zero(pipe.Tuples.At(i) * pipe.Alpha.At(i))
		}
	}
	return min(took, taskcost.MostMS)
}

// transfer is what copy or sort takes for so many bytes, in milliseconds; 0 where none has shown it.
func transfer(done []nearestfit.Transfer, bytes float64) float64 {
	return zero(bounded(1000 * nearestfit.Shuffle(done, bytes)))
}

// bounded keeps NaN and bounds a cost.
func bounded(ms float64) float64 {
	if math.IsNaN(ms) {
		return ms
	}
	return min(max(ms, 0), taskcost.MostMS)
}

// current are a job's groups, of n reduces, as they count now. One more reduce is promised nothing: it has the groups
// of attempts that failed or were killed, which tell what groups cost, but nothing of how far a task is.
//
// While maps are left, keys still grow: sizes are scaled by how many maps have told theirs.
func (m *Model) current(j int, g *dag.Groups, n int) *dag.Groups {
	out := &dag.Groups{Origin: g.Origin, Maps: g.Maps, Reduces: make([]dag.ReduceGroups, n+1), Note: g.Note}
	grow := 1.0
	if maps := m.Snapshot.Plan.Jobs[j].Stages[dag.Map].Count(); g.Maps > 0 && g.Maps < maps {
		grow = float64(maps) / float64(g.Maps)
	}
	var lost []dag.GroupPoint
	for i := range n {
		r := dag.NoReduceGroups()
		if i < len(g.Reduces) {
			r = grown(g.Reduces[i], grow)
		}
		if !counts(m.Snapshot.Jobs[j].Stages[dag.Reduce].Attempts, i, r.Attempt) {
			lost = append(lost, r.Done...)
			r.Done, r.Attempt = nil, -1
		}
		out.Reduces[i] = r
	}
	slices.SortStableFunc(lost, func(a, b dag.GroupPoint) int { return cmp.Compare(a.At, b.At) })
	out.Reduces[n] = dag.ReduceGroups{Attempt: -1, Done: lost}
	return out
}

// expect gives reduces whose keys nobody has told those that an earlier run had, scaled as this run is larger, or bytes
// alone. A tap around reduces alone, as in Pig's STREAM, tells no keys: its bytes are what counters say.
func (g *jobGroups) expect(r []dag.ReduceGroups, scaled *dag.Groups) {
	for i := range min(g.n, len(r)) {
		reported := g.shown.Maps > 0 || len(r[i].Explicit) > 0
		switch {
		case !math.IsNaN(r[i].Bytes) && (reported || scaled == nil):
		case scaled != nil:
			was := &scaled.Reduces[i]
			r[i].Bytes, r[i].Implicit, r[i].Explicit, r[i].Top = was.Bytes, was.Implicit, was.Explicit, was.Top
		case !g.m.fifo:
			r[i].Bytes = g.m.phases[g.job][dag.Reduce].size(i)
			r[i].Implicit = r[i].Bytes
		}
	}
}

// counts says whether an attempt of a task runs or has succeeded.
func counts(attempts []dag.Attempt, task int, number int32) bool {
	for i := find(attempts, int32(task)); i < len(attempts) && attempts[i].Task == int32(task); i++ {
		if a := &attempts[i]; a.Number == number && (a.State == dag.AttemptRunning || a.State == dag.AttemptSucceeded) {
			return true
		}
	}
	return false
}

// grown are groups whose sizes are f times what was told of them.
func grown(r dag.ReduceGroups, f float64) dag.ReduceGroups {
	if f == 1 {
		return r
	}
	r.Bytes *= f
	r.Implicit *= f
	r.Explicit = slices.Clone(r.Explicit)
	for i := range r.Explicit {
		r.Explicit[i].Bytes *= f
	}
	r.Top = slices.Clone(r.Top)
	for i := range r.Top {
		r.Top[i].Bytes *= f
	}
	return r
}
