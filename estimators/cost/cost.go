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
	s       *dag.Snapshot // the newest snapshot, its plan completed from the profile
	profile *profiles.Match
	stages  [][]stage // by job and stage; a stage comes after those that it reads
	cores   cores
	order   []int   // indices of jobs, each after the jobs that it reads
	cold    float64 // expected extra overhead of the first task on a core or container, in milliseconds
	launch  launch
	starts  starts  // of containers that run one task each
	lag     float64 // mean age of a counter when it is first seen, in milliseconds
	pace    pace
	pauses  []pause
	between between
	nodes   nodes
	wide    estimators.Factors      // for the remaining time of attempts with counters that do not change
	keys    []*keygroups.Prediction // by job; nil: its key groups are unknown
	delta   float64                 // Options.DeltaBytes
	stalled load.Stall
	given   bool // the run's own plan has all costs
}

// A stage is the state of the model for one stage: what its tasks have shown, and what is expected of them.
type stage struct {
	n      int
	seen   seen
	prior  prior              // tasks in the profile or in the run's own plan
	growth growth             // units of the stage against the profile's
	units  []float64          // expected units by task; NaN: unknown
	work   []float64          // by task, expected at pace 1; without a profile relative to the mean task of the stage
	alike  []int              // by task, number of consecutive tasks from it on with the same cost
	every  float64            // expected overhead of each task at pace 1
	head   float64            // extra overhead of the first task of the stage on a core, at pace 1
	heads  int                // tasks below this index would be the first of the stage on a core
	change normal             // d_s; without a profile, the logarithm of the milliseconds of a task
	up     normal             // change of the starts of its own containers
	own    estimators.Factors // of the residuals of tasks
	// weight of the rate of the stage against the own rate of a running task, in milliseconds of work; 0:
	// taskcost.OwnPriorMS
	ownPrior float64
	keyed    *keyed             // prediction by key groups; nil: they are not used
	unseen   estimators.Factors // for running tasks without reports, with the uncertainty that they share
	origin   schedule.Origin
	waits    bool        // its tasks wait on their cores or in their containers for the tasks that they read
	input    dag.Instant // end of the last task that they read; NoInstant before
	opens    dag.Instant // executors: when its input was complete and it was submitted; NoInstant before
	single   bool        // stage of a MapReduce job: each task has its own container
	maps     bool        // the maps of a MapReduce job
	bytes    bool        // units are bytes
	plan     dag.Series  // units by task in the run's own plan
	pause    float64     // milliseconds that the driver worked alone before it submitted the stage
	usual    float64     // median milliseconds of the tasks that have ended; 0 before
	open     bool        // submitted
	asked    dag.Instant // from when on containers may have been launched for its waiting tasks
}

// A normal is a normal distribution.
type normal struct{ mean, sigma float64 }

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
		if plan.OnlyMapReduce() && !m.given {
			m.findStall()
		}
		c := estimators.Costs{
			Left: m.left, Full: m.full, Rem: m.rem, Completed: m.s, AssumedRatio: m.assumedRatio,
			// The time of an unseen MapReduce stage is too uncertain for a single time that depends on it.
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

// warnings returns the warnings about the costs of MapReduce jobs; nil for other plans.
func (m *Model) warnings() []dag.Warning {
	if !m.s.Plan.OnlyMapReduce() {
		return nil
	}
	return slices.Concat(
		load.Warnings(m.s), m.nodeWarnings(), m.profileWarnings(), m.groupWarnings(), m.stalled.Warnings(),
	)
}

// doubtedPace is the ratio of the pace of work to the profile's run, or its inverse, from which on the profile may be
// of another script.
const doubtedPace = 10

// findStall finds a stall and expects it to last as long again as it has lasted.
func (m *Model) findStall() {
	if m.stalled = load.FindStall(m.s, m.left); m.stalled != 0 {
		m.s.NextContainer = m.s.At.Add(time.Duration(m.stalled))
	}
}

// profileWarnings returns a warning if no profile fits, or if the profile seems to be of another script.
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

// againstProfile returns the logarithm of how many times as long as in the profile's run work takes. It is the mean
// over the observed stages; 0 if there are none. The run's pace alone would not show it, because an outlying stage
// hardly moves that pace.
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

// seenAny reports whether the run or a profile has shown the work of at least one stage.
func (m *Model) seenAny() bool {
	found := false
	m.each(func(_ int, _ dag.StageIndex, st *stage) { found = found || st.origin < schedule.Assumed })
	return found
}

// each calls visit for all stages, each after the stages that it reads.
func (m *Model) each(visit func(j int, k dag.StageIndex, st *stage)) {
	for _, j := range m.order {
		for k := range m.stages[j] {
			visit(j, dag.StageIndex(k), &m.stages[j][k]) //nolint:gosec // an index
		}
	}
}
