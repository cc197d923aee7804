package cost

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// A normal is a normal distribution.
type normal struct{ mean, sigma float64 }

// A stage is the state of the model for one stage: what its tasks have shown, and what is expected of them.
type stage struct {
	j      int
	k      dag.StageIndex
	job    *dag.Job
	plan   *dag.Stage
	state  *dag.StageState
	n      int    // number of its tasks
	single bool   // stage of a MapReduce job: each task has its own container
	maps   bool   // the maps of a MapReduce job
	bytes  bool   // units are bytes
	prior  prior  // tasks in the profile or in the run's own plan
	keyed  *keyed // prediction by key groups; nil: they are not used

	// The observations of the stage in this run.

	ended     []*observation // by task
	running   []*observation // by task
	lost      []*observation // killed attempts of tasks that must run again
	records   bool           // units are records or bytes, not tasks
	done      float64        // units that the ended tasks read
	wrote     float64        // records that the ended tasks wrote
	usual     float64        // median milliseconds of the tasks that have ended; 0 before
	heads     int            // tasks below this index would be the first of the stage on a core
	waits     bool           // its tasks wait on their cores or in their containers for the tasks that they read
	input     dag.Instant    // end of the last task that they read; NoInstant before
	open      bool           // submitted
	opens     dag.Instant    // executors: when its input was complete and it was submitted; NoInstant before
	pause     float64        // milliseconds that the driver worked alone before it submitted the stage
	requested dag.Instant    // from when on containers may have been launched for its waiting tasks

	// The time that its tasks need at pace 1, in milliseconds, without the change of the stage.

	planned dag.Series // units by task in the run's own plan
	growth  growth     // units of the stage against the profile's
	units   []float64  // by task; NaN: unknown
	work    []float64  // by task; without a profile relative to the mean task of the stage
	average float64    // of work, in a sampled replay
	alike   []int      // by task, number of consecutive tasks from it on with the same cost
	every   float64    // overhead of each task
	head    float64    // extra overhead of the first task of the stage on a core

	// The posterior of the change of the stage, given the paces of the run.

	origin schedule.Origin
	change normal             // d_s; without a profile, the logarithm of the milliseconds of a task
	up     normal             // change of the starts of its own containers
	own    estimators.Factors // of the residuals of tasks
	unseen estimators.Factors // for running tasks without reports, with the uncertainty that they share
	// weight of the rate of the stage against the own rate of a running task, in milliseconds of work; 0:
	// taskcost.PriorMS
	ownPrior float64
}

// An observation is an attempt that succeeded, runs or is lost, with what it has shown. Times are milliseconds.
type observation struct {
	attempt *dag.Attempt
	task    int
	took    float64 // from the instant at which it could begin to its end; if it runs, its age
	waited  float64 // before that, on its core or in its container
	units   float64 // that it reads in all; 0: unknown
	over    float64 // expected start of its own container, in took
	up      float64 // start by its reports; NaN: unknown
	start   float64 // rest of the start of a running attempt while it waits for its input
	read    float64 // part of the units that a running attempt has read by its last report, 0..1
	part    float64 // part of the units that it read between its first and its last report
	partMS  float64 // time between these reports
	cold    bool    // first task on its core or in its container
	first   bool    // first task of its stage on its core
}

// kind returns 1 for a head, an attempt with extra overhead: the first on its core or in its container, or of its
// stage there. Else it returns 0.
func (e *observation) kind() int {
	if e.first || e.cold {
		return 1
	}
	return 0
}

// worked returns the milliseconds of an ended task, without the start of its container if its reports show that
// start.
func (e *observation) worked() float64 {
	if e.up >= 0 {
		return max(0, e.took-e.up)
	}
	return e.took
}

// runningAs returns what a running attempt has shown. An attempt that is not in the run has only its age, from its
// start.
func (st *stage) runningAs(a *dag.Attempt, now dag.Instant) *observation {
	for _, r := range st.runningOf(int(a.Task)) {
		if r.attempt == a {
			return r
		}
	}
	r := &observation{attempt: a, task: int(a.Task), up: math.NaN()}
	if a.Start.Known() {
		r.took = max(0, float64(now-a.Start))
	}
	return r
}

// runningOf returns what the running attempts of a task have shown.
func (st *stage) runningOf(task int) []*observation {
	compare := func(r *observation, task int) int { return cmp.Compare(r.task, task) }
	from, _ := slices.BinarySearchFunc(st.running, task, compare)
	to, _ := slices.BinarySearchFunc(st.running, task+1, compare)
	return st.running[from:to]
}

// countUnits chooses the unit of a stage's work. Each task counts as one unit if more than a tenth of the ended tasks
// lack counters, or if the profile has none.
func (st *stage) countUnits() {
	n, withUnits, took := len(st.ended), 0, make([]float64, len(st.ended))
	for i, e := range st.ended {
		if took[i] = float64(e.attempt.End - e.attempt.Start); e.units > 0 {
			withUnits++
		}
		if out := counted(e.attempt.Out); out > 0 {
			st.wrote += out
		}
	}
	st.records = n > 0 && 10*withUnits >= 9*n
	if n == 0 {
		reads := func(r *observation) bool { return st.recordsOf(r.attempt) > 0 || r.units > 0 }
		st.records = slices.ContainsFunc(st.running, reads) || slices.ContainsFunc(st.lost, reads)
	}
	if st.prior.N > 0 {
		if st.records = st.prior.Records && (st.records || n == 0); !st.records {
			st.prior.asTasks()
		}
	}
	for _, e := range st.ended {
		if !st.records {
			e.units = 1
		}
		st.done += e.units
	}
	if slices.Sort(took); n > 0 {
		st.usual = took[n/2]
	}
}

// A MapReduce job has two stages. The units of a map are its records, those of a reduce are the bytes that it has
// copied. The bytes are known when the copy ends, and the records follow from them (facts/measured.md 4).

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
func (st *stage) plannedUnits() dag.Series {
	switch n := len(st.plan.Pipelines); {
	case !st.single:
	case st.bytes:
		return st.plan.Bytes
	case n > 0:
		return st.plan.Pipelines[n-1].Tuples
	}
	return dag.Series{}
}

// recordsOf returns how many records an attempt has read; NaN if unknown. A map has one pipeline.
func (st *stage) recordsOf(a *dag.Attempt) float64 {
	if v := a.Done[dag.Work]; !math.IsNaN(v) && !st.maps {
		return counted(v)
	}
	return counted(a.Done[dag.Copy])
}

// counted returns the value of a counter; NaN if it is out of the bounds within which sums and rates of hostile
// counters are finite.
func counted(v float64) float64 {
	if v == 0 || v >= taskcost.LeastCounted && v <= dag.MaxInputBytes {
		return v
	}
	return math.NaN()
}

// worked returns how many units were worked on, given the records read and written and the selectivity sel. A task
// that reads all records of a key before it writes counts them too early. Then the records that it has written are
// the limit (facts/tez.md T4).
func (st *stage) worked(read, wrote, sel float64) float64 {
	switch {
	case st.bytes && sel > 0 && wrote >= 0:
		return wrote / sel // its units are bytes, not records
	case st.bytes:
		return 0
	}
	if sel > 0 && wrote >= 0 && !st.single {
		read = min(read, wrote/sel)
	}
	return read
}

// selectivity returns how many records a stage writes per unit that it reads; 0 if unknown.
func (st *stage) selectivity() float64 {
	switch {
	case st.wrote > 0 && st.done > 0:
		return st.wrote / st.done
	case st.prior.Records && st.prior.Total > 0:
		return st.prior.Out / st.prior.Total
	}
	return 0
}

// shareOf returns the share of its work that a running attempt has done by the engine's progress; 0 if it is unknown.
// For a task that waits for its input, the wait is half of the progress.
func (st *stage) shareOf(a *dag.Attempt) float64 {
	share := a.Ratio
	switch {
	case st.single && !st.bytes || st.bytes && !(a.Last.Done > a.First.Done):
		return 0 // its records show it, or it reads all of its input before it works
	case st.bytes:
		share = 3*share - 2 // copy and sort are a third each (ReduceTask)
	case st.waits:
		share = 2*share - 1
	}
	if share > 0.02 && share <= 1 {
		return share
	}
	return 0
}

// findAlike counts for each task the consecutive tasks from it on that have the same cost.
func (st *stage) findAlike() {
	st.alike = make([]int, st.n)
	for i := st.n - 1; i >= 0; i-- {
		st.alike[i] = 1
		if next := i + 1; next < st.n && st.work[next] == st.work[i] && next != st.heads &&
			(st.keyed == nil || st.keyed.whole(next) == st.keyed.whole(i)) {
			st.alike[i] += st.alike[next]
		}
	}
}
