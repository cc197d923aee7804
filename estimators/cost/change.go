package cost

import (
	"math"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A fit computes the posterior of the change of one stage.
type fit struct {
	*overheads
	st      *stage
	weights []float64 // of the ended tasks
}

// learnStages computes the posterior of each stage's own change.
func (o *overheads) learnStages() {
	for _, st := range o.ordered {
		switch {
		case st.single:
			newFit(o, st).containers()
		case st.prior.N > 0:
			newFit(o, st).profiled()
		}
	}
	o.learnNew()
}

// newFit returns a fit. The weight of a task halves with every Numbers.Waves tasks per core that ended later.
func newFit(o *overheads, st *stage) *fit {
	width := 0
	if st.single {
		width = len(st.running)
	}
	half := o.numbers.Waves * float64(max(1, o.s.Plan.Cluster.Cores, len(o.cores.firsts), width))
	order := taskcost.Order(len(st.ended), func(a, b int) int {
		return int(st.ended[b].attempt.End - st.ended[a].attempt.End)
	})
	f := &fit{o, st, make([]float64, len(order))}
	for rank, i := range order {
		f.weights[i] = math.Exp2(-float64(rank) / half)
	}
	return f
}

// profiled computes the posterior of a stage that the profile has.
func (f *fit) profiled() {
	st, num := f.st, f.numbers
	if st.origin = schedule.Profiled; len(st.ended) > 0 {
		st.origin = schedule.Observed
	}
	// Heads of a stage share the residual of their overhead; the residuals of other tasks are independent.
	sum, weight := 0.0, 1/(num.Change*num.Change)
	add := func(g group, mean, variance float64) {
		if !(g.n > 0) || !(g.took > 0) {
			return
		}
		over := f.pace.loaded * g.over
		expected := f.pace.factor*g.work + over
		variance += num.Task * num.Task / g.n
		if g.head {
			share := over / expected
			variance += num.Head * num.Head * share * share
		}
		r, w := g.information(expected*math.Exp(mean), variance)
		sum, weight = sum+w*(mean+r), weight+w
	}
	ended, running, parts := f.endedOf(st, f.weights), f.runningOf(st), st.partsShown()
	g := &ended[0]
	g.took, g.work, g.n = g.took+parts.took, g.work+parts.work, g.n+parts.n
	add(ended[0], 0, 0)
	add(ended[1], 0, 0)
	mean := sum / weight
	add(running[1], mean, 1/weight)
	add(running[0], mean, 1/weight)
	st.change = normal{sum / weight, math.Sqrt(1 / weight)}
	st.own = estimators.NewFactors(f.residuals(), num.Task)
}

// residuals returns the logarithms of the times of ended tasks divided by those at the posterior means, without
// heads.
func (f *fit) residuals() []float64 {
	var out []float64
	change, up := math.Exp(f.st.change.mean), math.Exp(f.st.up.mean)
	for _, e := range f.st.ended {
		work, over := f.pace.atPace(f.st, e)
		if is := work*change + over*up; e.kind() == 0 && e.worked() > 0 && is > 0 {
			out = append(out, math.Log(e.worked()/is))
		}
	}
	return out
}

// toCome adds the uncertainty of the remaining tasks to the change of a stage that no profile has. They differ
// systematically from those that have ended: the code becomes faster, and the input has an order.
func (f *fit) toCome() {
	left := 1 - float64(len(f.st.ended))/float64(max(f.st.n, 1))
	f.st.change.sigma = math.Hypot(f.st.change.sigma, f.numbers.ToCome*left)
}

// learnNew finds how long tasks take in stages that no profile has: by the stage's own tasks, else by the mean task
// of the run.
func (o *overheads) learnNew() {
	num := o.numbers
	sum, count := 0.0, 0.0
	took, units := 0.0, 0.0 // milliseconds and units of stages with records
	for _, st := range o.ordered {
		if st.prior.N == 0 && !(st.single && st.origin == schedule.Observed) && !unprofiled(o, st) {
			continue
		}
		for i := range st.work {
			whole := o.pace.whole(st, i)
			sum, count = sum+whole, count+1
			if u := st.units[i]; st.records && u > 0 {
				took, units = took+whole, units+u
			}
		}
	}
	for _, st := range o.ordered {
		if st.prior.N > 0 || st.origin == schedule.Observed {
			continue
		}
		// Before any task has ended no estimate is shown: this only divides the time among stages.
		st.change = normal{math.Log(taskcost.PriorMS), num.UnseenSigma}
		if count == 0 {
			st.origin = schedule.Unknown
		}
		if count > 0 && sum > 0 {
			st.change = normal{math.Log(sum/count) + num.Unseen, num.UnseenSigma}
			if len(o.sources(st)) > 0 {
				usual := sum / count
				if in := o.input(st); in > 0 && units > 0 && !o.executors && !st.single {
					usual = min(usual, took/units*in/float64(max(st.n, 1)))
				}
				st.change.mean = math.Log(usual) + num.UnseenRead
			}
		}
		st.own = estimators.NewFactors(nil, num.Task)
	}
}

// unprofiled computes the change of a stage that no profile has from its own tasks. It reports whether these show it.
func unprofiled(o *overheads, st *stage) bool {
	parts := st.partsShown()
	if len(st.ended) == 0 && !(parts.n > 0) {
		return false
	}
	st.origin = schedule.Observed
	f, num := newFit(o, st), o.numbers
	by := [2]group{parts}
	for i, e := range st.ended {
		by[e.kind()].add(f.weights[i], max(f.pace.workOf(e), 1), st.work[e.task], 0)
	}
	logs, weight := 0.0, 0.0 // weighted sum of the logarithms of a task's milliseconds, and its weight
	if g := by[0]; g.n > 0 {
		w := 1 / (num.Task * num.Task / g.n)
		logs, weight = logs+w*math.Log(g.took/g.work), weight+w
	}
	if g := by[1]; g.n > 0 {
		v, r := num.FirstHeadSigma*num.FirstHeadSigma+num.Task*num.Task/g.n, math.Log(g.took/g.work)-num.FirstHead
		w := 1 / v
		if weight > 0 {
			// First tasks far from the others follow another ratio: their weight is Huber's (1964).
			w /= max(1, math.Abs(r-logs/weight)/(2*math.Sqrt(v+1/weight)))
		}
		logs, weight = logs+w*r, weight+w
	}
	st.change = normal{logs / weight, math.Sqrt(1 / weight)}
	f.toCome()
	st.own = estimators.NewFactors(f.residuals(), num.Task)
	st.head = (math.Exp(num.FirstHead) - 1) * math.Exp(st.change.mean)
	return true
}

// Tasks with a container of their own take over·e^(o+h) + work·e^(r+d)·e^ε. In each stage, d is the change of their
// work and h the change of their starts. Reports of a task show both apart; without reports only their sum is known.

// containers computes the posterior of the changes of a stage of a MapReduce job, by Gauss-Newton least squares of
// logarithms. If no profile has the stage, d is the logarithm of its tasks' time and has a wide prior around the
// observed one.
func (f *fit) containers() {
	st, num := f.st, f.numbers
	groups := f.containerGroups()
	if st.up = (normal{0, num.Head}); st.prior.N > 0 {
		st.change, st.origin = normal{0, num.Change}, schedule.Profiled
	}
	took, work := 0.0, 0.0
	for _, g := range groups {
		if g.work > 0 && !g.running {
			took, work = took+max(g.took-g.over, leastWork*g.took), work+g.work
			st.origin = schedule.Observed
		}
	}
	if st.prior.N == 0 && st.origin != schedule.Observed {
		return
	}
	d, prior := 0.0, 1/(num.Change*num.Change)
	if st.prior.N == 0 {
		d, prior = math.Log(took/work), 1/(num.UnseenSigma*num.UnseenSigma)
	}
	variance := func(g *group, _ float64) float64 { return num.Task * num.Task / g.n }
	p := paired{a: d, aa: prior, bb: 1 / (num.Head * num.Head)}.update(groups, variance, math.Inf(1), math.Inf(1))
	st.change, st.up = normal{p.a, math.Sqrt(p.aa)}, normal{p.b, math.Sqrt(p.bb)}
	if st.prior.N == 0 {
		f.toCome()
	}
	residuals, a := f.residuals(), f.workShare()
	st.own, st.ownPrior = estimators.NewFactors(residuals, num.Task), f.ownPrior(residuals)
	st.unseen = estimators.NewFactors(residuals, math.Sqrt(num.Task*num.Task+a*a*p.aa+(1-a)*(1-a)*(p.bb+f.pace.bb)))
}

// containerGroups returns the observations by the tasks of a stage of a MapReduce job, at the run's paces. Newer tasks
// that have ended weigh more, with starts apart or not. Running tasks give the parts that reports have shown, or else
// their ages.
func (f *fit) containerGroups() []group {
	st, whole, apart := f.st, group{}, group{}
	for i, e := range st.ended {
		g := &whole
		if e.up >= 0 {
			g = &apart
		}
		work, over := f.pace.atPace(st, e)
		g.add(f.weights[i], e.worked(), work, over)
	}
	starts, running, parts := st.startsShown(f.weights), f.runningOf(st)[0], st.partsShown()
	if st.prior.N > 0 {
		running.work, parts.work = f.pace.factor*running.work, f.pace.factor*parts.work
	}
	running.over, starts.over = f.pace.loaded*running.over, f.pace.loaded*starts.over
	return shown([]group{whole, apart, starts, running, parts})
}

// workShare returns the share of work in the time of a running task that still starts up; 1 if none does.
func (f *fit) workShare() float64 {
	for _, r := range f.st.running {
		if r.over > 0 {
			work := f.pace.whole(f.st, r.task)
			return work / (work + r.over*f.pace.overhead(f.st))
		}
	}
	return 1
}

// usualSpread is the usual standard deviation of the logarithm of the rates of a stage's tasks. At this spread the
// stage's rate weighs taskcost.PriorMS against a running task's own rate.
const usualSpread = 0.2

// ownPrior returns the weight of the stage's rate against a running task's own, in milliseconds of work. It is lower
// if the rates of the tasks differ more than usual.
func (f *fit) ownPrior(residuals []float64) float64 {
	const prior = usualSpread * usualSpread
	squares, n := prior, 1.0
	for _, r := range residuals {
		squares, n = squares+r*r, n+1
	}
	for _, r := range f.st.running {
		if expected := f.pace.whole(f.st, r.task) * r.part; r.partMS >= taskcost.ShortMS && expected > 0 {
			off := math.Log(r.partMS / expected)
			squares, n = squares+off*off, n+1
		}
	}
	return taskcost.PriorMS * min(1, prior*n/squares)
}
