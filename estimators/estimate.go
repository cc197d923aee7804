// Package estimators predicts the remaining time: one estimator a file, each a pure function of a run.
//
// The scenarios of one tick share a ReplayContext: one replay of the scheduler and one critical path. Costs define
// the cost of each task; a Scenario defines how the schedule is read.
//
// A cost model, [Costs], is enough to get all of [Scenarios]; [Shared] makes their estimators. Package paper has the
// paper's model and estimators to compare with, package cost has the model of real clusters. [Sampled] replays draws
// from a model and gives a [Distribution]. Package explain explains why a prediction moved, package skewness finds
// tasks that were given more than others, [Grade] scores the predictions of a finished run.
//
// # Stability
//
// Names and meanings stay within a major version; fields, scenarios and optional interfaces of a cost model may be
// added. Numbers may change in a minor version, as models become better (docs/api.md).
package estimators

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// An Estimate is the prediction of one named scenario.
type Estimate struct {
	Scenario string
	Meaning  string // one sentence for people
	// Moot means that no other application runs, so a scenario about other applications equals standard.
	Moot bool
	// Remaining is nil if it is too early for a prediction; then Low may give a floor.
	Remaining *time.Duration
	Low, High *time.Duration
	// Progress is 0..1, NaN if the estimator has none. Estimators that give only a fraction leave Remaining nil.
	Progress float64
	// Origin is the least sure origin of the costs behind the remaining time.
	Origin schedule.Origin
	// Probability is the probability that exactly as many attempts fail from now on as the scenario assumes, 0..1;
	// nil if it assumes nothing about failures, or if too little is known.
	Probability *float64
	// More is the probability that the application submits work that was not announced, 0..1; nil if the whole
	// program is known.
	More *float64
	// AssumedRatio is the share of Remaining that rests on assumed or unknown costs, 0..1: the time in which only
	// tasks of assumed or unknown cost would run.
	AssumedRatio float64
	// Measured means that these assumptions were measured on other programs.
	Measured bool
	// Distribution is the distribution of the remaining time, if the estimator has one.
	Distribution Distribution
	// Raw is the distribution before its correction, Tick its summary for the history, and Runs the number of
	// earlier runs behind the correction (see Corrected).
	Raw  Distribution
	Tick *RangeTick
	Runs int
	Path *pathfrag.Path // nil for estimators without one
	Skew []Skew         // only of package skewness
	// Monitored are the running tasks with counters that the estimate needs. Only standard_static and its variants
	// set it; they do not need the counters of other tasks.
	Monitored []TaskID
	// Nodes are the nodes that are slower or faster than the others: the factor of their tasks' times, by their
	// indices in Snapshot.Nodes. Only the scenario standard sets it.
	Nodes    map[int32]float64
	Warnings []dag.Warning
}

// A TaskID names a task of a plan.
type TaskID struct {
	Job   int
	Stage dag.StageIndex
	Task  int
}

// An Estimator is a pure function of a run: the same run gives the same estimate.
type Estimator interface {
	Estimate(run dag.Run) (Estimate, error)
}
