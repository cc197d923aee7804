package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// A pace is the posterior of the logarithms of the paces of work and overhead: r and o.
type pace struct {
	work, over     float64 // means
	ww, wo, oo     float64 // covariance
	factor, loaded float64 // e^work, e^over
}

// A group is tasks of a stage of one kind that have ended, or that run: their sums.
type group struct {
	st               *stage
	took, work, over float64
	n                float64
	head             bool
	running          bool // took is their ages
	launch           bool // it is launches of containers, or pauses between jobs
}

// information is what a group shows of the logarithm of what its tasks take against an expectation: a residual and its
// weight, where that has the variance v. Tasks that run are censored observations (Tobin 1958): one step of Newton's on
// their likelihood.
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

// steps bounds the iterations of Gauss and Newton.
const steps = 20

// groups are the tasks that have ended of stages that the profile knows.
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

// startsShown are the starts of containers that reports of tasks have shown.
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

// worked is what an ended task took, without the start of its container if its reports have shown that.
func (e *ended) worked() float64 {
	if e.up >= 0 {
		return max(0, e.took-e.up)
	}
	return e.took
}

// runningOf are the tasks of a stage that run, of one kind.
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

// watched are the parts of running tasks that reports have shown.
func (st *stage) watched() group {
	g := group{st: st}
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.part > 0 {
			g.took, g.work, g.n = g.took+r.took, g.work+st.work[r.attempt.Task]*r.part, g.n+r.part
		}
	}
	return g
}

// expected is what a task that has ended was expected to take at the paces 1.
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

// learnPace finds the posterior of the paces by iterated least squares of logarithms. The change of a stage is
// integrated out: it is a part of the variance that all groups of the stage share, which is taken as of its larger one.
func (m *Model) learnPace() {
	num := m.numbers
	groups := m.groups()
	// r is Both·o and a part of its own.
	boot, sigma := m.boot()
	pw, po := 1/(num.Pace*num.Pace), 1/(sigma*sigma)
	a, b := num.Both*boot, boot
	p := &m.pace
	for range steps {
		aa, ab, bb := pw, -num.Both*pw, num.Both*num.Both*pw+po
		ra, rb := -pw*(a-num.Both*b), num.Both*pw*(a-num.Both*b)-po*(b-boot)
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
				// A stage that is far off has changed itself: it counts as by Huber (1964).
				w /= max(1, math.Abs(r)/(2*math.Sqrt(v)))
			}
			aa, ab, bb = aa+w*da*da, ab+w*da*db, bb+w*db*db
			ra, rb = ra+w*da*r, rb+w*db*r
		}
		det := aa*bb - ab*ab
		x, y := (bb*ra-ab*rb)/det, (aa*rb-ab*ra)/det
		if most := max(math.Abs(x), math.Abs(y)); most > 1 {
			x, y = x/most, y/most
		}
		a, b = min(max(a+x, -5), 5), min(max(b+y, -5), 5)
		p.ww, p.wo, p.oo = bb/det, -ab/det, aa/det
		if math.Abs(x)+math.Abs(y) < 1e-6 {
			break
		}
	}
	p.work, p.over, p.factor, p.loaded = a, b, math.Exp(a), math.Exp(b)
}

// learnStages finds the posterior of each stage's own change.
func (m *Model) learnStages() {
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		switch {
		case st.single:
			m.learnTasks(st)
		case st.prior.N > 0:
			m.learnKnown(st)
		}
	})
	m.learnNew()
}

// recency weighs tasks that have ended: one that so many of each core have followed counts half.
func (m *Model) recency(st *stage) []float64 {
	half := m.numbers.Waves * float64(max(1, m.s.Plan.Cluster.Cores, len(m.cores.firsts), m.width(st)))
	order := make([]int, len(st.seen.ended))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(st.seen.ended[b].end - st.seen.ended[a].end)
	})
	w := make([]float64, len(order))
	for rank, i := range order {
		w[i] = math.Exp2(-float64(rank) / half)
	}
	return w
}

// learnKnown finds the change of a stage that the profile knows.
func (m *Model) learnKnown(st *stage) {
	num := m.numbers
	st.origin = schedule.Profiled
	prior := num.Change * num.Change
	// Heads share what their overhead is off by; the others are off each by itself.
	sum, weight := 0.0, 1/prior
	weights := m.recency(st)
	var residuals []float64
	var took, of, over, n [2]float64
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		work, o := m.expected(st, e)
		kind := 0
		if e.first || e.cold {
			kind = 1
		}
		w := weights[i]
		took[kind] += w * e.worked()
		of[kind] += w * (m.pace.factor*work + m.pace.loaded*o)
		over[kind] += w * m.pace.loaded * o
		n[kind] += w
		if e.worked() > 0 && kind == 0 {
			residuals = append(residuals, math.Log(e.worked()/(m.pace.factor*work+m.pace.loaded*o)))
		}
		st.origin = schedule.Observed
	}
	if g := st.watched(); g.n > 0 {
		took[0], of[0], n[0] = took[0]+g.took, of[0]+m.pace.factor*g.work, n[0]+g.n
	}
	for kind := range n {
		if !(n[kind] > 0) || !(took[kind] > 0) {
			continue
		}
		v := num.Task * num.Task / n[kind]
		if kind == 1 {
			share := over[kind] / of[kind]
			v += num.Head * num.Head * share * share
		}
		r := math.Log(took[kind] / of[kind])
		w := 1 / v
		sum, weight = sum+w*r, weight+w
	}
	mean := sum / weight
	for _, head := range []bool{true, false} {
		g := m.runningOf(st, head)
		if !(g.n > 0) || !(g.took > 0) {
			continue
		}
		over := m.pace.loaded * g.over
		of := m.pace.factor*g.work + over
		v := num.Task*num.Task/g.n + 1/weight
		if head {
			v += num.Head * num.Head * over * over / of / of
		}
		r, w := g.information(of*math.Exp(mean), v)
		sum, weight = sum+w*(mean+r), weight+w
	}
	st.change = normal{sum / weight, math.Sqrt(1 / weight)}
	for i := range residuals {
		residuals[i] -= st.change.mean
	}
	st.own = estimators.NewFactors(residuals, num.Task)
}

// The logarithm of the milliseconds of a task before any has ended, and its standard deviation. They only share the
// time out among stages: no number is shown then.
const (
	usualTask      = 6.5
	usualTaskSigma = 1.5
)

// learnNew finds what tasks of stages take that no profile knows: from their own, else from the mean task of the run.
func (m *Model) learnNew() {
	num := m.numbers
	sum, count := 0.0, 0.0
	took, units := 0.0, 0.0 // of stages with records
	add := func(st *stage) {
		for i := range st.work {
			whole := m.whole(st, i)
			sum, count = sum+whole, count+1
			if u := st.units[i]; st.seen.records && u > 0 {
				took, units = took+whole, units+u
			}
		}
	}
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		if st.prior.N > 0 || st.single && st.origin == schedule.Observed {
			add(st)
			return
		}
		g := st.watched()
		if len(st.seen.ended) == 0 && !(g.n > 0) {
			return
		}
		st.origin = schedule.Observed
		weights := m.recency(st)
		took, of, n := [2]float64{g.took}, [2]float64{g.work}, [2]float64{g.n}
		for i := range st.seen.ended {
			e := &st.seen.ended[i]
			kind := 0
			if e.first || e.cold {
				kind = 1
			}
			w := weights[i]
			took[kind] += w * max(m.workOf(e), 1)
			of[kind] += w * st.work[e.task]
			n[kind] += w
		}
		logs, weight := 0.0, 0.0 // of what a task takes, by precision
		if n[0] > 0 {
			w := 1 / (num.Task * num.Task / n[0])
			logs, weight = logs+w*math.Log(took[0]/of[0]), weight+w
		}
		if n[1] > 0 {
			w := 1 / (num.FirstHeadSigma*num.FirstHeadSigma + num.Task*num.Task/n[1])
			logs, weight = logs+w*(math.Log(took[1]/of[1])-num.FirstHead), weight+w
		}
		// Tasks to come differ from those that have ended in a way of their own: code becomes faster, the input has
		// an order.
		left := 1 - float64(len(st.seen.ended))/float64(max(st.n, 1))
		st.change = normal{logs / weight, math.Hypot(math.Sqrt(1/weight), num.ToCome*left)}
		var residuals []float64
		for i := range st.seen.ended {
			if e := &st.seen.ended[i]; !e.first && !e.cold && e.took > 0 {
				residuals = append(residuals, math.Log(m.workOf(e)/st.work[e.task])-st.change.mean)
			}
		}
		st.own = estimators.NewFactors(residuals, num.Task)
		st.head = (math.Exp(num.FirstHead) - 1) * math.Exp(st.change.mean)
		add(st)
	})
	m.each(func(j int, k dag.StageIndex, st *stage) {
		if st.prior.N > 0 || st.origin == schedule.Observed {
			return
		}
		st.change = normal{usualTask, usualTaskSigma}
		if count == 0 {
			st.origin = schedule.Unknown
		}
		if count > 0 && sum > 0 {
			st.change = normal{math.Log(sum/count) + num.Unseen, num.UnseenSigma}
			if m.reads(j, k) {
				usual := sum / count
				if in := m.input(j, k); in > 0 && units > 0 && !m.executors() && !st.single {
					usual = min(usual, took/units*in/float64(max(st.n, 1)))
				}
				st.change.mean, st.high = math.Log(usual)+num.UnseenRead, num.UnseenHigh
			}
		}
		st.own = estimators.NewFactors(nil, num.Task)
	})
}

// workOf is what an ended task took beyond the start of its own container, by its reports or as is expected of that; a
// part of it remains in any case.
func (m *Model) workOf(e *ended) float64 {
	if e.up >= 0 || e.over == 0 {
		return e.worked()
	}
	return max(e.took-m.pace.loaded*e.over, leastWork*e.took)
}

// leastWork is the part of a task that is work at least.
const leastWork = 0.05

// width is how many tasks of a MapReduce job's stage may run at once; 0 for others.
func (m *Model) width(st *stage) int {
	if !st.single {
		return 0
	}
	return len(st.seen.running)
}

// boot is what the start of the first executor lets expect of the logarithm of the pace of overhead, against that of
// the profile's run.
func (m *Model) boot() (mean, sigma float64) {
	is, was := m.s.Plan.Overheads.Boot, m.profile.Overheads()
	if was == nil || was.Boot <= 0 || is <= 0 {
		return 0, m.numbers.Load
	}
	return m.numbers.Boot * math.Log(float64(is)/float64(was.Boot)), m.numbers.LoadBoot
}

// reads reports whether a stage reads what other stages have written for its tasks.
func (m *Model) reads(j int, k dag.StageIndex) bool { return len(m.sources(j, k)) > 0 }
