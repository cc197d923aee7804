package cost

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A pace is the posterior of the logarithms of the paces of work and overhead: r and o.
type pace struct {
	work, over     float64 // means
	ww, wo, oo     float64 // covariance
	factor, loaded float64 // e^work, e^over
}

// A group sums the tasks of one kind in a stage, either ended or running: one observation of the paces.
type group struct {
	st               *stage
	took, work, over float64 // milliseconds: observed; expected work and overhead
	n                float64 // number of tasks, parts of tasks or weights
	head             bool    // first tasks on a core or in a container, or of the stage there
	running          bool    // the tasks run; took is the sum of their ages
	launch           bool    // launches of containers or pauses between jobs, not tasks
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

// steps bounds the Gauss-Newton iterations, mostLog the logarithms that they find.
const (
	steps   = 20
	mostLog = 5
)

// add adds an observation with a weight, a residual and derivatives.
func (e *equations) add(w, da, db, residual float64) {
	e.aa, e.ab, e.bb = e.aa+w*da*da, e.ab+w*da*db, e.bb+w*db*db
	e.ra, e.rb = e.ra+w*da*residual, e.rb+w*db*residual
}

// step returns the solution as the step of an iteration, scaled so that no part is above 1. done means that the step
// is small.
func (e *equations) step() (a, b float64, done bool) {
	det := e.aa*e.bb - e.ab*e.ab
	a, b = (e.bb*e.ra-e.ab*e.rb)/det, (e.aa*e.rb-e.ab*e.ra)/det
	if most := max(math.Abs(a), math.Abs(b)); most > 1 {
		a, b = a/most, b/most
	}
	return a, b, math.Abs(a)+math.Abs(b) < 1e-6
}

// covariance returns the inverse of the matrix.
func (e *equations) covariance() (aa, ab, bb float64) {
	det := e.aa*e.bb - e.ab*e.ab
	return e.bb / det, -e.ab / det, e.aa / det
}

// groups returns the observations of the paces: launches, pauses, starts, and tasks of stages that the profile has.
func (m *Model) groups() []group {
	all := append(m.launch.groups(), m.between.groups()...)
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		if g := st.startsShown(); g.n > 0 && g.took > 0 {
			all = append(all, g)
		}
		if st.prior.N == 0 {
			return
		}
		for _, head := range []bool{true, false} {
			g := group{st: st, head: head}
			for i := range st.seen.ended {
				if e := &st.seen.ended[i]; (e.first || e.cold) == head {
					work, over := m.expected(st, e)
					g.took, g.work, g.over, g.n = g.took+e.worked(), g.work+work, g.over+over, g.n+1
				}
			}
			if g.n > 0 && g.took > 0 {
				all = append(all, g)
			}
			if g := m.runningOf(st, head); g.n > 0 && g.took > 0 {
				all = append(all, g)
			}
			if g := st.watched(); !head && g.n > 0 {
				all = append(all, g)
			}
		}
	})
	return all
}

// startsShown returns the starts of containers that reports of tasks have shown.
func (st *stage) startsShown() group {
	g := group{st: st, head: true}
	for i := range st.seen.ended {
		if e := &st.seen.ended[i]; e.up >= 0 {
			g.took, g.over, g.n = g.took+e.up, g.over+e.over, g.n+1
		}
	}
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.up >= 0 && r.over > 0 {
			g.took, g.over, g.n = g.took+r.up, g.over+r.over, g.n+1
		}
	}
	return g
}

// worked returns the milliseconds of an ended task, without the start of its container if its reports show that
// start.
func (e *ended) worked() float64 {
	if e.up >= 0 {
		return max(0, e.took-e.up)
	}
	return e.took
}

// runningOf returns the running tasks of one kind in a stage, without those that reports have shown in part.
func (m *Model) runningOf(st *stage, head bool) group {
	g := group{st: st, head: head, running: true}
	for i := range st.seen.running {
		r := &st.seen.running[i]
		if r.head() != head || !(r.age > 0) || r.part > 0 {
			continue
		}
		g.took, g.work, g.n = g.took+r.age, g.work+st.work[r.attempt.Task], g.n+1
		g.over += st.every + m.overOf(st, r)
	}
	return g
}

// watched returns the parts of running tasks that reports have shown.
func (st *stage) watched() group {
	g := group{st: st}
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.part > 0 {
			g.took, g.work, g.n = g.took+r.took, g.work+st.work[r.attempt.Task]*r.part, g.n+r.part
		}
	}
	return g
}

// expected returns the expected milliseconds of work and overhead of an ended task at pace 1.
func (m *Model) expected(st *stage, e *ended) (work, over float64) {
	over = st.every
	if !(e.up >= 0) {
		over += e.over
	}
	switch {
	case e.cold && m.cold > 0:
		over += m.coldOf(e.start, e.waited)
	case e.first || e.cold:
		over += st.head
	}
	return st.work[e.task], over
}

// learnPace computes the posterior of the paces by iterated least squares of logarithms. The change of a stage is
// integrated out: its variance is added to that of each group of the stage.
func (m *Model) learnPace() {
	num := m.numbers
	groups := m.groups()
	// r is Both·o plus a part of its own.
	boot, sigma := m.boot()
	pw, po := 1/(num.Pace*num.Pace), 1/(sigma*sigma)
	a, b := num.Both*boot, boot
	p := &m.pace
	for range steps {
		e := equations{
			aa: pw, ab: -num.Both * pw, bb: num.Both*num.Both*pw + po,
			ra: -pw * (a - num.Both*b), rb: num.Both*pw*(a-num.Both*b) - po*(b-boot),
		}
		for _, g := range groups {
			work, over := math.Exp(a)*g.work, math.Exp(b)*g.over
			da := work / (work + over)
			db := 1 - da
			change := num.Change
			if g.st != nil && g.st.single {
				change *= da // its starts have a change of their own
			}
			v := change*change + num.Task*num.Task/g.n
			if g.head || g.st != nil && g.st.single {
				v += num.Head * num.Head * db * db
			}
			if g.launch {
				v = num.Launch * num.Launch / g.n
			}
			r, w := g.information(work+over, v)
			if !g.running {
				// An outlying stage has probably changed itself, so its weight is reduced as by Huber (1964).
				w /= max(1, math.Abs(r)/(2*math.Sqrt(v)))
			}
			e.add(w, da, db, r)
		}
		x, y, done := e.step()
		a, b = min(max(a+x, -mostLog), mostLog), min(max(b+y, -mostLog), mostLog)
		if p.ww, p.wo, p.oo = e.covariance(); done {
			break
		}
	}
	p.work, p.over, p.factor, p.loaded = a, b, math.Exp(a), math.Exp(b)
}

// boot returns the prior mean and standard deviation of the logarithm of the pace of overhead. They follow from the
// start of the first executor against that of the profile's run, if both are known.
func (m *Model) boot() (mean, sigma float64) {
	is, was := m.s.Plan.Overheads.Boot, m.profile.Overheads()
	if was == nil || was.Boot <= 0 || is <= 0 {
		return 0, m.numbers.Load
	}
	return m.numbers.Boot * math.Log(float64(is)/float64(was.Boot)), m.numbers.LoadBoot
}
