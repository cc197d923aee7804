package cost

import (
	"math"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// Tasks with a container of their own take over·e^(o+h) + work·e^(r+d)·e^ε. In each stage, d is the change of their
// work and h the change of their starts. Reports of a task show both apart; without reports only their sum is known.

// leastSigma is the least standard deviation of the mean residual of a stage: the time of a task is not exactly a
// start plus work in proportion to its units.
const leastSigma = 0.03

// learnTasks computes the posterior of the changes of a stage of a MapReduce job, by Gauss-Newton least squares of
// logarithms. If no profile has the stage, d is the logarithm of its tasks' time and has a wide prior around the
// observed one.
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
		// Remaining tasks differ systematically from those that have ended.
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

// workShare returns the share of work in the time of a running task that still starts up; 1 if none does.
func (m *Model) workShare(st *stage) float64 {
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.over > 0 {
			work := m.whole(st, int(r.attempt.Task))
			return work / (work + r.over*m.overhead(st))
		}
	}
	return 1
}

// usualSpread is the usual standard deviation of the logarithm of the rates of a stage's tasks. At this spread the
// stage's rate weighs taskcost.OwnPriorMS against a running task's own rate.
const usualSpread = 0.2

// ownPrior returns the weight of the stage's rate against a running task's own, in milliseconds of work. It is lower
// if the rates of the tasks differ more than usual.
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

// atPace returns the expected milliseconds of an ended task at the run's paces. over is 0 if its reports show the
// start apart.
func (m *Model) atPace(st *stage, e *ended) (work, over float64) {
	if work = st.work[e.task]; st.prior.N > 0 {
		work = m.pace.factor*work + m.pace.loaded*st.every
	}
	if !(e.up >= 0) {
		over = m.pace.loaded * e.over
	}
	return work, over
}

// shownBy returns the observations by the tasks of a stage. Newer tasks that have ended weigh more, with starts apart
// or not. Running tasks give the parts that reports have shown, or else their ages.
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
