// Package cost is the cost law of stages: how long the tasks that are left will take, and how sure that is.
//
// A task of stage s takes
//
//	T = (over·e^o + work·e^r) · e^(d_s) · e^ε
//
// where work and over are what it is expected to take before the run has shown anything (its work grows with its
// records, its overhead does not), r and o are the run's paces of work and of overhead, d_s is the stage's own change
// and ε the task's. All four are normal with mean 0 and the standard deviations of Numbers, r and o are correlated.
// Tasks that have ended give the posterior of r, o and every d_s; the estimate is the replay at the posterior means,
// and a range is the ends of replays with draws from the posterior.
//
// Times that are plain floats are milliseconds.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package cost

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/keygroups"
	"github.com/paratimer/paratimer/estimators/load"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// A Model is the cost law of one run at one instant.
type Model struct {
	numbers *Numbers
	s       *dag.Snapshot // the run's newest one with its plan completed
	profile *profiles.Match
	stages  [][]stage // by job and stage, stages after those that they read
	cores   cores
	order   []int   // jobs, each after those that it reads
	cold    float64 // expected overhead of the first task of a core or container, beyond that of others
	launch  launch
	starts  starts  // of containers that run one task
	lag     float64 // how old a counter is when it is first seen, in milliseconds
	pace    pace
	pauses  []pause
	between between
	nodes   nodes
	wide    estimators.Factors      // of what is left of attempts whose counters say nothing of it
	keys    []*keygroups.Prediction // by job; nil: nothing is known of its key groups
	delta   float64                 // Options.DeltaBytes
	stalled load.Stall
	given   bool // the run's own plan has all costs
}

// A stage is what is known of the tasks of a stage.
type stage struct {
	n      int
	seen   seen
	prior  prior     // what the profile says
	growth growth    // units of a task, against the profile's
	units  []float64 // by task, expected; NaN unknown
	work   []float64 // by task, expected at pace 1; of a stage without a profile relative to its other tasks
	alike  []int     // by task, how many from it on take the same
	every  float64   // overhead of each task, expected at pace 1
	head   float64   // more of the first task of the stage on a core
	heads  int       // tasks below this index would be the first of the stage on a core
	change normal    // d_s; of a stage without a profile the logarithm of what a task takes
	up     normal    // the change of the starts of its own containers
	own    estimators.Factors
	// milliseconds of work that the rate of its stage weighs against a running task's own; 0: taskcost.OwnPriorMS
	ownPrior float64
	keyed    *keyed             // by key groups; nil: they do not say it
	unseen   estimators.Factors // of running tasks that have no reports yet: with what all of them have in common
	origin   schedule.Origin
	waits    bool        // its tasks wait on their cores or in their containers for those that they read
	input    dag.Instant // when the last of these ended; NoInstant before
	opens    dag.Instant // executors: when all that it reads was there and it was submitted; NoInstant before
	single   bool        // of a MapReduce job: each task has a container of its own
	maps     bool        // of the maps of one
	bytes    bool        // units are bytes
	plan     dag.Series  // units of tasks that the run's own plan has
	pause    float64     // milliseconds that the driver worked alone before it submitted the stage
	usual    float64     // the median time of a task that has ended; 0 before
	open     bool        // submitted
	asked    dag.Instant // since when containers may have been launched for it
}

// A normal is a normal distribution.
type normal struct{ mean, sigma float64 }

// Options choose how a model is made. The zero value is the default.
type Options struct {
	Numbers    *Numbers // nil: those of the run's engine
	DeltaBytes float64  // NearestFit's δ: how far the sizes of neighbors lie apart; 0: that of nearestfit.Default
}

// Costs is the cost law of a run, with the numbers of its engine. A plan that has the costs of all tasks on the paper's
// slots, or in jobs with other stages than maps and reduces, has the paper's costs.
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

// With is Costs with options.
func With(opt Options) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		plan := run.Now().Plan
		if profiles.HasCosts(plan) && (plan.Cluster.Policy == dag.FIFO || !plan.OnlyMapReduce()) {
			return paper(run, opt)
		}
		m := newModel(run, opt)
		if plan.OnlyMapReduce() && !m.given {
			m.findStall()
		}
		c := estimators.Costs{
			Left: m.left, Full: m.full, Rem: m.rem, Completed: m.s, AssumedRatio: m.assumedRatio,
			// What MapReduce stages take that nothing has shown is too wide for one time that rests on them.
			Measured: !plan.OnlyMapReduce(),
			Sampling: m.sampling, Residuals: m.profile.Residuals(), TaskSize: m.taskSize,
			InRecords: !plan.OnlyMapReduce() || plan.Cluster.Policy == dag.FIFO,
			Warnings:  m.warnings(), NodeFactors: m.nodeFactors,
			Groups: m.groupCosts(func(in *Model) schedule.Left { return in.left }),
		}
		if !m.silent() && m.seenAny() && m.executors() {
			c.Later = m.expectLater
		}
		return c
	}
}

func newModel(run dag.Run, opt Options) *Model {
	s := run.Now()
	m := &Model{
		numbers: opt.Numbers, profile: profiles.Find(s), lag: observationLag(run), given: profiles.HasCosts(s.Plan),
		delta: opt.DeltaBytes,
	}
	if m.numbers == nil {
		m.numbers = Of(s.Plan)
	}
	m.wide = estimators.NewFactors(nil, m.numbers.UnseenSigma)
	m.s = m.profile.Complete(s)
	if !s.Plan.OnlyMapReduce() {
		m.cold = taskcost.MS(m.s.Plan.Overheads.Cold)
	}
	m.observeStarts()
	if s.Plan.OnlyMapReduce() {
		m.s.Load = load.Expect(run, m.s.Plan, m.starts.at(2, false))
	}
	m.observe()
	m.observeBetween()
	m.observeLaunches(&s.Plan.Overheads)
	m.growTasks()
	m.expect()
	m.learnPace()
	m.learnStages()
	m.learnNodes()
	m.learnGroups()
	m.each(func(_ int, _ dag.StageIndex, st *stage) { st.findAlike() })
	if m.s.Plan.OnlyMapReduce() {
		m.learnBetween()
	} else {
		m.learnPauses()
	}
	return m
}

// warnings are what a reader must know about the costs.
func (m *Model) warnings() []dag.Warning {
	if !m.s.Plan.OnlyMapReduce() {
		return nil
	}
	return slices.Concat(
		load.Warnings(m.s), m.nodeWarnings(), m.profileWarnings(), m.groupWarnings(), m.stalled.Warnings(),
	)
}

// Work that takes so many times as long as in the profile's run, or so much less, lets doubt that it is one of the same
// script.
const doubtedPace = 10

// findStall finds a stall and expects it to last as long again as it has lasted.
func (m *Model) findStall() {
	if m.stalled = load.FindStall(m.s, m.left); m.stalled != 0 {
		m.s.NextContainer = m.s.At.Add(time.Duration(m.stalled))
	}
}

// profileWarnings say that no profile fits, or that one does not seem to be of this script.
func (m *Model) profileWarnings() []dag.Warning {
	switch was, pace := m.profile, m.againstProfile(); {
	case was == nil && len(m.s.Profiles) > 0:
		return []dag.Warning{{Code: dag.WarnNoProfile, Text: fmt.Sprintf("no profile fits %s: none has a job of the same name, "+
			"feature or aliases; learn one from a run of this script", m.s.Plan.Name)}}
	case was != nil && math.Abs(pace) >= math.Log(doubtedPace):
		return []dag.Warning{{Code: dag.WarnProfileDoubted, Text: fmt.Sprintf("this run takes %.2g times as long for a tuple as "+
			"the profile %s says: is it of the same script and cluster?", math.Exp(pace), was.Plan.Name)}}
	}
	return nil
}

// againstProfile is the logarithm of how many times as long as in the profile's run work takes, in the mean of the
// stages that have shown it; 0 if none has. The run's pace is not led by a stage that is far off.
func (m *Model) againstProfile() float64 {
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		if st.prior.N > 0 && st.origin == schedule.Observed {
			sum, n = sum+m.pace.work+st.change.mean, n+1
		}
	})
	return sum / max(n, 1)
}

// executors reports whether tasks run on the cores of executors, not in containers.
func (m *Model) executors() bool { return m.s.Plan.Cluster.Policy == dag.Executors }

// seenAny reports whether the run or a profile has shown what some work takes.
func (m *Model) seenAny() bool {
	found := false
	m.each(func(_ int, _ dag.StageIndex, st *stage) { found = found || st.origin < schedule.Assumed })
	return found
}

// each visits all stages, each after those that it reads.
func (m *Model) each(visit func(j int, k dag.StageIndex, st *stage)) {
	for _, j := range m.order {
		for k := range m.stages[j] {
			visit(j, dag.StageIndex(k), &m.stages[j][k]) //nolint:gosec // an index
		}
	}
}
