package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// A pace is the posterior of the logarithms of the paces of work and overhead: r and o.
type pace struct {
	paired
	factor, loaded float64 // e^a, e^b
}

// A group sums tasks of one kind in a stage, either ended or running: one observation of the paces.
type group struct {
	st               *stage
	took, work, over float64 // milliseconds: observed; expected work and overhead
	n                float64 // number of tasks, parts of tasks or weights
	head             bool    // first tasks on a core or in a container, or of the stage there
	running          bool    // the tasks run; took is the sum of their ages
	launch           bool    // launches of containers or pauses between jobs, not tasks
}

// add adds a task with a weight.
func (g *group) add(weight, took, work, over float64) {
	g.took, g.work, g.over, g.n = g.took+weight*took, g.work+weight*work, g.over+weight*over, g.n+weight
}

// shown returns the groups that show anything.
func shown(groups []group) []group {
	return slices.DeleteFunc(groups, func(g group) bool { return !(g.n > 0 && g.took > 0 && g.work+g.over > 0) })
}

// startsShown returns the starts of containers that reports of tasks have shown. weights are those of ended tasks.
func (st *stage) startsShown(weights []float64) group {
	g := group{st: st, head: true}
	for i, e := range st.ended {
		if e.up >= 0 {
			g.add(profiles.Weight(weights, i), e.up, 0, e.over)
		}
	}
	for _, r := range st.running {
		if r.up >= 0 {
			g.add(1, r.up, 0, r.over)
		}
	}
	return g
}

// partsShown returns the parts of running and lost tasks that reports have shown.
func (st *stage) partsShown() group {
	g := group{st: st}
	for _, r := range append(st.running[:len(st.running):len(st.running)], st.lost...) {
		if r.part > 0 {
			g.took, g.work, g.n = g.took+r.partMS, g.work+st.work[r.task]*r.part, g.n+r.part
		}
	}
	return g
}

// information returns the residual of a group and its weight. The residual is the logarithm of the time observed
// divided by the time expected, and has the variance v. Running tasks are censored observations (Tobin 1958): for
// them it makes one Newton step on their likelihood.
func (g *group) information(expected, v float64) (residual, weight float64) {
	r := math.Log(g.took / expected)
	if !g.running {
		return r, 1 / v
	}
	sigma := math.Sqrt(v)
	z := r / sigma
	if z < -2 {
		return 0, 0
	}
	hazard := math.Exp(-z*z/2) / math.Sqrt(math.Pi/2) / math.Erfc(z/math.Sqrt2)
	if z > 8 {
		hazard = z
	}
	less := min(max(hazard*(hazard-z), 1e-3), 1)
	return sigma * hazard / less, less / v
}

// equations are the normal equations of two unknowns in weighted least squares: their symmetric matrix and right sides.
type equations struct{ aa, ab, bb, ra, rb float64 }

// add adds an observation with a weight, a residual and derivatives.
func (e *equations) add(w, da, db, residual float64) {
	e.aa, e.ab, e.bb = e.aa+w*da*da, e.ab+w*da*db, e.bb+w*db*db
	e.ra, e.rb = e.ra+w*da*residual, e.rb+w*db*residual
}

// step returns the solution as the step of an iteration, scaled so that no part is above 1.
func (e *equations) step() (a, b float64) {
	det := e.aa*e.bb - e.ab*e.ab
	a, b = (e.bb*e.ra-e.ab*e.rb)/det, (e.aa*e.rb-e.ab*e.ra)/det
	if most := max(math.Abs(a), math.Abs(b)); most > 1 {
		a, b = a/most, b/most
	}
	return a, b
}

// A paired is the normal distribution of two logarithms, a of the factor of work and b of the factor of overhead: their
// means and covariance.
type paired struct{ a, b, aa, ab, bb float64 }

// steps bounds the Gauss-Newton iterations, mostLog the logarithms that they find.
const (
	steps   = 20
	mostLog = 5
)

// update returns the posterior by iterated least squares of the logarithms of times (Gauss-Newton). In the prior, aa,
// ab and bb are the precision matrix. variance is that of a group's residual, given the part of work in the expected
// time. The weight of a residual above huber standard deviations is reduced (Huber 1964). most bounds a.
func (prior paired) update(
	groups []group, variance func(g *group, work float64) float64, huber, most float64,
) paired {
	out := prior
	for range steps {
		x, y := out.a-prior.a, out.b-prior.b
		e := equations{
			aa: prior.aa, ab: prior.ab, bb: prior.bb, ra: -prior.aa*x - prior.ab*y, rb: -prior.ab*x - prior.bb*y,
		}
		for i := range groups {
			g := &groups[i]
			work, over := math.Exp(out.a)*g.work, math.Exp(out.b)*g.over
			da := work / (work + over)
			v := variance(g, da)
			r, w := g.information(work+over, v)
			w /= max(1, math.Abs(r)/(huber*math.Sqrt(v)))
			e.add(w, da, 1-da, r)
		}
		x, y = e.step()
		out.a, out.b = min(max(out.a+x, -most), most), min(max(out.b+y, -mostLog), mostLog)
		det := e.aa*e.bb - e.ab*e.ab
		if out.aa, out.ab, out.bb = e.bb/det, -e.ab/det, e.aa/det; math.Abs(x)+math.Abs(y) < 1e-6 {
			break
		}
	}
	return out
}

// learn computes the posterior of the paces. boot is the prior of the pace of overhead. The change of a stage is
// integrated out: its variance is added to that of each group of the stage.
func (p *pace) learn(num *Numbers, boot normal, groups []group) {
	// r is Both·o plus a part of its own.
	pw, po := 1/(num.Pace*num.Pace), 1/(boot.sigma*boot.sigma)
	prior := paired{num.Both * boot.mean, boot.mean, pw, -num.Both * pw, num.Both*num.Both*pw + po}
	variance := func(g *group, work float64) float64 {
		if g.launch {
			return num.Launch * num.Launch / g.n
		}
		over, change, single := 1-work, num.Change, g.st != nil && g.st.single
		if single {
			change *= work // its starts have a change of their own
		}
		v := change*change + num.Task*num.Task/g.n
		if g.head || single {
			v += num.Head * num.Head * over * over
		}
		return v
	}
	p.paired = prior.update(groups, variance, 2, mostLog) // an outlying stage has probably changed itself
	p.factor, p.loaded = math.Exp(p.a), math.Exp(p.b)
}

// overhead returns the factor of the overhead of a stage against pace 1, at the posterior means.
func (p *pace) overhead(st *stage) float64 {
	switch {
	case st.single:
		return p.loaded * math.Exp(st.up.mean)
	case st.prior.N == 0:
		return 1
	}
	return p.loaded * math.Exp(st.change.mean)
}

// whole returns the milliseconds of task i of a stage at the posterior means, without the extra overhead of a first
// task. For an assumed stage it is the mean of the lognormal distribution, which is far above its median, because the
// times of several stages add up. For an assumed stage of a MapReduce job it is the median, and 0 if nothing is
// known.
func (p *pace) whole(st *stage, i int) float64 { return p.changed(st, i, st.meanChange()) }

// changed returns the same with the given change of the stage.
func (p *pace) changed(st *stage, i int, change float64) float64 {
	if ms := st.keyed.whole(i); ms >= 0 {
		return ms
	}
	return change * st.unchanged(i, p.factor, p.loaded)
}

// meanChange returns the change of the stage at the posterior mean, as a factor.
func (st *stage) meanChange() float64 {
	mean := st.change.mean
	switch {
	case st.single && st.origin == schedule.Unknown:
		return 0 // a lower bound
	case st.origin == schedule.Assumed && !st.single:
		mean += st.change.sigma * st.change.sigma / 2
	}
	return math.Exp(mean)
}

// unchanged returns the milliseconds of task i without the change of the stage, at the given paces of work and
// overhead.
func (st *stage) unchanged(i int, work, over float64) float64 {
	if i < 0 || i >= len(st.work) {
		return 0
	}
	return st.scaled(st.work[i], work, over)
}

// scaled returns the milliseconds of a task with the given work, as unchanged does.
func (st *stage) scaled(of, work, over float64) float64 {
	if st.prior.N == 0 {
		return of
	}
	return work*of + over*st.every
}

// atPace returns the expected milliseconds of an ended task at the paces: of its work, and of the start of its own
// container if its reports do not show that start.
func (p *pace) atPace(st *stage, e *observation) (work, over float64) {
	if !(e.up >= 0) {
		over = p.loaded * e.over
	}
	return st.unchanged(e.task, p.factor, p.loaded), over
}

// workOf returns the milliseconds that an ended task took beyond the start of its own container. The start is from
// the task's reports. Without reports the start is the expected one, and at least leastWork of the task remains as
// work.
func (p *pace) workOf(e *observation) float64 {
	if e.up >= 0 || e.over == 0 {
		return e.worked()
	}
	return max(e.took-p.loaded*e.over, leastWork*e.took)
}

// leastWork is the least part of a task that counts as work.
const leastWork = 0.05
