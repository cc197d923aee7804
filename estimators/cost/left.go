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

// left returns the remaining cost of a task; see schedule.Left.
func (m *Model) left(t schedule.Task) schedule.Cost {
	st := &m.stages[t.Job][t.Stage]
	if t.Running != nil {
		r := st.runningAs(t.Running, m.s.At)
		rest := m.rest(st, r)
		left := min(rest.At(0.5, 1), m.copied(st, t.Running))
		return schedule.Cost{
			Setup:  taskcost.Duration(r.start * m.pace.overhead(st)),
			Work:   taskcost.Duration(max(left, taskcost.LeastMS/10)),
			Origin: m.originOf(st, r), Same: 1,
		}
	}
	launch := m.startup(st, t)
	cost := schedule.Cost{
		Setup:  taskcost.Duration(launch.At(0.5, 1) + m.more(st, t)),
		Work:   taskcost.Duration(m.pace.whole(st, t.Index) * m.nodes.factor(int32(t.Node))), //nolint:gosec // an index
		Origin: st.origin, Same: 1,
	}
	if t.Index < len(st.alike) && (t.Node < 0 || st.single && len(m.nodes) == 0) {
		cost.Same = st.alike[t.Index]
	}
	return cost
}

// workOn returns the expected milliseconds of a running attempt's task on the attempt's node.
func (m *Model) workOn(st *stage, r *observation) float64 {
	return m.pace.whole(st, r.task) * m.nodes.factor(r.attempt.Node)
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
func (m *Model) originOf(st *stage, r *observation) schedule.Origin {
	if !st.single || st.keyed != nil || m.s.Plan.Cluster.Policy == dag.FIFO {
		return st.origin
	}
	most := max(farPast, farPastReports*taskcost.MS(m.s.Plan.Overheads.Report))
	work := m.workOn(st, r)
	late := r.took - work - m.overOf(st, r)*m.pace.overhead(st)
	if r.read > 0 {
		late = float64(m.s.At-r.attempt.Last.At) - work*(1-r.read)
	}
	if m.silentTask(r) || late > most {
		return schedule.Unknown
	}
	return st.origin
}

// rest returns the remaining time of a running attempt, from its age and the records that it has read.
func (m *Model) rest(st *stage, r *observation) estimators.Rest {
	if rest, ok := st.keyed.rest(r, m.s.At); ok {
		return rest
	}
	work := m.workOn(st, r)
	whole := work + m.overOf(st, r)*m.pace.overhead(st)
	left, shown := max(whole-r.took, 0.1*whole), 0.0
	if r.read > 0 {
		if r.part > 0 {
			work = taskcost.Blend(r.partMS, r.part, work, cmp.Or(st.ownPrior, taskcost.OwnPriorMS))
		}
		since := max(0, float64(m.s.At-r.attempt.Last.At))
		if st.single {
			since += m.lag
		}
		left, shown = taskcost.Overdue(work*(1-r.read)-since, r.took), r.read
	}
	if share := st.shareOf(r.attempt); share > 0 && r.took > 0 && !(st.single && shown > 0) {
		weight := share / (share + 0.5)
		left, shown = (1-weight)*left+weight*r.took*(1-share)/share, max(shown, share)
	}
	if st.bytes && m.silentTask(r) {
		return estimators.NewRest(whole, r.took, m.wide, 1)
	}
	if shown > 0 {
		return estimators.NewRest(left, 0, st.own, math.Sqrt(1-shown))
	}
	if st.single && r.over > 0 {
		return estimators.NewRest(whole, r.took, st.unseen, 1)
	}
	return estimators.NewRest(whole, r.took, st.own, 1)
}

// full returns the milliseconds of a whole task; in a MapReduce job, with the start of its container.
func (m *Model) full(j int, k dag.StageIndex, i int) float64 {
	st := &m.stages[j][k]
	whole := m.pace.whole(st, i)
	if st.single {
		whole += m.more(st, schedule.Task{Together: 1})
	}
	return whole
}

// rem returns the remaining milliseconds of a task: 0 if it is done, all of it while it waits.
func (m *Model) rem(j int, k dag.StageIndex, i int) float64 {
	st, best := &m.stages[j][k], math.Inf(1)
	of := dag.AttemptsOf(st.state.Attempts, i)
	for n := range of {
		switch a := &of[n]; a.State {
		case dag.AttemptSucceeded:
			return 0
		case dag.AttemptRunning:
			r := st.runningAs(a, m.s.At)
			rest := m.rest(st, r)
			best = min(best, rest.At(0.5, 1)+r.start*m.pace.overhead(st))
		}
	}
	if math.IsInf(best, 1) {
		return m.full(j, k, i)
	}
	return best
}

// copied returns the milliseconds until a speculative copy of an attempt's task would end (spark.speculation). A copy
// starts once enough tasks of the stage have succeeded, none waits and a core is free. The result is infinite if no
// copy is expected.
func (m *Model) copied(st *stage, a *dag.Attempt) float64 {
	c := &m.s.Plan.Cluster.Copies
	done, busy := len(st.ended), len(st.running)
	twin := func(r *observation) bool { return r.attempt != a && r.attempt.Task == a.Task }
	if !(c.Times > 0) || done == 0 || slices.ContainsFunc(st.running, twin) {
		return math.Inf(1)
	}
	before := max(st.n-done-busy, int(c.Ratio*float64(st.n))-done, 0)
	wait := 0.0
	if cores := m.s.Plan.Cluster.Cores; before > 0 || busy >= cores {
		wait = st.usual * (float64(before)/float64(max(1, cores)) + 0.5)
	}
	wait = max(wait, c.Times*st.usual-float64(m.s.At-a.Start))
	return wait + m.pace.whole(st, int(a.Task))
}
