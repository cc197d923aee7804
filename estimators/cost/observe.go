package cost

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// seen is what the tasks of a stage have shown in this run.
type seen struct {
	ended   []ended
	running []running // by task
	records bool      // units are records or bytes, not tasks
	units   float64   // units that the ended tasks read
	out     float64   // records that the ended tasks wrote
}

// An ended is an attempt that succeeded, with what it has shown.
type ended struct {
	task       int
	units      float64
	took       float64 // milliseconds, from the instant at which it could begin
	out        float64 // records written; NaN: unknown
	start, end dag.Instant
	waited     float64 // milliseconds before that, in which it waited on its core or in its container
	cold       bool    // first task on its core or in its container
	first      bool    // first task of its stage on its core
	over       float64 // expected start of its own container, in milliseconds of took
	up         float64 // start by its reports, in milliseconds; NaN: unknown
	attempt    *dag.Attempt
}

// A running is an attempt that runs, with what it has shown.
type running struct {
	attempt *dag.Attempt
	age     float64 // milliseconds since it could begin
	waited  float64 // milliseconds before that
	units   float64 // units that it reads in all; 0: unknown
	read    float64 // part of the units read by its last report, 0..1
	part    float64 // part of the units read between its first and its last report
	took    float64 // milliseconds between these reports
	cold    bool
	first   bool
	over    float64 // expected start of its own container, in milliseconds of age and remaining time
	up      float64 // start by its reports, in milliseconds; NaN: unknown
	start   float64 // remaining milliseconds of the start while it waits for its input
	node    int32
}

// of returns what a running attempt has shown. An attempt that is not in the run has only its age, from its start.
func (s *seen) of(a *dag.Attempt, now dag.Instant) running {
	from, _ := slices.BinarySearchFunc(s.running, a.Task, func(r running, task int32) int {
		return cmp.Compare(r.attempt.Task, task)
	})
	for i := from; i < len(s.running) && s.running[i].attempt.Task == a.Task; i++ {
		if s.running[i].attempt == a {
			return s.running[i]
		}
	}
	r := running{attempt: a, up: math.NaN(), node: a.Node}
	if a.Start.Known() {
		r.age = max(0, float64(now-a.Start))
	}
	return r
}

// cores describes what ran on each core of executors, and in each container that runs one task after another.
type cores struct {
	firsts map[int32]dag.Instant   // start of the first task; NoInstant: in a container that an earlier DAG has left
	ends   map[int32][]dag.Instant // ends of tasks, ascending
	quiet  dag.Instant             // since when no task runs; NoInstant while any does
}

// leastPause is the shortest pause of the driver that counts as one. On a loaded machine, planning and sending a
// stage takes a part of that time, which counts as overhead of the first tasks of the stage.
const leastPause = 5 * time.Second

func (m *Model) observe() {
	s := m.s
	m.cores = coresOf(s)
	m.stages = make([][]stage, len(s.Plan.Jobs))
	m.order = s.Plan.Order()
	for j := range s.Plan.Jobs {
		job := &s.Plan.Jobs[j]
		m.stages[j] = make([]stage, len(job.Stages))
		for k := range job.NumStages() {
			st := &m.stages[j][k]
			st.n, st.opens, st.input, st.asked = job.Stages[k].Count(), dag.NoInstant, dag.NoInstant, dag.NoInstant
			st.single = job.IsMapReduce()
			st.maps = st.single && k == dag.Map
			st.bytes = st.single && k == dag.Reduce && s.Plan.Cluster.Policy != dag.FIFO
			st.plan = plannedUnits(&job.Stages[k], st)
			st.prior, st.origin = m.priorOf(j, k, st), schedule.Assumed
			if j < len(s.Jobs) && int(k) < len(s.Jobs[j].Stages) {
				m.observeStage(j, k, st)
			}
		}
	}
}

func coresOf(s *dag.Snapshot) cores {
	c := cores{firsts: map[int32]dag.Instant{}, ends: map[int32][]dag.Instant{}, quiet: dag.NoInstant}
	running := false
	for j := range s.Jobs {
		reused := s.Plan.Jobs[j].Rules == dag.AncestorsFirst
		if !reused && s.Plan.Cluster.Policy != dag.Executors {
			continue
		}
		for k := range s.Jobs[j].Stages {
			for i := range s.Jobs[j].Stages[k].Attempts {
				a := &s.Jobs[j].Stages[k].Attempts[i]
				running = running || a.State == dag.AttemptRunning
				if a.End.Known() {
					c.quiet = max(c.quiet, a.End)
				}
				if a.Slot < 0 || !a.Start.Known() {
					continue
				}
				if t, ok := c.firsts[a.Slot]; !ok || a.Start < t {
					c.firsts[a.Slot] = a.Start
				}
				if a.End.Known() {
					c.ends[a.Slot] = append(c.ends[a.Slot], a.End)
				}
			}
		}
		for slot, t := range c.firsts {
			if at := s.Jobs[j].Submitted; reused && at.Known() && t < at.Add(heldFor) {
				c.firsts[slot] = dag.NoInstant
			}
		}
	}
	for _, ends := range c.ends {
		slices.Sort(ends)
	}
	if running {
		c.quiet = dag.NoInstant
	}
	return c
}

// freeBefore returns when a core became free before an instant; NoInstant if nothing ran on it.
func (c *cores) freeBefore(slot int32, at dag.Instant) dag.Instant {
	ends := c.ends[slot]
	n, found := slices.BinarySearch(ends, at)
	switch {
	case found:
		return at
	case n == 0:
		return dag.NoInstant
	}
	return ends[n-1]
}

// isFirst reports whether an attempt is the first one on its core or in its container, given when the first ones
// started.
func isFirst(firsts map[int32]dag.Instant, a *dag.Attempt) bool {
	t, ok := firsts[a.Slot]
	return ok && t == a.Start
}

// observeStage reads what the attempts of a stage have shown.
func (m *Model) observeStage(j int, k dag.StageIndex, st *stage) {
	s := m.s
	attempts := s.Jobs[j].Stages[k].Attempts
	firsts := map[int32]dag.Instant{} // when the first attempt on each core started
	if m.findInput(j, k, st); st.single {
		st.open = true
		st.waits = k == dag.Reduce && s.Plan.Jobs[j].Stages[dag.Map].Count() > 0
	} else {
		m.findOpening(j, k, st)
		if s.Plan.Jobs[j].Rules == dag.AncestorsFirst {
			st.asked = m.askedFor(j, k)
		}
		for i := range attempts {
			a := &attempts[i]
			if t, ok := firsts[a.Slot]; m.executors() && a.Slot >= 0 && a.Start.Known() && (!ok || a.Start < t) {
				firsts[a.Slot] = a.Start
			}
		}
		st.heads = headsOf(attempts, st.n, s.Plan.Cluster.Cores-len(firsts))
	}
	withUnits, last := 0, int32(-1)
	for i := range attempts {
		a := &attempts[i]
		runs, ends := a.State == dag.AttemptRunning, a.State == dag.AttemptSucceeded && a.End.Known() && a.Task != last
		// Until the core of an attempt is reported, its start and end are only those of the observations around it.
		unread := !st.single && a.Slot < 0 && len(m.cores.firsts) > 0
		if a.Task < 0 || int(a.Task) >= st.n || !a.Start.Known() || !runs && (!ends || unread) {
			continue
		}
		r := m.begun(st, attempts, i, firsts)
		if runs {
			st.seen.running = append(st.seen.running, r)
			continue
		}
		last = a.Task
		e := ended{
			task: int(a.Task), units: st.unitsOf(a), took: max(0, float64(a.End-s.At)+r.age), out: counted(a.Out),
			start: a.Start, end: a.End, waited: r.waited, cold: r.cold, first: r.first, over: r.over, up: r.up,
			attempt: a,
		}
		if e.up > e.took {
			e.up = e.took
		}
		if e.units > 0 {
			withUnits++
		}
		if e.out > 0 {
			st.seen.out += e.out
		}
		st.seen.ended = append(st.seen.ended, e)
	}
	m.countUnits(st, withUnits)
}

// begun returns what an attempt has shown since it started, whether it runs or has ended.
func (m *Model) begun(st *stage, attempts []dag.Attempt, i int, firsts map[int32]dag.Instant) running {
	a := &attempts[i]
	r := running{attempt: a, up: math.NaN(), node: a.Node}
	var from dag.Instant
	if st.single {
		from, r.over, r.start = m.beginTask(st, a)
		if up, ok := m.startOf(st, a); ok && r.over > 0 {
			r.up = up
		}
	} else {
		r.first, r.cold = isFirst(firsts, a), isFirst(m.cores.firsts, a)
		from = m.begin(st, attempts, i, r.first)
	}
	if u := st.unitsOf(a); u > 0 {
		r.units = u
	}
	r.age, r.waited = max(0, float64(m.s.At-from)), max(0, float64(from-a.Start))
	return r
}

// countUnits chooses the unit of a stage's work. Each task counts as one unit if more than a tenth of the ended tasks
// lack counters, or if the profile has none. withUnits is the number of ended tasks with units.
func (m *Model) countUnits(st *stage, withUnits int) {
	n := len(st.seen.ended)
	st.seen.records = n > 0 && 10*withUnits >= 9*n
	if n == 0 {
		reads := func(r running) bool { return st.recordsOf(r.attempt) > 0 || r.units > 0 }
		st.seen.records = slices.ContainsFunc(st.seen.running, reads)
	}
	if st.prior.N > 0 {
		if st.seen.records = st.prior.Records && (st.seen.records || n == 0); !st.seen.records {
			st.prior.asTasks()
		}
	}
	for i := range st.seen.ended {
		if e := &st.seen.ended[i]; !st.seen.records {
			e.units = 1
		} else if !(e.units > 0) {
			e.units = 0
		}
		st.seen.units += st.seen.ended[i].units
	}
	if took := st.lengths(); len(took) > 0 {
		st.usual = took[len(took)/2]
	}
}

func (st *stage) lengths() []float64 {
	took := make([]float64, len(st.seen.ended))
	for i, e := range st.seen.ended {
		took[i] = float64(e.end - e.start)
	}
	slices.Sort(took)
	return took
}

// begin returns when an attempt could begin. In a container, all of its input must be complete. On a core, the first
// task includes the time in which the driver plans and sends the stage while the core is idle. A later task includes
// the idle time before it, if that is shorter than the task. A task with several attempts includes the time since the
// first attempt that overlaps and did not fail.
func (m *Model) begin(st *stage, attempts []dag.Attempt, i int, first bool) dag.Instant {
	a := &attempts[i]
	from := a.Start
	if !m.executors() {
		if from = from.Add(m.s.Plan.Cluster.Setup); st.waits && !st.input.Known() {
			return max(from, m.s.At)
		}
		return max(from, st.input)
	}
	if free := m.cores.freeBefore(a.Slot, a.Start); free.Known() && a.Slot >= 0 {
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

// findInput finds whether the tasks of a stage wait for tasks of the stages before, and when the last of those ended.
func (m *Model) findInput(j int, k dag.StageIndex, st *stage) {
	job, s := &m.s.Plan.Jobs[j], m.s
	over := true
	for _, e := range job.Stages[k].After {
		if e.Kind != dag.SlowStart && !(e.Kind == dag.Broadcast && job.Rules == dag.AncestorsFirst) {
			continue
		}
		st.waits = true
		from := &s.Jobs[j].Stages[e.From]
		over = over && from.Succeeded() >= job.Stages[e.From].Count()
		st.input = max(st.input, lastSuccess(from))
	}
	if !over {
		st.input = dag.NoInstant
	}
}

// lastSuccess returns the end of the last successful task of a stage; NoInstant if there is none.
func lastSuccess(s *dag.StageState) dag.Instant {
	last := dag.NoInstant
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
			last = max(last, a.End)
		}
	}
	return last
}

// findOpening finds when a stage of executors could begin: its input was complete and the driver had submitted it.
func (m *Model) findOpening(j int, k dag.StageIndex, st *stage) {
	s := m.s
	plan, state := &s.Plan.Jobs[j].Stages[k], &s.Jobs[j].Stages[k]
	over := len(plan.After) > 0
	for _, e := range plan.After {
		from := &s.Jobs[j].Stages[e.From]
		over = over && from.Succeeded() >= s.Plan.Jobs[j].Stages[e.From].Count()
		st.opens = max(st.opens, lastSuccess(from))
	}
	if !over || !m.executors() {
		st.opens = dag.NoInstant
	}
	at := state.Submitted
	st.open = at > 0 || len(state.Attempts) > 0 || !m.executors()
	if at > 0 && st.opens.Known() && at.Sub(st.opens) >= leastPause {
		st.pause, st.opens = float64(at-st.opens), at
	}
}

// headsOf returns the index below which waiting tasks would be the first of a stage on a core. free is the number of
// cores that have run none of it.
func headsOf(attempts []dag.Attempt, n, free int) int {
	heads := 0
	for i, at := 0, 0; free > 0 && i < n; i++ {
		busy := false
		for ; at < len(attempts) && int(attempts[at].Task) == i; at++ {
			busy = busy || attempts[at].State == dag.AttemptRunning || attempts[at].State == dag.AttemptSucceeded
		}
		if heads = i + 1; !busy {
			free--
		}
	}
	return heads
}

// recordsOf returns how many records an attempt has read; NaN if unknown. A map has one pipeline.
func (st *stage) recordsOf(a *dag.Attempt) float64 {
	if v := a.Done[dag.Work]; !math.IsNaN(v) && !st.maps {
		return counted(v)
	}
	return counted(a.Done[dag.Copy])
}

// Counters are 0 or lie between these bounds, so that sums and rates of hostile counters are finite. A valid plan has
// no larger number.
const (
	leastCounted = 1e-6
	mostCounted  = 1e18
)

// counted returns the value of a counter; NaN if it is out of bounds.
func counted(v float64) float64 {
	if v == 0 || v >= leastCounted && v <= mostCounted {
		return v
	}
	return math.NaN()
}
