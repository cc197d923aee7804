package estimators

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Costs is a cost model for one snapshot: the cost of each task, and the remaining part of it. Its functions are
// pure.
//
// Full and Rem are in milliseconds, not rounded; Left is in whole milliseconds, as a replay needs it. None of them
// is NaN, infinite or negative. If a cost is unknown, the value is a floor, and its Cost's Origin says so.
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
