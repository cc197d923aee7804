package cost

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A MapReduce job has two stages. The units of a map are its records, those of a reduce are the bytes that it has
// copied. The bytes are known when the copy ends, and the records follow from them (docs/facts/measured.md 4). A
// reduce that starts early copies until the last map has ended, so its work begins then.

// beginTask returns when a task of a MapReduce job could begin, and the expected part of the time since then in which
// its container started (over). start is what remains of that start while the task waits for its input. Both are in
// milliseconds.
func (m *Model) beginTask(st *stage, a *dag.Attempt) (from dag.Instant, over, start float64) {
	from, over = a.Start, m.starts.of(a)
	runs := a.State == dag.AttemptRunning
	switch {
	case !st.waits:
	case st.bytes && a.CopyEnd.Known() && (runs || a.CopyEnd <= a.End):
		return a.CopyEnd, 0, 0
	case runs && !st.input.Known():
		if from = m.s.At; st.bytes {
			start, over = max(0, over+copyMS-float64(m.s.At-a.Start)), 0 // it starts up and copies while maps go on
		}
	case st.bytes && st.input > a.Start:
		return min(st.input.Add(m.s.Plan.Overheads.Copy), m.s.At), 0, 0
	}
	return from, over, start
}

// unitsOf returns the total units of an attempt; NaN or 0 if its counters do not show them.
func (st *stage) unitsOf(a *dag.Attempt) float64 {
	succeeded := a.State == dag.AttemptSucceeded
	switch {
	case !st.single && succeeded:
		return st.recordsOf(a)
	case !st.single:
		return counted(a.Total[dag.Copy])
	case st.bytes && (a.CopyEnd.Known() || succeeded):
		return counted(a.Bytes)
	case st.bytes && a.Done[dag.Copy] > 0 && a.Total[dag.Copy] >= a.Done[dag.Copy]:
		return counted(a.Bytes * a.Total[dag.Copy] / a.Done[dag.Copy]) // bytes are proportional to copied outputs
	case st.bytes:
		return math.NaN()
	case succeeded && st.recordsOf(a) > 0:
		return st.recordsOf(a)
	case st.waits && a.Total[dag.Work] > 0:
		return counted(a.Total[dag.Work])
	}
	return counted(a.Total[dag.Copy])
}

// plannedUnits returns the units of the tasks of a MapReduce job in the run's own plan, whether their costs are known
// or not (the ParaTimer paper's debug run, section 4.1).
func plannedUnits(plan *dag.Stage, st *stage) dag.Series {
	switch n := len(plan.Pipelines); {
	case !st.single:
	case st.bytes:
		return plan.Bytes
	case n > 0:
		return plan.Pipelines[n-1].Tuples
	}
	return dag.Series{}
}

// startOf returns the milliseconds from an attempt's start to its first work; ok is false if reports do not show
// them. The first report of a map comes when work is under way, so the beginning is extrapolated by the map's own
// rate. A reduce shows its start only if no map was left to wait for.
func (m *Model) startOf(st *stage, a *dag.Attempt) (took float64, ok bool) {
	if st.waits {
		if !st.bytes || !a.CopyEnd.Known() || !st.input.Known() || st.input > a.Start {
			return 0, false
		}
		return max(0, float64(a.CopyEnd-a.Start)-copyMS), true
	}
	if !a.First.At.Known() || a.End.Known() && a.First.At >= a.End {
		return 0, false // it was seen only after its end
	}
	first, last, at := counted(a.First.Done), counted(a.Last.Done), a.Last.At
	if a.State == dag.AttemptSucceeded && a.Done[0] > first {
		last, at = counted(a.Done[0]), a.End
	}
	if at < a.First.At+1000 || !(last > first) {
		return 0, false
	}
	rate := float64(at-a.First.At) / (last - first)
	took = float64(a.First.At-a.Start) - m.lag - first*rate
	return took, took > 0
}

// observationLag returns the mean age of a counter when it is first seen, in milliseconds. Reports are sent at the
// interval Overheads.Report, and a new one is seen at the next observation. So the mean is half of the shorter
// interval.
func observationLag(run dag.Run) float64 {
	w := run.Window
	report := taskcost.MS(run.Now().Plan.Overheads.Report)
	if len(w) < 2 {
		return min(report/2, 500)
	}
	tick := float64(w[len(w)-1].At-w[0].At) / float64(len(w)-1)
	return min(report, tick) / 2
}
