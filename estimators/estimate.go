// Package estimators says how long: one estimator a file, each a pure function of a run.
//
// The scenarios of one tick share a ReplayContext: one replay of the scheduler and one critical path. Where a cost
// comes from is the business of Costs; how the schedule is read is the business of a Scenario.
//
// A cost model of one's own, [Costs], is enough to get all of [Scenarios]; [Shared] makes their estimators. [Paper] is
// the paper's model, and package observed has that of real clusters. A model that can be drawn from ([Sampler]) gives a
// [Distribution]; [Changes] says why a prediction moved, [Grade] how right one was along a finished run.
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

// An Estimate is one answer to "how long", under a named scenario.
type Estimate struct {
	Scenario string
	Meaning  string // one sentence for people
	// Moot: it is about others' applications, there are none, and it is what standard is.
	Moot bool
	// Remaining is nil where it is too early to say; then Low may give a floor.
	Remaining *time.Duration
	Low, High *time.Duration
	// Progress is 0..1, NaN where the estimator has none. Estimators that give only a fraction leave Remaining nil.
	Progress float64
	// Origin is the least sure origin of the costs that the remaining time rests on.
	Origin schedule.Origin
	// Probability is how likely it is that exactly as many attempts fail from now on as the scenario supposes, 0..1;
	// nil where it supposes nothing of failures, or too little is known.
	Probability *float64
	// More is how likely it is that the application submits work that nothing has announced, 0..1; nil where its
	// program is known.
	More *float64
	// AssumedRatio is the share of Remaining that rests on assumed or unknown costs, 0..1: the time in which nothing
	// would run but tasks whose cost nobody has seen.
	AssumedRatio float64
	// Measured says that these assumptions were measured on other programs.
	Measured bool
	// Distribution is what the remaining time may be, where the estimator gives one.
	Distribution Distribution
	// Raw is the distribution before its correction, Tick what a run remembers of it, and Runs how many earlier runs
	// the correction rests on (see Corrected).
	Raw  Distribution
	Tick *RangeTick
	Runs int
	Path *pathfrag.Path // nil for estimators without one
	Skew []Skew         // of Uneven alone
	// Monitored are the tasks that run whose counters the estimate needs, of standard_static and its variants alone:
	// the others' need not be asked for.
	Monitored []TaskID
	// Nodes are those that are slower or faster than the others, of the scenario standard alone: how many times as long
	// their tasks take, by their indices in Snapshot.Nodes.
	Nodes    map[int32]float64
	Warnings []dag.Warning
}

// A TaskID names a task of a plan.
type TaskID struct {
	Job   int
	Stage dag.StageIndex
	Task  int
}

// An Estimator is a pure function of a run: the same run, the same answer.
type Estimator interface {
	Estimate(run dag.Run) (Estimate, error)
}
