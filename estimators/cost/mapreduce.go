package cost

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A MapReduce job is two stages. A map's work is counted in records, a reduce's in the bytes that it has copied:
// these are known when the copy ends, and give its records (docs/facts/measured.md 4). A reduce that starts early
// copies until the last map has ended, so its work begins then.

// beginTask is when a task of a MapReduce job could begin, and what the start of its container is expected to be of the
// time since then. start is what is left of that while it waits for its input.
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

// unitsOf is how many units an attempt works on in all; NaN or 0 if its counters do not say it.
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
		return counted(a.Bytes * a.Total[dag.Copy] / a.Done[dag.Copy]) // bytes grow with the outputs that were copied
	case st.bytes:
		return math.NaN()
	case succeeded && st.recordsOf(a) > 0:
		return st.recordsOf(a)
	case st.waits && a.Total[dag.Work] > 0:
		return counted(a.Total[dag.Work])
	}
	return counted(a.Total[dag.Copy])
}

// plannedUnits are the units of the tasks of a MapReduce job that the run's own plan has, be their costs known or not
// (the ParaTimer paper's debug run, section 4.1).
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

// startOf is how long an attempt took from its start to its first work, in milliseconds. The first report of a map
// comes when work is under way: by its own rate this goes back to where that began. A reduce shows it only if no map
// was left to wait for.
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

// observationLag is how old a counter is on average when it is first seen, in milliseconds: a report is sent each
// Report, and a new one is seen at the first observation after it. So it is half of the shorter of the two.
func observationLag(run dag.Run) float64 {
	w := run.Window
	report := taskcost.MS(run.Now().Plan.Overheads.Report)
	if len(w) < 2 {
		return min(report/2, 500)
	}
	tick := float64(w[len(w)-1].At-w[0].At) / float64(len(w)-1)
	return min(report, tick) / 2
}
