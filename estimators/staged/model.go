// Package staged is the cost law of jobs with any stages, such as the vertices of Tez: what a run's own tasks show of
// their costs, completed by a profile of earlier runs.
//
// Units: a task's work is counted in the records that it reads, or in tasks where these are not told. What it takes
// counts from the instant at which all that it reads is there: a task that copies may have waited in its container
// until then. Times that are plain floats are milliseconds.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package staged

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// A Model is the cost model of one run at one instant.
type Model struct {
	snapshot *dag.Snapshot // the run's newest one with its plan completed
	profile  *profiles.Match
	stages   [][]law               // by job and stage
	firsts   map[int32]dag.Instant // when the first task of each container started
	start    startup
	mean     float64 // milliseconds of work of a mean task of the stages that were seen
	pace     float64 // how many times as long as in the profile's run work takes
}

// A law is what a stage's tasks cost.
type law struct {
	seen  sightings
	prior prior
	size  []float64 // units by task
	// something tells them: the profile, tasks that have ended, or the engine's own progress of running ones
	sized  bool
	rate   float64     // milliseconds a unit; NaN unknown
	recent float64     // the same of tasks that ended lately, 0 if these are all
	lately dag.Instant // since when these ended
	faster float64     // by which power of their number tasks have become faster
	origin schedule.Origin
	sel    float64     // records written for each unit; NaN unknown
	waits  bool        // its tasks wait in their containers for those of other stages
	asked  dag.Instant // since when containers may have been launched for its tasks
	input  dag.Instant // where it waits: the end of the last of these, NoInstant while one is left
}

// New observes a run.
func New(run dag.Run) *Model {
	m := &Model{profile: profiles.Find(run.Now())}
	m.snapshot = complete(run.Now(), m.profile)
	m.observe()
	m.learnLaunch(&run.Now().Plan.Overheads)
	m.learnExtra()
	m.learnRates()
	return m
}

// Costs is the cost model of a run, whatever stages its jobs have.
func Costs(run dag.Run) estimators.Costs {
	m := New(run)
	return estimators.Costs{
		Left: m.left, Full: m.full, Rem: m.rem, Completed: m.snapshot, AssumedRatio: m.assumedRatio,
		Sampling: m.sampling, Residuals: m.profile.Residuals(), TaskSize: m.taskSize, InRecords: true,
	}
}

// each visits the laws of all stages, jobs in the order of the plan and stages after those that they read.
func (m *Model) each(visit func(j int, k dag.StageIndex, l *law)) {
	for j := range m.stages {
		for k := range m.stages[j] {
			visit(j, dag.StageIndex(k), &m.stages[j][k]) //nolint:gosec // an index
		}
	}
}
