package cost

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// whole returns the milliseconds of task i of a stage at the posterior means, without the extra overhead of a first
// task. For an assumed stage it is the mean of the lognormal distribution, which is far above its median, because the
// times of several stages add up. For an assumed stage of a MapReduce job it is the median, and 0 if nothing is
// known.
func (m *Model) whole(st *stage, i int) float64 {
	if ms := st.keyed.whole(i); ms >= 0 {
		return ms
	}
	if st.single && st.origin == schedule.Unknown {
		return 0 // a lower bound
	}
	mean := st.change.mean
	if st.origin == schedule.Assumed && !st.single {
		mean += st.change.sigma * st.change.sigma / 2
	}
	return math.Exp(mean) * m.alone(st, i, m.pace.factor, m.pace.loaded)
}

// alone is whole without the change of the stage, at the given paces of work and overhead.
func (m *Model) alone(st *stage, i int, work, over float64) float64 {
	if i < 0 || i >= len(st.work) {
		return 0
	}
	if st.prior.N == 0 {
		return st.work[i]
	}
	return work*st.work[i] + over*st.every
}

// more returns the extra overhead of a waiting task, in milliseconds: as the first on its core or in its container,
// or as the first of its stage there. For a task of a MapReduce job it is the start of its container.
func (m *Model) more(st *stage, t schedule.Task) float64 {
	if st.single {
		up := m.starts.at(t.Together, t.Cold) * m.overhead(st)
		if st.bytes && !m.given {
			up += copyMS
		}
		return up
	}
	head := st.head * m.overhead(st)
	if t.Cold && m.cold > 0 {
		return m.coldOf(t.Start, 0) * m.pace.loaded
	}
	if !m.executors() {
		if !t.Cold {
			head = 0
		}
		return head + taskcost.MS(m.s.Plan.Cluster.Setup)
	}
	if t.Index >= st.heads {
		return 0
	}
	if st.opens.Known() && t.Start <= m.s.At && m.cores.quiet.Known() {
		return max(0, head-float64(m.s.At-max(st.opens, m.cores.quiet)))
	}
	return head
}

// left returns the remaining cost of a task; see schedule.Left.
func (m *Model) left(t schedule.Task) schedule.Cost {
	st := &m.stages[t.Job][t.Stage]
	if t.Running != nil {
		attempt := st.seen.of(t.Running, m.s.At)
		r := m.rest(st, &attempt)
		left := min(r.At(0.5, 1), m.copied(st, t.Running))
		return schedule.Cost{
			Setup:  taskcost.Duration(attempt.start * m.overhead(st)),
			Work:   taskcost.Duration(max(left, taskcost.LeastMS/10)),
			Origin: m.originOf(st, &attempt), Same: 1,
		}
	}
	launch := m.startup(st, t)
	cost := schedule.Cost{
		Setup:  taskcost.Duration(launch.At(0.5, 1) + m.more(st, t)),
		Work:   taskcost.Duration(m.whole(st, t.Index) * m.nodes.factor(int32(t.Node))), //nolint:gosec // an index
		Origin: st.origin, Same: 1,
	}
	if t.Index < len(st.alike) && (t.Node < 0 || st.single && len(m.nodes.of) == 0) {
		cost.Same = st.alike[t.Index]
	}
	return cost
}

// An attempt is far past its expected end if it is late by more than farPast milliseconds and by more than
// farPastReports reports.
const (
	farPast        = 10_000
	farPastReports = 5
)

// originOf returns the origin of the cost of a running attempt. It is Unknown if the attempt's counters do not
// change, or if the attempt is far past its expected end. The cause is then one that no counter shows, such as a dead
// node or a stalled disk.
func (m *Model) originOf(st *stage, r *running) schedule.Origin {
	if !st.single || st.keyed != nil || m.s.Plan.Cluster.Policy == dag.FIFO {
		return st.origin
	}
	most := max(farPast, farPastReports*taskcost.MS(m.s.Plan.Overheads.Report))
	work := m.whole(st, int(r.attempt.Task)) * m.nodes.factor(r.node)
	late := r.age - work - m.overOf(st, r)*m.overhead(st)
	if r.read > 0 {
		late = float64(m.s.At-r.attempt.Last.At) - work*(1-r.read)
	}
	if m.silentTask(*r) || late > most {
		return schedule.Unknown
	}
	return st.origin
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

// rest returns the remaining time of a running attempt, from its age and the records that it has read.
func (m *Model) rest(st *stage, r *running) estimators.Rest {
	if rest, ok := st.keyed.rest(r, m.s.At); ok {
		return rest
	}
	whole := m.whole(st, int(r.attempt.Task))*m.nodes.factor(r.node) + m.overOf(st, r)*m.overhead(st)
	left, shown := max(whole-r.age, 0.1*whole), 0.0
	if r.read > 0 {
		work := m.whole(st, int(r.attempt.Task)) * m.nodes.factor(r.node)
		if r.part > 0 {
			work = taskcost.Blend(r.took, r.part, work, cmp.Or(st.ownPrior, taskcost.OwnPriorMS))
		}
		since := max(0, float64(m.s.At-r.attempt.Last.At))
		if st.single {
			since += m.lag
		}
		left, shown = taskcost.Overdue(work*(1-r.read)-since, r.age), r.read
	}
	if share := st.shareOf(r.attempt); share > 0 && r.age > 0 && !(st.single && shown > 0) {
		weight := share / (share + 0.5)
		left, shown = (1-weight)*left+weight*r.age*(1-share)/share, max(shown, share)
	}
	if st.bytes && m.silentTask(*r) {
		return estimators.NewRest(whole, r.age, m.wide, 1)
	}
	if shown > 0 {
		return estimators.NewRest(left, 0, st.own, math.Sqrt(1-shown))
	}
	if st.single && r.over > 0 {
		return estimators.NewRest(whole, r.age, st.unseen, 1)
	}
	return estimators.NewRest(whole, r.age, st.own, 1)
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

// watch sets how far a running attempt is by its reports: r.read in all, and r.part in r.took milliseconds between
// two reports.
func (m *Model) watch(st *stage, r *running) {
	a := r.attempt
	if st.single && st.waits && !st.bytes {
		return // on the paper's slots copy and sort are work as well, but reports leave them out
	}
	units := st.units[a.Task]
	if !(units > 0) || !st.seen.records || !a.Last.At.Known() || !(r.age > 0) {
		return
	}
	sel := st.selectivity()
	if wrote := a.Last.Out - a.First.Out; st.bytes && !(sel > 0) && wrote > 0 && a.Last.Done == a.First.Done {
		sel = counted(a.Last.Done) / units // all input is read: expect one output record for each input record
	}
	read := st.worked(st.recordsOf(a), counted(a.Out), sel)
	r.read = min(max(read, 0)/units, 1)
	begin := m.s.At.Add(-taskcost.Duration(r.age))
	before := st.worked(counted(a.First.Done), counted(a.First.Out), sel)
	if from := max(a.First.At, begin); a.First.At.Known() && a.Last.At > from && read > before {
		r.took, r.part = float64(a.Last.At-from), min((read-before)/units, r.read)
	}
}

// worked returns how many units were worked on, given the records read and written and the selectivity sel. A task
// that reads all records of a key before it writes counts them too early. Then the records that it has written are
// the limit (docs/facts/tez.md T4).
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
	case st.seen.out > 0 && st.seen.units > 0:
		return st.seen.out / st.seen.units
	case st.prior.Records && st.prior.Total > 0:
		return st.prior.Out / st.prior.Total
	}
	return 0
}

// head reports whether an attempt has extra overhead: as the first on its core or in its container, or of its stage
// there.
func (r *running) head() bool { return r.first || r.cold }

// overOf returns the extra overhead of a running attempt at pace 1, in milliseconds; see more.
func (m *Model) overOf(st *stage, r *running) float64 {
	switch {
	case st.single:
		return r.over
	case r.cold && m.cold > 0:
		return m.coldOf(r.attempt.Start, r.waited)
	case r.head():
		return st.head
	}
	return 0
}

// overhead returns the factor of the overhead of a stage against pace 1, at the posterior means.
func (m *Model) overhead(st *stage) float64 {
	switch {
	case st.single:
		return m.pace.loaded * math.Exp(st.up.mean)
	case st.prior.N == 0:
		return 1
	}
	return m.pace.loaded * math.Exp(st.change.mean)
}

// full returns the milliseconds of a whole task; in a MapReduce job, with the start of its container.
func (m *Model) full(j int, k dag.StageIndex, i int) float64 {
	st := &m.stages[j][k]
	if st.single {
		return m.whole(st, i) + m.more(st, schedule.Task{Together: 1})
	}
	return m.whole(st, i)
}

// rem returns the remaining milliseconds of a task: 0 if it is done, all of it while it waits.
func (m *Model) rem(j int, k dag.StageIndex, i int) float64 {
	best := math.NaN()
	of := dag.AttemptsOf(m.s.Jobs[j].Stages[k].Attempts, i)
	for n := range of {
		switch a := &of[n]; a.State {
		case dag.AttemptSucceeded:
			return 0
		case dag.AttemptRunning:
			attempt := m.stages[j][k].seen.of(a, m.s.At)
			r := m.rest(&m.stages[j][k], &attempt)
			if left := r.At(0.5, 1) + attempt.start*m.overhead(&m.stages[j][k]); math.IsNaN(best) || left < best {
				best = left
			}
		}
	}
	if math.IsNaN(best) {
		return m.full(j, k, i)
	}
	return best
}

// copied returns the milliseconds until a speculative copy of an attempt's task would end (spark.speculation). A copy
// starts once enough tasks of the stage have succeeded, none waits and a core is free. The result is infinite if no
// copy is expected.
func (m *Model) copied(st *stage, a *dag.Attempt) float64 {
	c := &m.s.Plan.Cluster.Copies
	done, busy := len(st.seen.ended), len(st.seen.running)
	twin := func(r running) bool { return r.attempt != a && r.attempt.Task == a.Task }
	if !(c.Times > 0) || done == 0 || slices.ContainsFunc(st.seen.running, twin) {
		return math.Inf(1)
	}
	before := max(st.n-done-busy, int(c.Ratio*float64(st.n))-done, 0)
	wait := 0.0
	if cores := m.s.Plan.Cluster.Cores; before > 0 || busy >= cores {
		wait = st.usual * (float64(before)/float64(max(1, cores)) + 0.5)
	}
	wait = max(wait, c.Times*st.usual-float64(m.s.At-a.Start))
	return wait + m.whole(st, int(a.Task))
}
