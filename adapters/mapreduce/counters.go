package mapreduce

import (
	"math"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// count copies a task's counters to the attempt that they belong to; at is when the response was made. Counters that
// went back are copied as they are: the marks only move with a change. final means that they are the attempt's last
// ones.
func (j *job) count(a *dag.Attempt, c *mrjob.Counts, kind dag.StageIndex, final bool, at dag.Instant) {
	if !c.Reported {
		return
	}
	a.FirstReport = dag.FirstKnown(a.FirstReport, at)
	if kind == dag.Map {
		a.Done[0], a.Out, a.Bytes = c.MapIn, c.MapOut, c.Read
		a.Total[0] = mapTotal(a, j.known() && j.total(dag.Reduce) == 0, final)
	} else {
		a.Done[dag.Copy], a.Total[dag.Copy] = c.Copied, math.NaN()
		if j.known() {
			a.Total[dag.Copy] = float64(j.total(dag.Map))
		}
		a.Done[dag.Work], a.Out, a.Bytes = c.ReduceIn, c.ReduceOut, c.Shuffled
		if final {
			a.Total[dag.Work] = c.ReduceIn
		}
	}
	tasktable.Mark(a, workOf(kind), at)
}

// leastRead is the share of its input that a map must have read before its size is estimated. The progress is a
// moment older than the counter, so for a map that has just begun the quotient may be any number (recording etl-1:
// 106,494 records of 400).
const leastRead = 0.02

// mapTotal returns the tuples that a map reads in all: N = K / (progress / 66.7 %) while it reads
// (docs/facts/measured.md 4).
func mapTotal(a *dag.Attempt, mapOnly, final bool) float64 {
	k, share := a.Done[0], mrjob.MapShare
	if mapOnly {
		share = 1
	}
	switch {
	case final:
		return k
	case k > 0 && a.Ratio >= leastRead*share && a.Ratio < share:
		return k / (a.Ratio / share)
	case a.Total[0] < k:
		return k
	}
	return a.Total[0]
}

// workOf returns the pipeline in which a task of that kind processes its input.
func workOf(kind dag.StageIndex) int {
	if kind == dag.Map {
		return 0
	}
	return dag.Work
}
