// Package estimators predicts the remaining time: one estimator a file, each a pure function of a run.
//
// The scenarios of one tick share a ReplayContext: one replay of the scheduler and one critical path. Costs define
// the cost of each task; a Scenario defines how the schedule is read.
//
// A cost model, [Costs], is enough to get all of [Scenarios]; [Shared] makes their estimators. Package paper has the
// paper's model and estimators to compare with, package cost has the model of real clusters. [Sampled] replays draws
// from a model and gives a [Distribution]. Package explain explains why a prediction moved, and finds tasks that were
// given more than others. [Grade] scores the predictions of a finished run.
//
// # Stability
//
// Names and meanings stay within a major version; fields, scenarios and optional interfaces of a cost model may be
// added. Numbers may change in a minor version, as models become better (CONTRIBUTING.md).
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
	Skew []Skew         // only of explain.SkewScenario
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

// A Skew describes how unevenly the work of a stage that reads others, such as a job's reduces, is spread over its
// tasks, and how much that delays the query. A delay is the end that standard predicts minus the end of the same
// replay from now on without the skew; time that is already lost is not part of it.
type Skew struct {
	Job   int
	Stage dag.StageIndex
	Tasks int             // number of the stage's tasks
	Keys  dag.GroupOrigin // source of its key groups; GroupsNone: its keys are unknown
	Sizes SizeUnit        // unit of the tasks' sizes
	// Median is the working time of the median task: from its start to its end, or from the end of the last task
	// that it waited for in its container if that is later.
	Median time.Duration
	Skewed int           // number of unfinished tasks that are skewed
	Delay  time.Duration // by all skewed tasks together: without it each takes the median
	Worst  []SkewedTask
	Split  *Split         // of its largest remaining key; nil if no key is known
	Double *time.Duration // how much sooner the query would end with twice the tasks; nil if no key is known
}

// A SkewedTask is a task that works longer than the others of its stage.
type SkewedTask struct {
	Task    int
	Done    bool
	Running *dag.Attempt  // nil if none runs
	Size    float64       // in SizeUnit
	Share   float64       // of the stage's size, 0..1; NaN if a size is unknown
	Work    time.Duration // as for Skew.Median
	End     dag.Instant
	Delay   *time.Duration // by this one alone; nil if it is not skewed
	Keys    []SkewedKey    // its keys, largest first, at most dag.MaxTopGroups
}

// A SizeUnit is the unit of task sizes.
type SizeUnit uint8

// The units of sizes.
const (
	SizesUnknown SizeUnit = iota
	SizesBytes
	SizesRecords
)

// A SkewedKey is one of the largest key groups of a reduce.
type SkewedKey struct {
	Name      string // "" if only its size is known
	Bytes     float64
	TaskShare float64        // of its reduce's bytes, 0..1; NaN unknown
	JobShare  float64        // of its job's
	Took      time.Duration  // predicted time of the group
	Rule      string         // the rule of NearestFit that predicts it; RuleLinear if the job is predicted from bytes
	Left      bool           // it is not done
	Delay     *time.Duration // of the query's end, by this group; nil except for the largest remaining key
}

// RuleLinear means that a group takes a share of its reduce's time in proportion to its bytes.
const RuleLinear = "linear"

// A Split is the gain of the query if a key's values were spread over as many parts as the job has reduces, one for
// each reduce that is not done. This only works if the job can merge the results of the parts: a sum or a count can
// be merged, a median cannot.
type Split struct {
	Task   int
	Key    string // "" if it has no name
	Parts  int
	Sooner time.Duration
}

// Costs is a cost model for one snapshot: the cost of each task, and the remaining part of it. Its functions are
// pure.
//
// Full and Rem are in milliseconds, not rounded; Left is in whole milliseconds, as a replay needs it. None of them
// is NaN, infinite or negative. If a cost is unknown, the value is a floor, and its Cost's Origin shows it.
//
// Left, Full and Rem are required. The other fields are optional; their zero values mean that nothing is known.
type Costs struct {
	// Left returns the remaining cost of a task; see schedule.Left.
	Left schedule.Left
	// Full returns the time of the whole task i of job's stage k, set-up included.
	Full func(job int, k dag.StageIndex, i int) float64
	// Rem returns the remaining time of that task: 0 if it is done, Full if it does not run.
	Rem func(job int, k dag.StageIndex, i int) float64

	// Completed is the run's newest snapshot with another Plan. The plan has the same jobs in the same order, but
	// the model may have completed it, for example with the sizes of jobs to come and the cluster's overheads. The
	// scheduler replays this snapshot. Nil: the newest snapshot needs no completion.
	Completed *dag.Snapshot
	// Warnings are warnings about the costs for the reader.
	Warnings []dag.Warning
	// NodeFactors returns the factor of task times on nodes that are slower or faster than the others, by the
	// nodes' indices in Snapshot.Nodes. Nil: no such node is known.
	NodeFactors func() map[int32]float64
	// AssumedRatio returns the share of the schedule's remaining time that is assumed, 0..1. Nil: it follows from
	// the origins of the costs.
	AssumedRatio func(*schedule.Schedule) float64
	// Sampling prepares the draws of one tick from the model's own uncertainty about its costs. The returned
	// function is called once a replay, by several goroutines at once, so it must be pure. Sampling returns nil if
	// the model has too little data for any range. Nil: costs are drawn in a general way.
	Sampling func() func(Draws) Drawn
	// Measured means that assumed costs were measured on other programs, so a range covers them.
	Measured bool
	// Later returns the expected time of work that the engine has not announced, given the time of all known work,
	// and the probability of any such work. Nil: there is none, or nothing is known about it. It is only called for
	// open plans.
	Later func(known time.Duration) (expected time.Duration, probability float64)
	// Residuals are the errors of the ranges of earlier runs of this workflow, oldest run first.
	Residuals []dag.Residual
	// Groups are the costs of key groups.
	Groups GroupCosts
	// TaskSize returns the input of a task of a stage that reads others: bytes, or records if InRecords is set; NaN
	// if it is unknown. Nil: the plan has it.
	TaskSize  func(job int, k dag.StageIndex, task int) float64
	InRecords bool
}

// GroupCosts are a cost model's costs of the key groups of reduces. A nil function means that nothing is known.
type GroupCosts struct {
	// Of returns the key groups of a job's reduces, from this run or from a profile that fits it, nil if unknown.
	// It also returns the time of one group, nil if the job's reduces are not predicted from groups. There may be
	// more reduces than the job has; ignore the rest.
	Of func(job int) (*dag.Groups, GroupTime)
	// Used reports whether Left, Full and Rem predict a job's reduces from key groups.
	Used func(job int) bool
	// In returns Left with one change: the given form predicts the reduces of every job with suitable groups, even
	// if the model's own way is better. It returns nil if no remaining task is predicted so: then the form has no
	// estimate.
	In func(f GroupForm) schedule.Left
}

// A GroupTime returns the time of a group of a size in a reduce, in milliseconds, and the rule that predicts it.
type GroupTime func(task int, bytes float64) (ms float64, rule string)

// A Model returns the cost model for a run's newest snapshot. It must be a pure function.
type Model func(run dag.Run) Costs

// A GroupForm is a way to predict the work of reduces from their key groups (package nearestfit).
type GroupForm uint8

// The forms.
const (
	FormTheory            GroupForm = iota // NearestFit, every key is known with its size
	FormStream                             // NearestFit, the top keys are known and the rest as bytes (paratimer-tap)
	FormJobRatio                           // the job's time for a byte
	FormTaskRatio                          // the task's own time for a byte
	FormJobRatioSmoothed                   // the job's time for a byte, the newest weighing most
	FormTaskRatioSmoothed                  // the task's own time for a byte, the newest weighing most
	FormFitOnly                            // NearestFit without its neighbors
	FormNeighboursOnly                     // NearestFit without its curve
)
