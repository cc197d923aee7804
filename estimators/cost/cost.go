// Package cost predicts how long the remaining tasks of each stage take, and how uncertain that is: the cost law.
//
// A task of stage s takes
//
//	T = (over·e^o + work·e^r) · e^(d_s) · e^ε
//
// where work and over are its expected milliseconds before the run has shown anything. The work grows with the task's
// records, the overhead does not. r and o are the run's paces of work and of overhead, d_s is the stage's own change,
// and ε is the residual of the task. All four are normal with mean 0 and the standard deviations of Numbers; r and o
// are correlated. Tasks that have ended give the posterior of r, o and every d_s. The estimate is a replay at the
// posterior means. A range comes from the ends of replays with draws from the posterior.
//
// Times that are plain floats are milliseconds.
//
// # Stability
//
// Young: names may change in a minor version, and the changelog lists it (CONTRIBUTING.md).
package cost

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// A Model is the cost law of one run at one instant.
type Model struct {
	overheads
	delta   float64 // Options.DeltaBytes
	nodes   nodes
	keys    []*keygroups.Prediction // by job; nil: its key groups are unknown
	pauses  []pause                 // of the driver
	between *between                // pauses of MapReduce jobs
	stalled time.Duration           // see findStall
	wide    estimators.Factors      // for the remaining time of attempts with counters that do not change
}

// Options are the settings of a model. The zero value is the default.
type Options struct {
	Numbers    *Numbers // nil: those of the run's engine
	DeltaBytes float64  // NearestFit's δ: how far the size of a neighbor may be away; 0: that of nearestfit.Default
}

// Costs returns the costs of a run by the cost law, with the numbers of its engine. If the plan has the costs of all
// tasks, it returns the paper's costs in two cases: on the paper's slots, and in plans with stages other than maps
// and reduces.
func Costs(run dag.Run) estimators.Costs { return With(Options{})(run) }

// Of returns the numbers of the engine of a plan.
func Of(p *dag.Plan) *Numbers {
	switch {
	case p.Cluster.Policy == dag.Executors:
		return &Spark
	case p.OnlyMapReduce() && profiles.HasCosts(p):
		return &Planned
	case p.OnlyMapReduce():
		return &MapReduce
	}
	return &Tez
}

// With returns a model that is Costs with options.
func With(opt Options) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		plan := run.Now().Plan
		if profiles.HasCosts(plan) && (plan.Cluster.Policy == dag.FIFO || !plan.OnlyMapReduce()) {
			return planCosts(run, opt)
		}
		m := newModel(run, opt)
		if m.mapReduce {
			m.findStall()
		}
		c := estimators.Costs{
			Left: m.left, Full: m.full, Rem: m.rem, Completed: m.s, AssumedRatio: m.assumedRatio,
			// The time of an unseen MapReduce stage is too uncertain for a single time that depends on it.
			Measured: !m.mapReduce,
			Sampling: m.sampling, Residuals: m.profile.Residuals(), TaskSize: m.taskSize,
			InRecords: !m.mapReduce || plan.Cluster.Policy == dag.FIFO,
			Warnings:  m.warnings(), NodeFactors: m.nodes.factors,
			Groups: m.groupCosts(func(in *Model) schedule.Left { return in.left }),
		}
		if !m.silent() && m.seenAny() && m.executors {
			c.Later = m.expectLater
		}
		return c
	}
}

func newModel(run dag.Run, opt Options) *Model {
	m := &Model{overheads: overheads{observations: observe(run, opt.Numbers)}, delta: opt.DeltaBytes}
	m.wide = estimators.NewFactors(nil, m.numbers.UnseenSigma)
	if !m.mapReduce {
		m.cold = taskcost.MS(m.s.Plan.Overheads.Cold)
	}
	m.between = pausesOf(&m.observations)
	m.launch = m.launchesOf(&run.Now().Plan.Overheads)
	m.growTasks()
	m.expectTasks()
	m.learnPace(m.between.groups())
	m.learnStages()
	m.nodes = nodesOf(&m.overheads)
	m.learnGroups()
	for _, st := range m.ordered {
		st.findAlike()
	}
	switch {
	case !m.mapReduce:
		m.driverPauses()
	case !m.given:
		m.between.expect(&m.s.Plan.Overheads, m.pace.loaded)
	}
	return m
}

// warnings returns the warnings about the costs of MapReduce jobs; nil for other plans.
func (m *Model) warnings() []dag.Warning {
	if !m.mapReduce {
		return nil
	}
	out := slices.Concat(loadWarnings(m.s), m.nodes.warnings(m.s), m.profileWarnings(), m.groupWarnings())
	if m.stalled != 0 {
		out = append(out, dag.Warningf(dag.WarnOtherLoad, "no container has been given for %s, although there is "+
			"room for one as far as is seen: it may last as long again", units.About(m.stalled)))
	}
	return out
}

// profileWarnings returns a warning if no profile fits, or if the profile seems to be of another script.
func (m *Model) profileWarnings() []dag.Warning {
	switch was, pace := m.profile, m.againstProfile(); {
	case was == nil && len(m.s.Profiles) > 0:
		return []dag.Warning{dag.Warningf(dag.WarnNoProfile, "no profile fits %s: none has a job of the same name, "+
			"feature or aliases; learn one from a run of this script", m.s.Plan.Name)}
	case was != nil && m.lost:
		return []dag.Warning{dag.Warningf(dag.WarnProfileDoubted, "most of the time of the profile %s's tasks does "+
			"not grow with their records: this larger run is predicted from its own tasks", was.Plan.Name)}
	case was != nil && math.Abs(pace) >= math.Log(taskcost.MostSlowdown):
		return []dag.Warning{dag.Warningf(dag.WarnProfileDoubted, "this run takes %.2g times as long for a tuple as "+
			"the profile %s says: is it of the same script and cluster?", math.Exp(pace), was.Plan.Name)}
	}
	return nil
}

// againstProfile returns the logarithm of how many times as long as in the profile's run work takes. It is the mean
// over the observed stages; 0 if there are none. The run's pace alone would not show it, because an outlying stage
// hardly moves that pace.
func (m *Model) againstProfile() float64 {
	sum, n := 0.0, 0.0
	for _, st := range m.ordered {
		if st.prior.N > 0 && st.origin == schedule.Observed {
			sum, n = sum+m.pace.a+st.change.mean, n+1
		}
	}
	return sum / max(n, 1)
}

// taskSize returns the expected units of a task; NaN if unknown.
func (m *Model) taskSize(j int, k dag.StageIndex, i int) float64 {
	if st := &m.stages[j][k]; st.records && i >= 0 && i < st.n {
		return st.units[i]
	}
	return math.NaN()
}

// left returns the remaining cost of a task; see schedule.Left.
func (m *Model) left(t schedule.Task) schedule.Cost {
	st := &m.stages[t.Job][t.Stage]
	if t.Running != nil {
		r := st.runningAs(t.Running, m.s.At)
		rest := m.rest(st, r)
		left := min(rest.At(0.5, 1), m.copied(st, t.Running))
		return schedule.Cost{
			Setup:  taskcost.Duration(r.start * m.pace.overhead(st)),
			Work:   taskcost.Duration(max(left, taskcost.LeastMS/10)),
			Origin: m.originOf(st, r), Same: 1,
		}
	}
	launch := m.startup(st, t)
	cost := schedule.Cost{
		Setup:  taskcost.Duration(launch.At(0.5, 1) + m.more(st, t)),
		Work:   taskcost.Duration(m.pace.whole(st, t.Index) * m.nodes.factor(int32(t.Node))), //nolint:gosec // an index
		Origin: st.origin, Same: 1,
	}
	if t.Index < len(st.alike) && (t.Node < 0 || st.single && len(m.nodes) == 0) {
		cost.Same = st.alike[t.Index]
	}
	return cost
}

// workOn returns the expected milliseconds of a running attempt's task on the attempt's node.
func (m *Model) workOn(st *stage, r *observation) float64 {
	return m.pace.whole(st, r.task) * m.nodes.factor(r.attempt.Node)
}

// originOf returns the origin of the cost of a running attempt. It is Unknown if the attempt's counters do not
// change, or if the attempt is late by more than leastStall. The cause is then one that no counter shows, such as a
// dead node or a stalled disk.
func (m *Model) originOf(st *stage, r *observation) schedule.Origin {
	if !st.single || st.keyed != nil || m.s.Plan.Cluster.Policy == dag.FIFO {
		return st.origin
	}
	work := m.workOn(st, r)
	late := r.took - work - m.overOf(st, r)*m.pace.overhead(st)
	if r.read > 0 {
		late = float64(m.s.At-r.attempt.Last.At) - work*(1-r.read)
	}
	if m.silentTask(r) || late > taskcost.MS(leastStall) {
		return schedule.Unknown
	}
	return st.origin
}

// rest returns the remaining time of a running attempt, from its age and the records that it has read.
func (m *Model) rest(st *stage, r *observation) estimators.Rest {
	if rest, ok := st.keyed.rest(r, m.s.At); ok {
		return rest
	}
	work := m.workOn(st, r)
	whole := work + m.overOf(st, r)*m.pace.overhead(st)
	left, shown := max(whole-r.took, 0.1*whole), 0.0
	if r.read > 0 {
		if r.part > 0 {
			work = taskcost.Blend(r.partMS, r.part, work, cmp.Or(st.ownPrior, taskcost.PriorMS))
		}
		since := max(0, float64(m.s.At-r.attempt.Last.At))
		if st.single {
			since += m.lag
		}
		left, shown = taskcost.Overdue(work*(1-r.read)-since, r.took), r.read
	}
	if share := st.shareOf(r.attempt); share > 0 && r.took > 0 && !(st.single && shown > 0) {
		weight := share / (share + 0.5)
		left, shown = (1-weight)*left+weight*r.took*(1-share)/share, max(shown, share)
	}
	if st.bytes && m.silentTask(r) {
		return estimators.NewRest(whole, r.took, m.wide, 1)
	}
	if shown > 0 {
		return estimators.NewRest(left, 0, st.own, math.Sqrt(1-shown))
	}
	if st.single && r.over > 0 {
		return estimators.NewRest(whole, r.took, st.unseen, 1)
	}
	return estimators.NewRest(whole, r.took, st.own, 1)
}

// full returns the milliseconds of a whole task; in a MapReduce job, with the start of its container.
func (m *Model) full(j int, k dag.StageIndex, i int) float64 {
	st := &m.stages[j][k]
	whole := m.pace.whole(st, i)
	if st.single {
		whole += m.more(st, schedule.Task{Together: 1})
	}
	return whole
}

// rem returns the remaining milliseconds of a task: 0 if it is done, all of it while it waits.
func (m *Model) rem(j int, k dag.StageIndex, i int) float64 {
	st, best := &m.stages[j][k], math.Inf(1)
	of := dag.AttemptsOf(st.state.Attempts, i)
	for n := range of {
		switch a := &of[n]; a.State {
		case dag.AttemptSucceeded:
			return 0
		case dag.AttemptRunning:
			r := st.runningAs(a, m.s.At)
			rest := m.rest(st, r)
			best = min(best, rest.At(0.5, 1)+r.start*m.pace.overhead(st))
		}
	}
	if math.IsInf(best, 1) {
		return m.full(j, k, i)
	}
	return best
}

// copied returns the milliseconds until a speculative copy of an attempt's task would end (spark.speculation). A copy
// starts once enough tasks of the stage have succeeded, none waits and a core is free. The result is infinite if no
// copy is expected.
func (m *Model) copied(st *stage, a *dag.Attempt) float64 {
	c := &m.s.Plan.Cluster.Copies
	done, busy := len(st.ended), len(st.running)
	twin := func(r *observation) bool { return r.attempt != a && r.attempt.Task == a.Task }
	if !(c.Times > 0) || done == 0 || slices.ContainsFunc(st.running, twin) {
		return math.Inf(1)
	}
	before := max(st.n-done-busy, int(c.Ratio*float64(st.n))-done, 0)
	wait := 0.0
	if cores := m.s.Plan.Cluster.Cores; before > 0 || busy >= cores {
		wait = st.usual * (float64(before)/float64(max(1, cores)) + 0.5)
	}
	wait = max(wait, c.Times*st.usual-float64(m.s.At-a.Start))
	return wait + m.pace.whole(st, int(a.Task))
}

// assumedRatio returns the assumed part of the remaining time, 0..1. It is the time in which only tasks of assumed
// stages run: neither the run nor a profile has shown their costs.
func (m *Model) assumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	if m.mapReduce {
		return m.assumedWork(sch, total)
	}
	known, sure := sch.Now, 0.0
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count == 0 || m.stages[sp.Job][sp.Stage].origin >= schedule.Assumed || sp.End <= known {
			continue
		}
		sure += float64(sp.End - max(sp.Start, known))
		known = sp.End
	}
	return max(0, 1-sure/total)
}

// assumedWork is assumedRatio for MapReduce jobs. Their starts and pauses are known even if their work is not. The
// ratio is the expected work of the assumed stages, divided by that work plus the remaining time. The expected work
// is the mean, which is far above the median that the estimate has. A stage counts if it runs alone for a while. A
// stall counts with its length.
func (m *Model) assumedWork(sch *schedule.Schedule, total float64) float64 {
	if !m.seenAny() {
		return 1
	}
	known, mass, least, counted := sch.Now, 0.0, 0.0, map[*stage]bool{}
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count == 0 || sp.End <= known {
			continue
		}
		switch st := &m.stages[sp.Job][sp.Stage]; {
		case st.origin < schedule.Assumed:
			known = sp.End
		case !counted[st]:
			counted[st] = true
			mass += m.pace.whole(st, int(sp.First)) * math.Exp(st.change.sigma*st.change.sigma/2)
			if len(m.stages) == 1 {
				least = loneRatio
			}
		}
	}
	return max(least, mass/(total+mass), min(1, taskcost.MS(m.stalled)/total))
}

// loneRatio is the least assumed ratio of a single job with an unseen stage, which may be most of the job.
const loneRatio = 0.5
