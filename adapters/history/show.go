package history

import (
	"math"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// An attemptView shows attempts of a job at an instant.
type attemptView struct {
	at      dag.Instant
	job     *Job
	cluster *cluster
	outputs int // of finished maps
}

// show returns the attempt as a live watcher would have seen it. started is false before it started. was is the
// attempt in the previous snapshot, or nil.
//
// For a running attempt the history only has the progress, from which the input read so far follows. Its output so
// far is unknown before its end.
func (v *attemptView) show(a *Attempt, was *dag.Attempt) (out dag.Attempt, started bool) {
	end, state, why := a.End, a.State, a.Diagnosis
	if !end.Known() {
		end, state, why = v.job.Finished, dag.AttemptKilled, noEnd
	}
	ended := end.Known() && v.at >= end
	if a.Start.Known() && v.at < a.Start || !a.Start.Known() && !ended {
		return out, false
	}
	out = a.Attempt
	if was != nil {
		out.First, out.Last, out.FirstReport = was.First, was.Last, was.FirstReport
	}
	out.Node = v.cluster.node(a.Node)
	for _, known := range []*dag.Instant{&out.CopyEnd, &out.SortEnd} {
		if *known > v.at {
			*known = dag.NoInstant
		}
	}
	if !ended {
		out.State, out.End, out.Diagnosis = dag.AttemptRunning, dag.NoInstant, ""
		v.progress(a, &out)
		return out, true
	}
	out.State, out.End, out.Diagnosis = state, end, why
	switch {
	case state == dag.AttemptSucceeded:
		v.final(a, &out)
		if a.Lost.Known() && a.Lost <= v.at {
			out.State, out.Diagnosis = a.LostAs, a.LostWhy
		}
	case was != nil: // it keeps its last known progress
		out.Ratio, out.Done, out.Total, out.Out, out.Bytes = was.Ratio, was.Done, was.Total, was.Out, was.Bytes
	}
	return out, true
}

// final sets the counters of the attempt's end.
func (v *attemptView) final(a *Attempt, out *dag.Attempt) {
	c, maps := &a.Counts, float64(v.job.Maps)
	out.Ratio, out.Diagnosis = 1, ""
	if a.Kind == dag.Map {
		out.Done[0], out.Total[0], out.Out, out.Bytes = c.MapIn, c.MapIn, c.MapOut, c.Read
		mark(out, 0, v.at)
		return
	}
	out.Done[dag.Copy], out.Total[dag.Copy] = c.Copied, maps
	out.Done[dag.Work], out.Total[dag.Work], out.Out, out.Bytes = c.ReduceIn, c.ReduceIn, c.ReduceOut, c.Shuffled
	mark(out, dag.Work, v.at)
}

// progress sets the known facts of a running attempt. Interpolated progress is not shown as a counter.
func (v *attemptView) progress(a *Attempt, out *dag.Attempt) {
	if !a.Start.Known() {
		return
	}
	since := v.at - a.Start
	if report := dag.Instant(v.job.Settings.Overheads.Report.Milliseconds()); report > 0 { // as of its last report
		since -= since % report
	}
	out.Ratio = a.course.ratio(float64(since))
	if a.Kind == dag.Map {
		share := mrjob.MapShare
		if v.job.mapOnly() {
			share = 1
		}
		if n := a.Counts.MapIn; n > 0 && !a.course.plain {
			if out.Done[0] = math.Floor(n * min(1, out.Ratio/share)); out.Done[0] > 0 {
				out.Total[0] = n // follows from the progress
			}
		}
		mark(out, 0, v.at)
		return
	}
	maps := float64(v.job.Maps)
	switch {
	case out.CopyEnd.Known():
		out.Done[dag.Copy], out.Total[dag.Copy], out.Bytes = maps, maps, a.Counts.Shuffled
	case !a.course.plain:
		out.Done[dag.Copy], out.Total[dag.Copy] = min(math.Floor(3*out.Ratio*maps), float64(v.outputs)), maps
	}
	at := a.Start + since
	if n := a.Counts.ReduceIn; out.SortEnd.Known() && n > 0 && !a.course.plain {
		out.Done[dag.Work] = math.Floor(n * min(1, max(0, 3*out.Ratio-2)))
	}
	if out.SortEnd.Known() && at > out.SortEnd && a.evenly() {
		out.Out = math.Floor(a.Counts.ReduceOut * float64(at-out.SortEnd) / float64(a.End-out.SortEnd))
	}
	mark(out, dag.Work, v.at)
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
	tasktable.Mark(out, work, t)
}
