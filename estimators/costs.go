package estimators

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Costs is a cost model for one snapshot: what each task costs, and what is left of it.
//
// Full and Rem are in milliseconds, not rounded; Left is in whole milliseconds, as a replay needs it. None of them
// is NaN, infinite or negative: what is not known is a floor, and its Cost's Origin says so.
type Costs interface {
	// Left is what is left of a task; see schedule.Left.
	Left(t schedule.Task) schedule.Cost
	// Full is what the whole task i of job's phase k takes, set-up included.
	Full(job int, k dag.Kind, i int) float64
	// Rem is what is left of that task: 0 if it is done, Full if it does not run.
	Rem(job int, k dag.Kind, i int) float64
}

// A Model makes the cost model for a run's newest snapshot. It must be a pure function.
type Model func(run dag.Run) Costs

// A Completer is a cost model that knows more of the plan than the snapshot says, such as the sizes of jobs to come and the
// overheads of the cluster. The scheduler is replayed on what Completed returns: the snapshot with another Plan, whose
// jobs are the same ones in the same order.
type Completer interface {
	Costs
	Completed() *dag.Snapshot
}

// A Warner is a cost model that adds what a reader must know about its costs.
type Warner interface {
	Warned() []dag.Warning
}

// A Pacer is a cost model that knows nodes that are slower or faster than the others: how many times as long their tasks take, by the
// nodes' indices in Snapshot.Nodes.
type Pacer interface {
	NodeFactors() map[int32]float64
}

// A Doubter is a cost model that says itself how much of the time that remains is assumed, 0..1.
type Doubter interface {
	AssumedRatio(*schedule.Schedule) float64
}

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
