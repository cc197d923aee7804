package cost

import (
	"cmp"
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// expectTasks sets the expected units, work and overhead of the tasks of all stages at pace 1.
func (o *overheads) expectTasks() {
	for _, st := range o.ordered {
		st.growth = o.growthOf(st)
	}
	common := o.commonGrowth() // of the stages without evidence of their own
	o.lost = o.lostInFixed()
	for _, st := range o.ordered {
		if (st.prior.Records || st.single && st.prior.N > 0) && !st.growth.known {
			st.growth.normal, st.growth.left = common, common.mean
		}
		if st.muchLarger() && o.lost {
			st.prior, st.growth = prior{}, growth{}
		}
		o.expectStage(st)
		for _, r := range st.running {
			st.watch(r, o.s.At)
		}
		for _, r := range st.lost {
			st.watch(r, r.attempt.End)
		}
	}
}

// If the work of the profile's tasks was less than lostPart of their time, their rate is used only for stages up to
// lostGrowth times as large: the rest of their time is not known exactly enough for more. A profile of a run on a
// sample of the data is such a case.
const (
	lostPart   = 0.3
	lostGrowth = 3
)

// muchLarger reports whether a stage is more than lostGrowth times as large as in the profile's run.
func (st *stage) muchLarger() bool { return st.prior.N > 0 && st.growth.left > math.Log(lostGrowth) }

// took returns the milliseconds of all tasks.
func (p *prior) took() (sum float64) {
	for _, ms := range p.Took {
		sum += ms
	}
	return sum
}

// lostInFixed reports whether the work of the profile's tasks is lost in costs that do not grow with their records. The
// stages that are much larger now show it: at their rate the profile's records take less than lostPart of the time of
// its tasks. On executors, where tasks need no JVM of their own, that made no run of another size better.
func (o *overheads) lostInFixed() bool {
	if !o.mapReduce {
		return false
	}
	work, all := 0.0, 0.0
	for _, st := range o.ordered {
		if !st.muchLarger() || !st.prior.Records {
			continue
		}
		took, units, tasks := 0.0, 0.0, 0.0
		add := func(ms, read float64) {
			if read > 0 {
				took, units, tasks = took+ms, units+read, tasks+1
			}
		}
		for _, e := range st.ended {
			add(e.worked(), e.units)
		}
		for _, r := range st.running {
			if first, last := r.attempt.First, r.attempt.Last; first.At.Known() {
				add(float64(last.At-first.At), counted(last.Done)-counted(first.Done))
			}
		}
		if units > 0 {
			work += tasks * took / units * st.prior.Total
			all += tasks * st.prior.took()
		}
	}
	return work < lostPart*all
}

// expectStage sets the expected units, work and overhead of the tasks of a stage.
func (o *overheads) expectStage(st *stage) {
	st.work, st.units = make([]float64, st.n), make([]float64, st.n)
	p := &st.prior
	if p.N == 0 {
		o.expectNew(st)
		return
	}
	every, head, work := o.split(p)
	st.every, st.head = every, head
	grown := 1.0 // growth of a single task
	if p.Records || st.single {
		grown = math.Exp(st.growth.left) * float64(p.N) / float64(max(st.n, 1))
	}
	for i := range st.work {
		st.units[i], st.work[i] = p.at(p.Units, i, st.n)*grown, p.at(work, i, st.n)*grown
	}
	st.eachSize(func(i int, units float64) {
		if of := st.units[i]; p.Records && of > 0 && units > 0 {
			st.units[i], st.work[i] = units, st.work[i]*units/of
		}
	})
}

// eachSize calls visit for tasks with known units: by the run's own plan, tasks that have ended, tasks with complete
// input, and tasks that have read more than expected.
func (st *stage) eachSize(visit func(task int, units float64)) {
	for i := range st.n {
		if u := st.planned.At(i); u > 0 && !math.IsInf(u, 1) {
			visit(i, u)
		}
	}
	st.eachUnits(func(e *observation) { visit(e.task, e.units) })
	for _, r := range st.running {
		read := st.worked(st.recordsOf(r.attempt), counted(r.attempt.Out), st.selectivity())
		if !(r.units > 0) && read > st.units[r.task] && !st.bytes {
			visit(r.task, read)
		}
	}
}

// expectNew sets the expected units of a stage that the profile does not have, and its work relative to the mean
// task. The tasks divide the output of the stages before them.
func (o *overheads) expectNew(st *stage) {
	sum, n, all := 0.0, 0.0, float64(st.n)
	st.eachUnits(func(e *observation) { sum, n = sum+e.units, n+1 })
	mean := sum / n
	left := mean
	if in := o.input(st); in > 0 && n < all && !st.bytes {
		mean, left = in/all, max(in-sum, taskcost.NotableRatio*in*(1-n/all))/(all-n)
	}
	for i := range st.work {
		st.units[i], st.work[i] = left, 1
	}
	if !st.records {
		return
	}
	st.eachSize(func(i int, units float64) { st.units[i] = units })
	share := 1.0
	if st.bytes && len(st.ended) > 0 {
		share, mean = st.shareBySize()
	}
	for i := range st.work {
		if w := st.units[i] / mean; w >= 0 && !math.IsInf(w, 0) {
			st.work[i] = max(share*w+1-share, 0.01)
		}
	}
}

// sizeDoubt is the weight of the prior slope of the work of reduces over their sizes. It is the variance of relative
// lengths, 0.2 squared, divided by the variance of slopes around 1, 0.5 squared.
const sizeDoubt = usualSpread * usualSpread / (0.5 * 0.5)

// shareBySize returns the share of the work of an ended task of the mean size that follows its size, 0 to 1, and that
// size. The share is the slope of relative lengths over relative sizes, by ridge regression (Hoerl and Kennard 1970).
// Its prior is 1 less the usual part of opening and committing. The rest of the work is the same for all tasks:
// opening and committing, or a few groups with costs that do not depend on their size.
func (st *stage) shareBySize() (share, mean float64) {
	var n, units, took, squares, products float64
	for _, e := range st.ended {
		n, units, took = n+1, units+e.units, took+e.worked()
		squares, products = squares+e.units*e.units, products+e.units*e.worked()
	}
	usual := max(1-taskcost.ShortMS*n/took, leastWork)
	spread, together := n*n*squares/(units*units)-n, n*n*products/(units*took)-n
	if share = (together + usual*sizeDoubt) / (max(0, spread) + sizeDoubt); math.IsNaN(share) {
		share = 1
	}
	return min(max(share, 0), 1), units / n
}

// split divides the profile's times into the overhead of each task, the extra overhead of the first tasks of the
// stage on a core, and the work of each task. The prior of the extra overhead is a part of the overhead of a core's
// first task. The other tasks of the stage give an observation of it. Both are normal.
func (o *overheads) split(p *prior) (every, head float64, work []float64) {
	num := o.numbers
	heads := min(p.cores, p.N)
	sum := func(from, to int) (took, units, n float64) {
		for i := from; i < to; i++ {
			took, units, n = took+p.Took[i], units+p.Units[i], n+1
		}
		return took, units, n
	}
	took, units, n := sum(0, heads)
	first := took / n
	if heads <= 0 {
		took, _, n = sum(0, p.N)
		first = took / n
	} else {
		head = saturating(first, num.HeadPart*cmp.Or(o.cold, taskcost.ShortMS))
	}
	if t, u, c := sum(heads, p.N); heads > 0 && c > 0 && u > 0 {
		shown := first - t/u*units/n
		sigma := num.Task * first * math.Sqrt(1/n+1/c)
		a, b := 1/(num.HeadWide*num.HeadWide*head*head), 1/(sigma*sigma)
		head = min(max((a*head+b*shown)/(a+b), 0), 0.95*first)
	}
	usual := first - head // time of a later task with as many units
	every = saturating(usual, num.Every+num.EveryPart*o.launch.was)
	work = make([]float64, p.N)
	for i := range work {
		w := p.Took[i] - every
		if i < heads {
			w -= head
		}
		work[i] = max(w, 0.01*p.Took[i], 1e-3)
	}
	return every, head, work
}

// saturating limits an expected part of the time took: the result is always less than the whole.
func saturating(took, expected float64) float64 {
	if !(took > 0) || !(expected > 0) {
		return 0
	}
	return took * expected / (took + expected)
}

// watch sets how far a running or lost attempt is by its reports: r.read in all, and r.part in r.partMS milliseconds
// between two reports.
func (st *stage) watch(r *observation, now dag.Instant) {
	a := r.attempt
	if st.single && st.waits && !st.bytes {
		return // on the paper's slots copy and sort are work as well, but reports leave them out
	}
	units := st.units[a.Task]
	if !(units > 0) || !st.records || !a.Last.At.Known() || !(r.took > 0) {
		return
	}
	sel := st.selectivity()
	if wrote := a.Last.Out - a.First.Out; st.bytes && !(sel > 0) && wrote > 0 && a.Last.Done == a.First.Done {
		sel = counted(a.Last.Done) / units // all input is read: expect one output record for each input record
	}
	read := st.worked(st.recordsOf(a), counted(a.Out), sel)
	r.read = min(max(read, 0)/units, 1)
	begin := now.Add(-taskcost.Duration(r.took))
	before := st.worked(counted(a.First.Done), counted(a.First.Out), sel)
	if from := max(a.First.At, begin); a.First.At.Known() && a.Last.At > from && read > before {
		r.partMS, r.part = float64(a.Last.At-from), min((read-before)/units, r.read)
	}
}
