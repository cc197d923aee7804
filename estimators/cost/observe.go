package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// observations are the data that a run has shown until its newest snapshot, and those of its profile.
type observations struct {
	numbers   *Numbers
	s         *dag.Snapshot // the newest snapshot, its plan completed from the profile
	profile   *profiles.Match
	given     bool      // the run's own plan has all costs
	mapReduce bool      // all jobs are MapReduce jobs
	executors bool      // tasks run on the cores of executors, not in containers
	lag       float64   // mean age of a counter when it is first seen, in milliseconds
	stages    [][]stage // by job and stage
	ordered   []*stage  // each after the stages that it reads
	cores     cores
	starts    starts // of containers that run one task each
}

// observe returns the observations of a run. If numbers is nil, they are those of its engine.
func observe(run dag.Run, numbers *Numbers) observations {
	now := run.Now()
	if numbers == nil {
		numbers = Of(now.Plan)
	}
	o := observations{
		numbers: numbers, profile: profiles.Find(now), given: profiles.HasCosts(now.Plan), lag: observationLag(run),
		mapReduce: now.Plan.OnlyMapReduce(), executors: now.Plan.Cluster.Policy == dag.Executors,
	}
	o.s = o.profile.Complete(now)
	o.starts = o.startsOf()
	if o.mapReduce {
		o.s.Load = expectedLoad(run, o.s.Plan, o.starts.at(2, false))
	}
	o.cores = coresOf(o.s)
	plan := o.s.Plan
	o.stages = dag.ByStage[stage](plan)
	for _, j := range plan.Order() {
		job := &plan.Jobs[j]
		for k := range job.NumStages() {
			st := &o.stages[j][k]
			*st = stage{
				j: j, k: k, job: job, plan: &job.Stages[k], state: &dag.StageState{}, n: job.Stages[k].Count(),
				input: dag.NoInstant, opens: dag.NoInstant, requested: dag.NoInstant, origin: schedule.Assumed,
			}
			st.single = job.IsMapReduce()
			st.maps = st.single && k == dag.Map
			st.bytes = st.single && k == dag.Reduce && plan.Cluster.Policy != dag.FIFO
			st.planned, st.prior = st.plannedUnits(), o.priorOf(st)
			if j < len(o.s.Jobs) && int(k) < len(o.s.Jobs[j].Stages) {
				st.state = &o.s.Jobs[j].Stages[k]
				o.observeStage(st)
			}
			o.ordered = append(o.ordered, st)
		}
	}
	return o
}

// observationLag returns the mean age of a counter when it is first seen, in milliseconds. Reports are sent at the
// interval Overheads.Report, and a new one is seen at the next observation. So the mean is half of the shorter
// interval.
func observationLag(run dag.Run) float64 {
	seen := run.Seen
	report := taskcost.MS(run.Now().Plan.Overheads.Report)
	if len(seen) < 2 {
		return min(report/2, 500)
	}
	tick := float64(seen[len(seen)-1]-seen[0]) / float64(len(seen)-1)
	return min(report, tick) / 2
}

// observeStage reads what the attempts of a stage have shown.
func (o *observations) observeStage(st *stage) {
	attempts := st.state.Attempts
	firsts := map[int32]dag.Instant{} // when the first attempt on each core started
	o.findInput(st)
	if !st.single {
		if st.job.Rules == dag.AncestorsFirst {
			st.requested = o.requestedSince(st)
		}
		for i := range attempts {
			a := &attempts[i]
			if t, ok := firsts[a.Slot]; o.executors && a.Slot >= 0 && a.Start.Known() && (!ok || a.Start < t) {
				firsts[a.Slot] = a.Start
			}
		}
		st.heads = headsOf(attempts, st.n, o.s.Plan.Cluster.Cores-len(firsts))
	}
	all, last := make([]observation, 0, len(attempts)), int32(-1)
	for i := range attempts {
		a := &attempts[i]
		runs, ends := a.State == dag.AttemptRunning, a.State == dag.AttemptSucceeded && a.End.Known() && a.Task != last
		// Until the core of an attempt is reported, its start and end are only those of the observations around it.
		unread := !st.single && a.Slot < 0 && len(o.cores.firsts) > 0
		lost := isLost(attempts, i)
		if a.Task < 0 || int(a.Task) >= st.n || !a.Start.Known() || !runs && !lost && (!ends || unread) {
			continue
		}
		all = append(all, o.observeAttempt(st, i, firsts))
		switch e := &all[len(all)-1]; {
		case runs:
			st.running = append(st.running, e)
		case lost:
			st.lost = append(st.lost, e)
		default:
			st.ended, last = append(st.ended, e), a.Task
		}
	}
	st.countUnits()
}

// isLost reports whether attempt i was killed with reported work, its task must run again, and no later attempt of the
// task was killed.
func isLost(attempts []dag.Attempt, i int) bool {
	a := &attempts[i]
	if a.State != dag.AttemptKilled || !a.End.Known() || !a.Last.At.Known() {
		return false
	}
	task, _ := dag.StateOf(dag.AttemptsOf(attempts, int(a.Task)))
	last := i+1 == len(attempts) || attempts[i+1].Task != a.Task || attempts[i+1].State != dag.AttemptKilled
	return last && task != dag.TaskDone
}

// observeAttempt returns what attempt i of a stage has shown, whether it runs or has ended. firsts has the starts of
// the first attempts of the stage on each core.
func (o *observations) observeAttempt(st *stage, i int, firsts map[int32]dag.Instant) observation {
	a := &st.state.Attempts[i]
	e := observation{attempt: a, task: int(a.Task), up: math.NaN()}
	var from dag.Instant
	if st.single {
		if from, e.over, e.start = o.beginTask(st, a); e.over > 0 {
			e.up = o.startOf(st, a)
		}
	} else {
		e.first, e.cold = isFirst(firsts, a), isFirst(o.cores.firsts, a)
		from = o.begin(st, i, e.first)
	}
	if u := st.unitsOf(a); u > 0 {
		e.units = u
	}
	e.took, e.waited = max(0, float64(o.s.At-from)), max(0, float64(from-a.Start))
	if a.State != dag.AttemptRunning {
		if e.took = max(0, float64(a.End-o.s.At)+e.took); e.up > e.took {
			e.up = e.took
		}
	}
	return e
}

// begin returns when an attempt could begin. In a container, all of its input must be complete. On a core, the first
// task includes the time in which the driver plans and sends the stage while the core is idle. A later task includes
// the idle time before it, if that is shorter than the task. A task with several attempts includes the time since the
// first attempt that overlaps and did not fail.
func (o *observations) begin(st *stage, i int, first bool) dag.Instant {
	attempts := st.state.Attempts
	a := &attempts[i]
	from := a.Start
	if !o.executors {
		if from = from.Add(o.s.Plan.Cluster.Setup); st.waits && !st.input.Known() {
			return max(from, o.s.At)
		}
		return max(from, st.input)
	}
	if free := o.cores.freeBefore(a.Slot, a.Start); free.Known() && a.Slot >= 0 {
		switch {
		case first && st.opens.Known():
			from = min(from, max(free, st.opens))
		case !first && a.End.Known() && a.Start-free < a.End-a.Start:
			from = free
		}
	}
	for n := i - 1; n >= 0 && attempts[n].Task == a.Task; n-- {
		b := &attempts[n]
		if b.State != dag.AttemptFailed && b.Start.Known() && (!b.End.Known() || b.End > a.Start) {
			from = min(from, b.Start)
		}
	}
	return from
}

// beginTask returns the instant from which an attempt of a MapReduce job works, and two parts of its container's start,
// in milliseconds. over is the start that lies after from. start is the start that is not over yet, of an attempt that
// still waits for its input. A reduce that starts before the last map has ended copies until then, so it works from the
// end of its copy, or if that is unknown from the last map's end and the usual copy after it.
func (o *observations) beginTask(st *stage, a *dag.Attempt) (from dag.Instant, over, start float64) {
	from, over = a.Start, o.starts.of(a)
	runs := a.State == dag.AttemptRunning
	switch {
	case !st.waits:
	case st.bytes && a.CopyEnd.Known() && (runs || a.CopyEnd <= a.End):
		return a.CopyEnd, 0, 0
	case runs && !st.input.Known():
		if from = o.s.At; st.bytes {
			// Its container starts while maps are running.
			start, over = max(0, over+taskcost.LeastMS-float64(o.s.At-a.Start)), 0
		}
	case st.bytes && st.input > a.Start:
		return min(st.input.Add(o.s.Plan.Overheads.Copy), o.s.At), 0, 0
	}
	return from, over, start
}

// startOf returns the milliseconds from an attempt's start to its first work; NaN if reports do not show them. The
// first report of a map comes when work is under way, so the beginning is extrapolated by the map's own rate. A
// reduce shows its start only if no map was left to wait for.
func (o *observations) startOf(st *stage, a *dag.Attempt) float64 {
	if st.waits {
		if !st.bytes || !a.CopyEnd.Known() || !st.input.Known() || st.input > a.Start {
			return math.NaN()
		}
		return max(0, float64(a.CopyEnd-a.Start)-taskcost.LeastMS)
	}
	if !a.First.At.Known() || a.End.Known() && a.First.At >= a.End {
		return math.NaN() // it was seen only after its end
	}
	first, last, at := counted(a.First.Done), counted(a.Last.Done), a.Last.At
	if a.State == dag.AttemptSucceeded && a.Done[0] > first {
		last, at = counted(a.Done[0]), a.End
	}
	if at < a.First.At+1000 || !(last > first) {
		return math.NaN()
	}
	rate := float64(at-a.First.At) / (last - first)
	if up := float64(a.First.At-a.Start) - o.lag - first*rate; up > 0 {
		return up
	}
	return math.NaN()
}

// findInput finds when the input of a stage was complete, and when the driver submitted a stage of executors.
func (o *observations) findInput(st *stage) {
	opened, complete := len(st.plan.After) > 0, true
	for _, e := range st.plan.After {
		from := &o.s.Jobs[st.j].Stages[e.From]
		ended, last := from.Succeeded() >= st.job.Stages[e.From].Count(), from.LastSuccess()
		opened, st.opens = opened && ended, max(st.opens, last)
		if st.job.Rules.Early(e) {
			st.waits, complete, st.input = true, complete && ended, max(st.input, last)
		}
	}
	if !complete {
		st.input = dag.NoInstant
	}
	if !opened || !o.executors || st.single {
		st.opens = dag.NoInstant
	}
	if st.single {
		st.open, st.waits = true, st.k == dag.Reduce && st.job.Stages[dag.Map].Count() > 0
		return
	}
	at := st.state.Submitted
	st.open = at > 0 || len(st.state.Attempts) > 0 || !o.executors
	if at > 0 && st.opens.Known() && at.Sub(st.opens) >= taskcost.Notable { // less is overhead of the first tasks
		st.pause, st.opens = float64(at-st.opens), at
	}
}

// seenAny reports whether the run or a profile has shown the work of at least one stage.
func (o *observations) seenAny() bool {
	return slices.ContainsFunc(o.ordered, func(st *stage) bool { return st.origin < schedule.Assumed })
}

// silentTask reports whether a reduce works although its counters do not change: all of its input is read, and
// nothing is written (a Streaming job, or one huge bag), in a time that would show a rate.
func (o *observations) silentTask(r *observation) bool {
	a := r.attempt
	if !a.SortEnd.Known() {
		return false
	}
	moved := a.Last.At.Known() && a.First.At.Known() && (a.Last.Out > a.First.Out || a.Last.Done > a.First.Done)
	return !moved && float64(o.s.At-a.SortEnd) >= taskcost.PriorMS
}

// silent reports whether the rest of the run is unknown: the program is unknown and its driver works alone. The
// driver may end in a second or submit another hour of work.
func (o *observations) silent() bool {
	alone := o.s.DriverAlone()
	return o.s.Plan.Open && alone.Known() && o.s.At.Sub(alone) >= taskcost.Heartbeat
}
