package cost

import (
	"math"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// Tasks with a container of their own take over·e^(o+h) + work·e^(r+d)·e^ε: their starts have a change of their own in
// each stage, h, as their work has, d. Reports of a task show both apart; without them only their sum is known.

// leastSigma is how exactly the tasks of a stage show its changes at best: what they take is no exact sum of a start
// and work in proportion to units.
const leastSigma = 0.03

// learnTasks finds the posterior of the changes of a stage of a MapReduce job by Gauss and Newton's iterations of least
// squares of logarithms. If no profile knows the stage, d is the logarithm of what its tasks take and has no prior.
func (m *Model) learnTasks(st *stage) {
	num := m.numbers
	shown := m.shownBy(st)
	if st.up = (normal{0, num.Head}); st.prior.N > 0 {
		st.change, st.origin = normal{0, num.Change}, schedule.Profiled
	}
	took, work := 0.0, 0.0
	for _, g := range shown {
		if g.work > 0 && !g.running {
			took, work = took+max(g.took-g.over, leastWork*g.took), work+g.work
			st.origin = schedule.Observed
		}
	}
	if st.prior.N == 0 && st.origin != schedule.Observed {
		return
	}
	d, h, prior := 0.0, 0.0, 1/(num.Change*num.Change)
	if st.prior.N == 0 {
		d, prior = math.Log(took/work), 1/(num.UnseenSigma*num.UnseenSigma)
	}
	start := d
	var dd, hh float64 // variances
	for range steps {
		head := 1 / (num.Head * num.Head)
		e := equations{aa: prior, bb: head, ra: -prior * (d - start), rb: -head * h}
		for _, g := range shown {
			work, over := g.work*math.Exp(d), g.over*math.Exp(h)
			a := work / (work + over)
			r, w := g.information(work+over, num.Task*num.Task/g.n+leastSigma*leastSigma)
			e.add(w, a, 1-a, r)
		}
		x, y, done := e.step()
		d, h = d+x, min(max(h+y, -mostLog), mostLog)
		if dd, _, hh = e.covariance(); done {
			break
		}
	}
	st.change, st.up = normal{d, math.Sqrt(dd)}, normal{h, math.Sqrt(hh)}
	if st.prior.N == 0 {
		// Tasks to come differ from those that have ended in a way of their own.
		left := 1 - float64(len(st.seen.ended))/float64(max(st.n, 1))
		st.change.sigma = math.Hypot(st.change.sigma, num.ToCome*left)
	}
	var residuals []float64
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		work, over := m.atPace(st, e)
		if is := work*math.Exp(d) + over*math.Exp(h); e.worked() > 0 && is > 0 {
			residuals = append(residuals, math.Log(e.worked()/is))
		}
	}
	a := m.workShare(st)
	st.own, st.ownPrior = estimators.NewFactors(residuals, num.Task), m.ownPrior(st, residuals)
	st.unseen = estimators.NewFactors(residuals, math.Sqrt(num.Task*num.Task+a*a*dd+(1-a)*(1-a)*(hh+m.pace.oo)))
}

// workShare is the share of work in a running task that still starts up; 1 if none does.
func (m *Model) workShare(st *stage) float64 {
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.over > 0 {
			work := m.whole(st, int(r.attempt.Task))
			return work / (work + r.over*m.overhead(st))
		}
	}
	return 1
}

// usualSpread is the standard deviation of the logarithm of tasks' rates at which the rate of a task of its own is
// drawn to that of its stage as if taskcost.OwnPriorMS of work had shown that.
const usualSpread = 0.2

// ownPrior is how many milliseconds of work the rate of its stage weighs against a running task's own: fewer if the
// rates of its tasks differ more.
func (m *Model) ownPrior(st *stage, residuals []float64) float64 {
	const prior = usualSpread * usualSpread
	squares, n := prior, 1.0
	for _, r := range residuals {
		squares, n = squares+r*r, n+1
	}
	for i := range st.seen.running {
		r := &st.seen.running[i]
		if expected := m.whole(st, int(r.attempt.Task)) * r.part; r.took >= leastShown && expected > 0 {
			off := math.Log(r.took / expected)
			squares, n = squares+off*off, n+1
		}
	}
	return taskcost.OwnPriorMS * min(1, prior*n/squares)
}

// atPace is what a task that has ended is expected to take at the run's paces, without what its reports show apart.
func (m *Model) atPace(st *stage, e *ended) (work, over float64) {
	if work = st.work[e.task]; st.prior.N > 0 {
		work = m.pace.factor*work + m.pace.loaded*st.every
	}
	if !(e.up >= 0) {
		over = m.pace.loaded * e.over
	}
	return work, over
}

// shownBy is what the tasks of a stage show: those that have ended, newer ones weighing more, with starts apart or not,
// the parts of running ones that reports have shown, and the ages of the others.
func (m *Model) shownBy(st *stage) []group {
	whole, apart, starts := group{}, group{}, group{}
	weights := m.recency(st)
	for i := range st.seen.ended {
		e, w := &st.seen.ended[i], weights[i]
		g := &whole
		if e.up >= 0 {
			g = &apart
			starts.took, starts.over, starts.n = starts.took+w*e.up, starts.over+w*m.pace.loaded*e.over, starts.n+w
		}
		work, over := m.atPace(st, e)
		g.took, g.work, g.over, g.n = g.took+w*e.worked(), g.work+w*work, g.over+w*over, g.n+w
	}
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.up >= 0 && r.over > 0 {
			starts.took, starts.over, starts.n = starts.took+r.up, starts.over+m.pace.loaded*r.over, starts.n+1
		}
	}
	running, watched := m.runningOf(st, false), st.watched()
	if st.prior.N > 0 {
		running.work, watched.work = m.pace.factor*running.work, m.pace.factor*watched.work
	}
	running.over *= m.pace.loaded
	var out []group
	for _, g := range []group{whole, apart, starts, running, watched} {
		if g.n > 0 && g.took > 0 && g.work+g.over > 0 {
			out = append(out, g)
		}
	}
	return out
}
