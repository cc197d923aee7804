package estimators

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Costs is a cost model for one snapshot: what each task costs, and what is left of it. Its functions are pure.
//
// Full and Rem are in milliseconds, not rounded; Left is in whole milliseconds, as a replay needs it. None of them
// is NaN, infinite or negative: what is not known is a floor, and its Cost's Origin says so.
//
// Left, Full and Rem must be there. A model says more by the other fields, whose zero values say nothing.
type Costs struct {
	// Left is what is left of a task; see schedule.Left.
	Left schedule.Left
	// Full is what the whole task i of job's phase k takes, set-up included.
	Full func(job int, k dag.StageIndex, i int) float64
	// Rem is what is left of that task: 0 if it is done, Full if it does not run.
	Rem func(job int, k dag.StageIndex, i int) float64

	// Completed is the run's newest snapshot with another Plan, whose jobs are the same ones in the same order: the
	// model may know more of it, such as the sizes of jobs to come and the overheads of the cluster. The scheduler is
	// replayed on it. Nil: on the newest snapshot as it is.
	Completed *dag.Snapshot
	// Warnings are what a reader must know about the costs.
	Warnings []dag.Warning
	// NodeFactors returns how many times as long tasks take on nodes that are slower or faster than the others, by the
	// nodes' indices in Snapshot.Nodes. Nil: no such node is known.
	NodeFactors func() map[int32]float64
	// AssumedRatio says how much of the time that remains by a schedule is assumed, 0..1. Nil: the origins of the costs
	// say it.
	AssumedRatio func(*schedule.Schedule) float64
	// Sampling prepares the draws of one tick from what the model knows of how far its costs may be off. What it
	// returns is called once a replay, by several goroutines at once; it must be a pure function. It returns nil if the
	// model knows too little for any range. Nil: costs are drawn in a general way.
	Sampling func() func(Draws) Drawn
	// Measured says that what is assumed of tasks was measured on other programs, so that a range holds it.
	Measured bool
	// Later is how long work is expected to take that the engine has not announced, after so long for all that is
	// known, and how likely there is any; nil: there is none, or nothing is known of it. It is asked of open plans.
	Later func(known time.Duration) (expected time.Duration, probability float64)
	// Residuals are how wrong the ranges of earlier runs of this workflow were, oldest run first.
	Residuals []dag.Residual
	// Groups are what the model knows of key groups.
	Groups GroupCosts
	// TaskSize is how much a task of a stage that reads others is given: bytes, or records if InRecords is set; NaN if
	// it is not known. Nil: the plan says it.
	TaskSize  func(job int, k dag.StageIndex, task int) float64
	InRecords bool
}

// GroupCosts are what a cost model knows of the key groups of reduces. Of each function nil says that it knows nothing.
type GroupCosts struct {
	// Of is what is known of the key groups of a job's reduces, in this run or in a profile that fits it, nil where
	// nothing is; and what one of them takes, nil where the job's reduces go by something else. There may be more
	// reduces than the job has: those are nobody's.
	Of func(job int) (*dag.Groups, GroupTime)
	// Used says whether Left, Full and Rem go by the key groups of a job.
	Used func(job int) bool
	// In is Left with the reduces of every job whose groups allow it predicted in one form, be that better than the
	// model's own way or not. It returns nil if no task that is left is predicted so: then the form says nothing.
	In func(f GroupForm) schedule.Left
}

// used says whether the costs go by the key groups of a job.
func (g *GroupCosts) used(job int) bool { return g.Used != nil && g.Used(job) }

// A Model makes the cost model for a run's newest snapshot. It must be a pure function.
type Model func(run dag.Run) Costs

// maxMS bounds one cost, at about 30 years: sums over a query's longest chain stay within a time.Duration.
const maxMS = 1e12

// tame makes a cost out of any float: never NaN, never negative, never beyond maxMS.
func tame(ms float64) float64 {
	if !(ms > 0) {
		return 0
	}
	return min(ms, maxMS)
}

// duration converts milliseconds, saturating at 0 and at the longest time.Duration.
func duration(ms float64) time.Duration {
	switch ns := math.Round(ms * 1e6); {
	case !(ns > 0):
		return 0
	case ns >= math.MaxInt64:
		return math.MaxInt64
	default:
		return time.Duration(ns)
	}
}

// whole rounds milliseconds half up (docs/facts/paratimer.md P2) to a duration of whole milliseconds.
func whole(ms float64) time.Duration {
	return time.Duration(math.Floor(tame(ms)+0.5)) * time.Millisecond
}

// millis converts a duration to milliseconds.
func millis(d time.Duration) float64 { return float64(d) / 1e6 }

// A GroupForm is a way to predict the work of reduces from their key groups (package nearestfit).
type GroupForm uint8

// The forms.
const (
	FormTheory            GroupForm = iota // NearestFit, every key is known with its size
	FormStream                             // NearestFit, the top keys are known and the rest as bytes (paratimer-tap)
	FormCounters                           // NearestFit, what counters did between two reports
	FormJobRatio                           // the job's time for a byte
	FormTaskRatio                          // the task's own time for a byte
	FormJobRatioSmoothed                   // the job's time for a byte, the newest weighing most
	FormTaskRatioSmoothed                  // the task's own time for a byte, the newest weighing most
	FormFitOnly                            // NearestFit without its neighbours
	FormNeighboursOnly                     // NearestFit without its curve
)

// inForm is the time that remains with the work of reduces in one form: the standard replay on other costs. It is too
// early to say where the form has no data of any reduce that is left.
func (w *ReplayContext) inForm(f GroupForm) (Estimate, error) {
	if w.ended() {
		return w.estimate(0), nil
	}
	var left schedule.Left
	if in := w.Costs.Groups.In; in != nil {
		left = in(f)
	}
	if left == nil {
		return Estimate{Progress: math.NaN()}, nil
	}
	end, err := w.end(left)
	if err != nil {
		return Estimate{}, err
	}
	e := w.estimate(millis(end.Sub(w.Now().At)))
	e.Origin = schedule.Observed
	return e, nil
}
