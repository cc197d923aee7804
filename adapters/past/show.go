package past

import (
	"math"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A phaseView has the facts that all attempts of a phase share at an instant.
type phaseView struct {
	kind     dag.StageIndex
	maps     float64 // number of maps of the job
	copies   float64 // finished map outputs
	mapOnly  bool
	finished dag.Instant // end of the job; NoInstant if the history has none
	report   dag.Instant // milliseconds between two reports of a task; 0 unknown
	node     func(string) int32
}

// show returns the attempt as a live watcher would have seen it at t. ok is false before it started. was is the
// attempt in the previous snapshot, or nil.
//
// For a running attempt the history only has the progress, from which the input read so far follows. Its output so
// far is unknown before its end.
func (a *Attempt) show(v *phaseView, was *dag.Attempt, t dag.Instant) (out dag.Attempt, ok bool) {
	end, state, why := a.End, a.State, a.Diagnosis
	if !end.Known() {
		end, state = v.finished, dag.AttemptKilled
		why = "the history has no end of it"
	}
	switch {
	case a.Start.Known() && t < a.Start, !a.Start.Known() && (!end.Known() || t < end):
		return out, false
	}
	out = dag.BlankAttempt(a.Task, a.Number)
	if was != nil {
		out.First, out.Last, out.FirstReport = was.First, was.Last, was.FirstReport
	}
	out.Start, out.Node, out.State = a.Start, v.node(a.Node), dag.AttemptRunning
	if a.CopyEnd.Known() && a.CopyEnd <= t {
		out.CopyEnd = a.CopyEnd
	}
	if a.SortEnd.Known() && a.SortEnd <= t {
		out.SortEnd = a.SortEnd
	}
	if !end.Known() || t < end {
		a.progress(v, &out, t)
		return out, true
	}
	out.State, out.End, out.Diagnosis = state, end, why
	switch {
	case state == dag.AttemptSucceeded:
		a.final(v, &out, t)
		if a.Lost.Known() && a.Lost <= t {
			out.State, out.Diagnosis = a.LostAs, a.LostWhy
		}
	case was != nil: // it keeps its last known progress
		out.Ratio, out.Done, out.Total, out.Out, out.Bytes = was.Ratio, was.Done, was.Total, was.Out, was.Bytes
	}
	return out, true
}

// final sets the counters of the attempt's end.
func (a *Attempt) final(v *phaseView, out *dag.Attempt, t dag.Instant) {
	c := &a.Counts
	out.Ratio, out.Diagnosis = 1, ""
	work := 0
	if v.kind == dag.Map {
		out.Done[0], out.Total[0], out.Out, out.Bytes = c.MapIn, c.MapIn, c.MapOut, c.Read
	} else {
		work = dag.Work
		out.Done[dag.Copy], out.Total[dag.Copy] = c.Copied, v.maps
		out.Done[dag.Work], out.Total[dag.Work], out.Out, out.Bytes = c.ReduceIn, c.ReduceIn, c.ReduceOut, c.Shuffled
	}
	mark(out, work, t)
}

// progress sets the known facts of an attempt that runs at t. Interpolated progress is not shown as a counter.
func (a *Attempt) progress(v *phaseView, out *dag.Attempt, t dag.Instant) {
	if !a.Start.Known() {
		return
	}
	since := t - a.Start
	if v.report > 0 { // as of its last report
		since -= since % v.report
	}
	out.Ratio = a.course.ratio(float64(since))
	if v.kind == dag.Map {
		share := mrjob.MapShare
		if v.mapOnly {
			share = 1
		}
		if n := a.Counts.MapIn; n > 0 && !a.course.plain {
			if out.Done[0] = math.Floor(n * min(1, out.Ratio/share)); out.Done[0] > 0 {
				out.Total[0] = n // follows from the progress
			}
		}
		mark(out, 0, t)
		return
	}
	switch {
	case out.CopyEnd.Known():
		out.Done[dag.Copy], out.Total[dag.Copy], out.Bytes = v.maps, v.maps, a.Counts.Shuffled
	case !a.course.plain:
		out.Done[dag.Copy], out.Total[dag.Copy] = min(math.Floor(3*out.Ratio*v.maps), v.copies), v.maps
	}
	at := a.Start + since
	if n := a.Counts.ReduceIn; out.SortEnd.Known() && n > 0 && !a.course.plain {
		out.Done[dag.Work] = math.Floor(n * min(1, max(0, 3*out.Ratio-2)))
	}
	if out.SortEnd.Known() && at > out.SortEnd && a.evenly() {
		out.Out = math.Floor(a.Counts.ReduceOut * float64(at-out.SortEnd) / float64(a.End-out.SortEnd))
	}
	mark(out, dag.Work, t)
}

// evenly reports whether a reduce's output may be interpolated linearly between the end of its sort and its own end.
// The history does not have the output, and progress does not measure it: reading a large group at once moves
// progress to its end (docs/facts/measured.md 4). If the reports stopped long before the end, as in Streaming jobs,
// the output in between is unknown.
func (a *Attempt) evenly() bool {
	return a.State == dag.AttemptSucceeded && a.SortEnd.Known() && a.End > a.SortEnd &&
		(a.course.plain || a.course.at[twelfths-1] >= 0.9*float64(a.End-a.Start))
}

// mark records a report if counters are visible at t.
func mark(out *dag.Attempt, work int, t dag.Instant) {
	if !out.FirstReport.Known() && (out.Done[work] >= 0 || out.Done[0] >= 0) {
		out.FirstReport = t
	}
	if !(out.Done[work] > 0 || out.Out > 0) {
		return
	}
	m := dag.Mark{At: t, Done: out.Done[work], Out: out.Out}
	switch {
	case !out.First.At.Known():
		out.First, out.Last = m, m
	case !same(m.Done, out.Last.Done) || !same(m.Out, out.Last.Out):
		out.Last = m
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
