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
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
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
	cold    float64 // expected overhead of the first task of a core or container, beyond that of others
	launch  launch
	pace    pace
	pauses  []pause
}

// A stage is what is known of the tasks of a stage.
type stage struct {
	n      int
	seen   seen
	prior  prior     // what the profile says
	growth growth    // units of a task, against the profile's
	units  []float64 // by task, expected; NaN unknown
	work   []float64 // by task, expected at pace 1; of a stage without a profile relative to its other tasks
	every  float64   // overhead of each task, expected at pace 1
	head   float64   // more of the first task of the stage on a core
	heads  int       // tasks below this index would be the first of the stage on a core
	change normal    // d_s; of a stage without a profile the logarithm of what a task takes
	own    estimators.Factors
	origin schedule.Origin
	waits  bool        // its tasks wait on their cores or in their containers for those that they read
	input  dag.Instant // when the last of these ended; NoInstant before
	opens  dag.Instant // executors: when all that it reads was there and it was submitted; NoInstant before
	pause  float64     // milliseconds that the driver worked alone before it submitted the stage
	usual  float64     // the median time of a task that has ended; 0 before
	open   bool        // submitted
	asked  dag.Instant // since when containers may have been launched for it
}

// A normal is a normal distribution.
type normal struct{ mean, sigma float64 }

// Costs is the cost law of a run, with the numbers of its engine.
func Costs(run dag.Run) estimators.Costs { return With(Of(run.Now().Plan))(run) }

// Of returns the numbers of the engine of a plan.
func Of(p *dag.Plan) *Numbers {
	if p.Cluster.Policy == dag.Executors {
		return &Spark
	}
	return &Tez
}

// With is Costs with other numbers.
func With(numbers *Numbers) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		m := newModel(run.Now(), numbers)
		c := estimators.Costs{
			Left: m.left, Full: m.full, Rem: m.rem, Completed: m.s, AssumedRatio: m.assumedRatio, Measured: true,
			Sampling: m.sampling, Residuals: m.profile.Residuals(), TaskSize: m.taskSize, InRecords: true,
		}
		if !m.silent() && m.seenAny() && m.executors() {
			c.Later = m.expectLater
		}
		return c
	}
}

func newModel(s *dag.Snapshot, numbers *Numbers) *Model {
	m := &Model{numbers: numbers, profile: profiles.Find(s)}
	m.s = m.complete(s)
	m.observe()
	m.observeLaunches(&s.Plan.Overheads)
	m.growTasks()
	m.expect()
	m.learnPace()
	m.learnStages()
	m.learnPauses()
	return m
}

// executors reports whether tasks run on the cores of executors, not in containers.
func (m *Model) executors() bool { return m.s.Plan.Cluster.Policy == dag.Executors }

// seenAny reports whether the run or a profile has shown what some work takes.
func (m *Model) seenAny() bool {
	found := false
	m.each(func(_ int, _ dag.StageIndex, st *stage) { found = found || st.origin < schedule.Assumed })
	return found
}

// each visits all stages, jobs in the order of the plan and stages after those that they read.
func (m *Model) each(visit func(j int, k dag.StageIndex, st *stage)) {
	for j := range m.stages {
		for k := range m.stages[j] {
			visit(j, dag.StageIndex(k), &m.stages[j][k]) //nolint:gosec // an index
		}
	}
}
