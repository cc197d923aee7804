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

// whole is what task i of a stage takes at the posterior means, without what a first task has more. Of a stage of which
// nothing is known it is the mean of the lognormal distribution, which is far above its median: those of several stages
// add up.
func (m *Model) whole(st *stage, i int) float64 {
	mean := st.change.mean
	if st.origin == schedule.Assumed {
		mean += st.change.sigma * st.change.sigma / 2
	}
	return math.Exp(mean) * m.alone(st, i, m.pace.factor, m.pace.loaded)
}

// alone is the same without the stage's change, at paces.
func (m *Model) alone(st *stage, i int, work, over float64) float64 {
	if i < 0 || i >= len(st.work) {
		return 0
	}
	if st.prior.n == 0 {
		return st.work[i]
	}
	return work*st.work[i] + over*st.every
}

// more is the overhead that a waiting task has as the first on its core, or of its stage on it.
func (m *Model) more(st *stage, t schedule.Task) float64 {
	head := st.head * m.overhead(st)
	if t.Cold && m.cold > 0 {
		return m.cold * m.pace.loaded
	}
	if t.Index >= st.heads {
		return 0
	}
	if st.opens.Known() && t.Start <= m.s.At && m.cores.quiet.Known() {
		return max(0, head-float64(m.s.At-max(st.opens, m.cores.quiet)))
	}
	return head
}

// left is what is left of a task; see schedule.Left.
func (m *Model) left(t schedule.Task) schedule.Cost {
	st := &m.stages[t.Job][t.Stage]
	if t.Running != nil {
		attempt := st.seen.of(t.Running, m.s.At)
		r := m.rest(st, &attempt)
		left := min(r.At(0.5, 1), m.copied(st, t.Running))
		return schedule.Cost{Work: taskcost.Duration(max(left, taskcost.LeastMS/10)), Origin: st.origin, Same: 1}
	}
	cost := schedule.Cost{
		Setup: taskcost.Duration(m.more(st, t)), Work: taskcost.Duration(m.whole(st, t.Index)),
		Origin: st.origin, Same: 1,
	}
	if t.Node < 0 {
		cost.Same = st.same(t.Index)
	}
	return cost
}

// same is how many tasks from i on take the same.
func (st *stage) same(i int) int {
	n := 1
	for i+n < st.n && st.work[i+n] == st.work[i] && i+n != st.heads {
		n++
	}
	return n
}

// rest is what is left of a running attempt, by its age and by the records that it has read.
func (m *Model) rest(st *stage, r *running) estimators.Rest {
	whole := m.whole(st, int(r.attempt.Task)) + m.overOf(st, r)*m.overhead(st)
	if share := shareOf(r.attempt); share > 0 {
		weight := share / (share + 0.5)
		left := (1-weight)*max(whole-r.age, 0.1*whole) + weight*r.age*(1-share)/share
		return estimators.NewRest(left, 0, st.own, math.Sqrt(1-share))
	}
	return estimators.NewRest(whole, r.age, st.own, 1)
}

// shareOf is which share of its work a running attempt has done, 0 if nothing says it.
func shareOf(a *dag.Attempt) float64 {
	if a.Ratio > 0.02 && a.Ratio <= 1 {
		return a.Ratio
	}
	return 0
}

// head reports whether an attempt has overhead as the first on its core or of its stage on it.
func (r *running) head() bool { return r.first || r.cold }

// overOf is this overhead at the pace 1.
func (m *Model) overOf(st *stage, r *running) float64 {
	switch {
	case r.cold && m.cold > 0:
		return m.cold
	case r.head():
		return st.head
	}
	return 0
}

// overhead is how many times as long as at the pace 1 overhead of a stage takes, at the posterior means.
func (m *Model) overhead(st *stage) float64 {
	if st.prior.n == 0 {
		return 1
	}
	return m.pace.loaded * math.Exp(st.change.mean)
}

// full is what a whole task takes.
func (m *Model) full(j int, k dag.StageIndex, i int) float64 { return m.whole(&m.stages[j][k], i) }

// rem is what is left of a task: 0 if it is done, all of it while it waits.
func (m *Model) rem(j int, k dag.StageIndex, i int) float64 {
	best := math.NaN()
	all := m.s.Jobs[j].Stages[k].Attempts
	from, _ := slices.BinarySearchFunc(all, i, func(a dag.Attempt, task int) int {
		return cmp.Compare(int(a.Task), task)
	})
	for n := from; n < len(all) && int(all[n].Task) == i; n++ {
		switch a := &all[n]; a.State {
		case dag.AttemptSucceeded:
			return 0
		case dag.AttemptRunning:
			attempt := m.stages[j][k].seen.of(a, m.s.At)
			r := m.rest(&m.stages[j][k], &attempt)
			if left := r.At(0.5, 1); math.IsNaN(best) || left < best {
				best = left
			}
		}
	}
	if math.IsNaN(best) {
		return m.full(j, k, i)
	}
	return best
}

// copied is what is left of a running attempt if its task is copied because it is slow (spark.speculation): a copy
// begins once enough tasks of the stage have succeeded, none waits and a core is free. It is infinite if none is to
// come.
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

// assumedRatio is how much of the time that remains is assumed, 0..1: that in which nothing runs but tasks of stages
// that neither the run nor a profile has shown.
func (m *Model) assumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	known, sure := sch.Now, 0.0
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count > 0 && m.stages[sp.Job][sp.Stage].origin >= schedule.Assumed || sp.End <= known {
			continue
		}
		sure += float64(sp.End - max(sp.Start, known))
		known = sp.End
	}
	return max(0, 1-sure/total)
}
