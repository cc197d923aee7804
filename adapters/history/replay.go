package history

import (
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
)

// A replay has the part of a job that snapshots show.
type replay struct {
	*Job
	nodes  map[string]int32  // by name
	shown  [2][]*dag.Attempt // parallel to the job's attempts; nil: not started
	phases [2][]dag.Attempt  // attempts in the previous snapshot
}

// stateAt returns the job's state at t. The history has the launch by the last master only, so the job counts as
// running under each earlier one. It is submitted again from the last master's start to its launch.
func (j *Job) stateAt(t dag.Instant) dag.State {
	n := j.attemptAt(t)
	switch {
	case j.Finished.Known() && t >= j.Finished:
		return j.State
	case j.Launched.Known() && t >= j.Launched, n > 0 && n < len(j.Masters):
		return dag.Running
	}
	return dag.Submitted
}

// attemptAt returns how many masters have started by t.
func (j *Job) attemptAt(t dag.Instant) int {
	return sort.Search(len(j.Masters), func(i int) bool { return j.Masters[i].At > t })
}

// at returns the job's part of the snapshot at t.
func (r *replay) at(t dag.Instant) dag.JobState {
	out := dag.JobState{
		ID: r.ID, State: r.stateAt(t), Submitted: r.Submitted, Started: dag.NoInstant, Finished: dag.NoInstant,
		Attempt: r.attemptAt(t), Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	if out.State != dag.Submitted && t >= r.Launched {
		out.Started = r.Launched
	}
	if out.State.Ended() {
		out.Finished = r.Finished
		if r.State != dag.Succeeded {
			out.Diagnosis = r.Diagnosis
		}
	}
	maps, reduces := &out.Stages[dag.Map], &out.Stages[dag.Reduce]
	maps.Attempts = r.phase(dag.Map, t, 0)
	reduces.Attempts = r.phase(dag.Reduce, t, maps.Succeeded())
	if out.Attempt > 0 {
		out.Master = r.Masters[out.Attempt-1].Node
		if l := &r.Settings.Limits; !r.Slots && !out.State.Ended() {
			out.HeldMB = r.Settings.MasterMB
			if !r.Uber {
				out.HeldMB += maps.Running()*l.MapMB + reduces.Running()*l.ReduceMB
			}
		}
	}
	return out
}

// phase returns the attempts that have started. It returns the previous snapshot's slice if nothing has changed.
// outputs is how many outputs of maps there are to copy.
func (r *replay) phase(k dag.StageIndex, t dag.Instant, outputs int) []dag.Attempt {
	shown, changed := r.shown[k], false
	for i, a := range r.Attempts[k] {
		was := shown[i]
		if was != nil && was.State != dag.AttemptRunning && (!a.Lost.Known() || was.State != dag.AttemptSucceeded) {
			continue // it will not change
		}
		if begun := dag.FirstKnown(a.Start, a.End); begun.Known() && begun <= t {
			shown[i], changed = r.show(a, was, t, outputs), true
		}
	}
	if changed {
		r.phases[k] = make([]dag.Attempt, 0, len(shown))
		for _, a := range shown {
			if a != nil {
				r.phases[k] = append(r.phases[k], *a)
			}
		}
	}
	return r.phases[k]
}

// show returns an attempt that has started as a live watcher would have seen it. was is the attempt in the previous
// snapshot, or nil.
func (r *replay) show(a *Attempt, was *dag.Attempt, t dag.Instant, outputs int) *dag.Attempt {
	out := a.Attempt
	if was != nil {
		out.First, out.Last, out.FirstReport = was.First, was.Last, was.FirstReport
	}
	out.Node = -1
	if n, ok := r.nodes[a.Node]; ok {
		out.Node = n
	}
	for _, known := range []*dag.Instant{&out.CopyEnd, &out.SortEnd} {
		if *known > t {
			*known = dag.NoInstant
		}
	}
	switch running := !a.End.Known() || t < a.End; {
	case running:
		out.State, out.End, out.Diagnosis = dag.AttemptRunning, dag.NoInstant, ""
		r.progress(a, &out, t, outputs)
	case a.State == dag.AttemptSucceeded:
		r.final(a, &out)
		if a.Lost.Known() && a.Lost <= t {
			out.State, out.Diagnosis = a.LostAs, a.LostWhy
		}
	case was != nil: // it keeps its last known progress
		out.Ratio, out.Done, out.Total, out.Out, out.Bytes = was.Ratio, was.Done, was.Total, was.Out, was.Bytes
		return &out
	default:
		return &out
	}
	work := mapreduce.WorkOf(a.Kind)
	if !out.FirstReport.Known() && (out.Done[work] >= 0 || out.Done[0] >= 0) {
		out.FirstReport = t
	}
	events.Mark(&out, work, t)
	return &out
}

// final sets the counters of a successful attempt's end.
func (r *replay) final(a *Attempt, out *dag.Attempt) {
	c, maps := &a.Counts, float64(r.Maps)
	out.Ratio, out.Diagnosis = 1, ""
	if a.Kind == dag.Map {
		out.Done[0], out.Total[0], out.Out, out.Bytes = c.MapIn, c.MapIn, c.MapOut, c.Read
		return
	}
	out.Done[dag.Copy], out.Total[dag.Copy] = c.Copied, maps
	out.Done[dag.Work], out.Total[dag.Work], out.Out, out.Bytes = c.ReduceIn, c.ReduceIn, c.ReduceOut, c.Shuffled
}

// progress sets the known facts of a running attempt, as of its last report. The history only has the progress, from
// which the input read so far follows. Interpolated progress is not shown as a counter. The output so far is unknown.
func (r *replay) progress(a *Attempt, out *dag.Attempt, t dag.Instant, outputs int) {
	since := t - a.Start
	if report := dag.Instant(r.Settings.Overheads.Report.Milliseconds()); report > 0 {
		since -= since % report
	}
	out.Ratio = a.course.ratio(float64(since))
	c, maps, measured := &a.Counts, float64(r.Maps), !a.course.plain
	if a.Kind == dag.Map {
		share := mapreduce.MapShare
		if r.mapOnly() {
			share = 1
		}
		if c.MapIn > 0 && measured {
			if out.Done[0] = math.Floor(c.MapIn * min(1, out.Ratio/share)); out.Done[0] > 0 {
				out.Total[0] = c.MapIn // follows from the progress
			}
		}
		return
	}
	switch {
	case out.CopyEnd.Known():
		out.Done[dag.Copy], out.Total[dag.Copy], out.Bytes = maps, maps, c.Shuffled
	case measured:
		out.Done[dag.Copy], out.Total[dag.Copy] = min(math.Floor(3*out.Ratio*maps), float64(outputs)), maps
	}
	if !out.SortEnd.Known() {
		return
	}
	if c.ReduceIn > 0 && measured {
		out.Done[dag.Work] = math.Floor(c.ReduceIn * min(1, max(0, 3*out.Ratio-2)))
	}
	if at := a.Start + since; at > out.SortEnd && a.evenly() {
		out.Out = math.Floor(c.ReduceOut * float64(at-out.SortEnd) / float64(a.End-out.SortEnd))
	}
}

// evenly reports whether a reduce's output may be interpolated linearly between the end of its sort and its own end.
// The history does not have the output, and progress does not measure it: reading a large group at once moves
// progress to its end (facts/measured.md 4). If the reports stopped long before the end, as in Streaming jobs,
// the output in between is unknown.
func (a *Attempt) evenly() bool {
	return a.State == dag.AttemptSucceeded && a.SortEnd.Known() && a.End > a.SortEnd &&
		(a.course.plain || a.course.at[twelfths-1] >= 0.9*float64(a.End-a.Start))
}

// twelfths is the number of progress parts with recorded times in Hadoop (PeriodicStatsAccumulator).
const twelfths = 12

// A course is an attempt's progress over time. at[i] is when (i+1)/12 of it was reached, in ms since its start. begun
// is when its work began, as far as the splits show. A plain course has no splits: it interpolates linearly between
// the known instants.
type course struct {
	at    [twelfths]float64
	begun float64
	plain bool
}

// courseOf returns the course of an attempt from the times of its twelfths. mapOnly means that no reduce follows.
//
// Hadoop divides the time between two reports evenly among the twelfths that were reached in it. If all twelfths took
// about as long, there was no report before the end, and the course is plain. cut removes the last twelfths of an
// unsuccessful attempt. The ends of copy and sort correct the twelfths of a reduce. The first twelfths of a map include
// its set-up: setUp computes it as their excess over the median of the others.
func courseOf(a *Attempt, mapOnly bool) course {
	if !a.Start.Known() || len(a.Splits) != twelfths {
		return plainCourse(a)
	}
	low, high := slices.Min(a.Splits), slices.Max(a.Splits)
	if low < 0 || high == 0 || high-low <= max(2, high/50) {
		return plainCourse(a)
	}
	var c course
	sum := 0.0
	for i, ms := range a.Splits {
		sum += float64(ms)
		c.at[i] = sum
	}
	if a.State != dag.AttemptSucceeded {
		c.cut(a.Splits)
		return c
	}
	if a.Kind == dag.Reduce {
		c.pin(a)
		return c
	}
	reading := twelfths
	if !mapOnly {
		reading = twelfths * 2 / 3
	}
	c.setUp(a.Splits[1:reading], reading)
	return c
}

// cut removes the parts that an unsuccessful attempt never reached. Its end counts as full progress, which fills the
// parts after the last report evenly.
func (c *course) cut(parts []int32) {
	last := twelfths - 1
	low, high := parts[last], parts[last]
	for ; last >= 0; last-- {
		low, high = min(low, parts[last]), max(high, parts[last])
		if high-low > 2 {
			return
		}
		c.at[last] = math.Inf(1)
	}
}

// plainCourse interpolates linearly from the start to the end, through the ends of copy and sort if they are known.
// The progress of an unsuccessful attempt is unknown, so it stays at zero.
func plainCourse(a *Attempt) course {
	c := course{plain: true}
	if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() {
		return c
	}
	took, copied, sorted := float64(a.End-a.Start), float64(a.CopyEnd-a.Start), float64(a.SortEnd-a.Start)
	for i := range c.at {
		c.at[i] = took * float64(i+1) / twelfths
	}
	if a.CopyEnd >= a.Start && a.SortEnd >= a.Start {
		const third = twelfths / 3
		stops := []float64{0, min(copied, sorted), sorted, took}
		for i := range c.at {
			from, to := stops[i/third], stops[i/third+1]
			c.at[i] = from + (to-from)*float64(i%third+1)/third
		}
	}
	return c
}

// setUp finds when reading began.
func (c *course) setUp(parts []int32, reading int) {
	sorted := slices.Sorted(slices.Values(parts))
	typical := float64(sorted[len(sorted)/2])
	c.begun = max(0, c.at[reading-1]-float64(reading)*typical)
	for i := range c.at {
		c.at[i] = max(c.at[i], c.begun+float64(i+1)*typical*min(1, float64(reading)/float64(i+1)))
	}
}

// pin sets the ends of copy and sort, which are known to the millisecond, as one third and two thirds of progress.
func (c *course) pin(a *Attempt) {
	third := func(end dag.Instant, last int) {
		if !end.Known() || end < a.Start {
			return
		}
		at := float64(end - a.Start)
		for i := range c.at {
			if i <= last {
				c.at[i] = min(c.at[i], at)
			} else {
				c.at[i] = max(c.at[i], at)
			}
		}
		c.at[last] = at
	}
	third(a.CopyEnd, twelfths/3-1)
	third(a.SortEnd, twelfths*2/3-1)
}

// ratio returns the progress ms milliseconds after the start, from 0 to 1.
func (c *course) ratio(ms float64) float64 {
	if c.at[twelfths-1] <= 0 {
		return 0 // nothing is known
	}
	from, done := c.begun, 0.0
	for i, to := range c.at {
		part := 1.0 / twelfths
		if ms < to {
			if ms <= from {
				return done
			}
			return done + part*(ms-from)/(to-from)
		}
		from, done = max(from, to), float64(i+1)/twelfths
	}
	return 1
}
