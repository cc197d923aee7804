package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A growth is the logarithm of a stage's total units divided by those in the profile's run, as a normal distribution.
type growth struct {
	normal
	left  float64 // mean for the tasks that have not ended
	known bool    // its own tasks or those of the stages before it have shown the growth
}

// expect sets the expected units, work and overhead of the tasks of all stages at pace 1.
func (m *Model) expect() {
	m.each(func(j int, k dag.StageIndex, st *stage) { st.growth = m.growthOf(j, k, st) })
	common := m.commonGrowth()
	m.each(func(j int, k dag.StageIndex, st *stage) {
		if (st.prior.Records || st.single && st.prior.N > 0) && !st.growth.known {
			st.growth.normal, st.growth.left = common, common.mean
		}
		if m.lostInStarts(st) {
			st.prior, st.growth = prior{}, growth{}
		}
		m.expectStage(j, k, st)
		for i := range st.seen.running {
			m.watch(st, &st.seen.running[i])
		}
	})
}

// If the work of the profile's maps was less than lostPart of their starts, their rate is used only for maps up to
// lostGrowth times as large. Starts are not known exactly enough for more. A profile of a run on a sample of the
// data is such a case.
const (
	lostPart      = 0.3
	lostGrowth    = 3
	usualTogether = 8 // usual number of tasks that start on a node at about the same time
)

// lostInStarts reports whether the work of the profile's maps is too small beside their starts to show a rate, and this
// run's maps are much larger.
func (m *Model) lostInStarts(st *stage) bool {
	if !st.maps || st.prior.N == 0 || m.s.Plan.Cluster.Policy == dag.FIFO ||
		!(st.growth.left > math.Log(lostGrowth)) {
		return false
	}
	took := 0.0
	for _, ms := range st.prior.Took {
		took += ms / float64(st.prior.N)
	}
	return took < lostPart*m.starts.at(usualTogether, false)
}

// commonGrowth returns the growth of stages without evidence of their own. It is the mean growth of the other stages,
// drawn towards 0. The standard deviation of this prior is Numbers.Growth, or the mean growth if that is larger: such
// a run reads other data, to which the prior does not apply.
func (m *Model) commonGrowth() normal {
	sum, n := 0.0, 0.0
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		if st.growth.known {
			sum, n = sum+st.growth.mean, n+1
		}
	})
	if n == 0 {
		return normal{0, m.numbers.Growth}
	}
	w, mean := 1/(m.numbers.Change*m.numbers.Change), sum/n
	prior := 1 / max(m.numbers.Growth*m.numbers.Growth, mean*mean)
	return normal{w * sum / (prior + w*n), m.numbers.Growth}
}

// growthOf returns the growth of a stage. The evidence is the units of its own tasks, the output of the stages before
// it, the sizes of its files, and the number of tasks of a scan.
func (m *Model) growthOf(j int, k dag.StageIndex, st *stage) growth {
	p := &st.prior
	scan := growth{}
	if ratio := m.inputRatio(j, k, st); ratio > 0 {
		scan = growth{normal{math.Log(ratio), m.numbers.Files}, math.Log(ratio), true}
	} else if p.root && st.open && st.n != p.N && st.n > 0 {
		// A scan has one task for each part of its input, and the parts have one size.
		grown := math.Log(float64(st.n) / float64(p.N))
		scan = growth{normal{grown, 0}, grown, true}
	}
	if scan.known && (len(st.seen.ended) == 0 && !st.sized() || !p.Records) {
		return scan
	}
	in := 0.0
	if was := m.inputOf(j, k, st); was > 0 {
		in = m.input(j, k) / was
	}
	switch {
	case !p.Records && st.single && in > 0:
		return growth{normal{math.Log(in), 0}, math.Log(in), true} // the input of all tasks has grown
	case !p.Records || !(p.Total > 0):
		return growth{}
	}
	if st.plan.Known() {
		grown := math.Log(profiles.Total(st.plan, st.n) / p.Total)
		return growth{normal{grown, 0}, grown, true}
	}
	read, of := 0.0, 0.0
	for _, e := range st.seen.ended {
		read, of = read+e.units, of+p.at(p.Units, e.task, st.n)
	}
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.units > 0 {
			read, of = read+r.units, of+p.at(p.Units, int(r.attempt.Task), st.n)
		}
	}
	of *= float64(p.N) / float64(max(st.n, 1)) // comparable with the profile's total
	switch {
	case in > 0 && of < p.Total:
		// The tasks divide the output of the stages before them.
		left := max(in*p.Total-read, 0.02*in*(p.Total-of))
		return growth{normal{math.Log((read + left) / p.Total), 0}, math.Log(left / (p.Total - of)), true}
	case of > 0 && read > 0:
		left, grown := 1-of/p.Total, math.Log(read/of)
		return growth{normal{grown, m.numbers.Growth * left * left}, grown, true}
	}
	return growth{}
}

// sized reports whether running tasks of a MapReduce job have shown their units.
func (st *stage) sized() bool {
	return st.single && slices.ContainsFunc(st.seen.running, func(r running) bool { return r.units > 0 })
}

// inputRatio returns the bytes of the files that a MapReduce job reads, divided by those in the profile's run; 0 if
// unknown. The file system reports the sizes. If the profile has no sizes, the bytes that its maps read count.
func (m *Model) inputRatio(j int, k dag.StageIndex, st *stage) float64 {
	known := m.profile.Job(j)
	if !st.single || k != dag.Map || known == nil || st.prior.N == 0 {
		return 0
	}
	was := known.InputBytes
	if maps := &known.Stages[dag.Map]; !(was > 0) {
		was = profiles.Total(maps.Bytes, maps.Count())
	}
	if now := m.s.Plan.Jobs[j].InputBytes; now > 0 && was > 0 {
		return now / was
	}
	return 0
}

// A place is the position of a stage in the plan.
type place struct {
	j int
	k dag.StageIndex
}

// sources returns the stages that write the input of a stage. Maps of MapReduce read what the jobs before have
// written.
func (m *Model) sources(j int, k dag.StageIndex) []place {
	var out []place
	job := &m.s.Plan.Jobs[j]
	for _, e := range job.Stages[k].After {
		if e.Kind != dag.Broadcast {
			out = append(out, place{j, e.From})
		}
	}
	if !job.IsMapReduce() || k != dag.Map {
		return out
	}
	for _, a := range job.After {
		if before := &m.s.Plan.Jobs[a]; before.IsMapReduce() {
			last := dag.Reduce
			if before.Stages[last].Count() == 0 {
				last = dag.Map
			}
			out = append(out, place{a, last})
		}
	}
	return out
}

// inputOf returns how many records the sources of a stage wrote in the profile's run; 0 if unknown.
func (m *Model) inputOf(j int, k dag.StageIndex, st *stage) float64 {
	if !st.single {
		return st.prior.in
	}
	total := 0.0
	for _, at := range m.sources(j, k) {
		out := m.stages[at.j][at.k].prior.Out
		if !(out > 0) {
			return 0
		}
		total += out
	}
	return total
}

// input returns how many records the sources of a stage write for it in this run; 0 if unknown.
func (m *Model) input(j int, k dag.StageIndex) float64 {
	total := 0.0
	for _, at := range m.sources(j, k) {
		from := &m.stages[at.j][at.k]
		done := len(from.seen.ended)
		left := from.prior.Out * math.Exp(from.growth.left) // output of all tasks at the growth of unfinished ones
		switch {
		case done > 0 && from.seen.out > 0 && left == 0 || done >= from.n:
			left = from.seen.out * float64(from.n) / float64(max(done, 1))
		case left == 0 || !from.growth.known:
			return 0
		}
		total += from.seen.out + left*float64(max(from.n-done, 0))/float64(max(from.n, 1))
	}
	return total
}

// at returns the value of the profile's task at the relative place of task i of n: among the first tasks on each
// core, or among the others.
func (p *prior) at(values []float64, i, n int) float64 {
	heads := min(p.cores, p.N)
	switch {
	case n == p.N || i < heads:
		return values[min(i, p.N-1)]
	case p.N == heads:
		return values[i%heads]
	}
	return values[min(heads+(i-heads)*(p.N-heads)/max(n-heads, 1), p.N-1)]
}

// expectStage sets the expected units, work and overhead of the tasks of a stage.
func (m *Model) expectStage(j int, k dag.StageIndex, st *stage) {
	st.work, st.units = make([]float64, st.n), make([]float64, st.n)
	p := &st.prior
	if p.N == 0 {
		m.expectNew(j, k, st)
		return
	}
	every, head, work := m.split(p)
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
		if u := st.plan.At(i); u > 0 && !math.IsInf(u, 1) {
			visit(i, u)
		}
	}
	for i := range st.seen.ended {
		visit(st.seen.ended[i].task, st.seen.ended[i].units)
	}
	for i := range st.seen.running {
		r := &st.seen.running[i]
		task := int(r.attempt.Task)
		if read := st.worked(st.recordsOf(r.attempt), counted(r.attempt.Out), st.selectivity()); r.units > 0 {
			visit(task, r.units)
		} else if read > st.units[task] && !st.bytes {
			visit(task, read)
		}
	}
}

// expectNew sets the expected units of a stage that the profile does not have, and its work relative to the mean
// task. The tasks divide the output of the stages before them.
func (m *Model) expectNew(j int, k dag.StageIndex, st *stage) {
	sum, n, all := 0.0, 0.0, float64(st.n)
	for i := range st.seen.ended {
		sum, n = sum+st.seen.ended[i].units, n+1
	}
	for i := range st.seen.running {
		if r := &st.seen.running[i]; r.units > 0 {
			sum, n = sum+r.units, n+1
		}
	}
	mean := sum / n
	left := mean
	if in := m.input(j, k); in > 0 && n < all && !st.bytes {
		mean, left = in/all, max(in-sum, 0.02*in*(1-n/all))/(all-n)
	}
	for i := range st.work {
		st.units[i], st.work[i] = left, 1
	}
	if !st.seen.records {
		return
	}
	st.eachSize(func(i int, units float64) { st.units[i] = units })
	share := 1.0
	if st.bytes && len(st.seen.ended) > 0 {
		share, mean = st.shareBySize()
	}
	for i := range st.work {
		if w := st.units[i] / mean; w >= 0 && !math.IsInf(w, 0) {
			st.work[i] = max(share*w+1-share, 0.01)
		}
	}
}

// usualCommit is the time that a reduce of almost no bytes takes to open and to commit, in milliseconds.
const usualCommit = 1000

// sizeDoubt is the weight of the prior slope of the work of reduces over their sizes. It is the variance of relative
// lengths, 0.2 squared, divided by the variance of slopes around 1, 0.5 squared.
const sizeDoubt = 0.2 * 0.2 / (0.5 * 0.5)

// shareBySize returns the share of the work of an ended task of the mean size that follows its size, 0 to 1, and that
// size. The share is the slope of relative lengths over relative sizes, by ridge regression (Hoerl and Kennard 1970).
// Its prior is 1 less the usual part of opening and committing. The rest of the work is the same for all tasks:
// opening and committing, or a few groups with costs that do not depend on their size.
func (st *stage) shareBySize() (share, mean float64) {
	var n, units, took, squares, products float64
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		n, units, took = n+1, units+e.units, took+e.worked()
		squares, products = squares+e.units*e.units, products+e.units*e.worked()
	}
	usual := max(1-usualCommit*n/took, leastWork)
	spread, together := n*n*squares/(units*units)-n, n*n*products/(units*took)-n
	if share = (together + usual*sizeDoubt) / (max(0, spread) + sizeDoubt); math.IsNaN(share) {
		share = 1
	}
	return min(max(share, 0), 1), units / n
}

// usualCold is the extra time of the first task on a core if no profile has it, in milliseconds.
const usualCold = 1000

// split divides the profile's times into the overhead of each task, the extra overhead of the first tasks of the
// stage on a core, and the work of each task. The prior of the extra overhead is a part of the overhead of a core's
// first task. The other tasks of the stage give an observation of it. Both are normal.
func (m *Model) split(p *prior) (every, head float64, work []float64) {
	num := m.numbers
	heads := min(p.cores, p.N)
	sum := func(from, to int) (took, units, n float64) {
		for i := from; i < to; i++ {
			took, units, n = took+p.Took[i], units+p.Units[i], n+1
		}
		return took, units, n
	}
	took, units, n := sum(0, heads)
	first := took / n
	cold := m.cold
	if cold <= 0 {
		cold = usualCold
	}
	if heads <= 0 {
		took, _, n = sum(0, p.N)
		first = took / n
	} else {
		head = saturating(first, num.HeadPart*cold)
	}
	if t, u, c := sum(heads, p.N); heads > 0 && c > 0 && u > 0 {
		shown := first - t/u*units/n
		sigma := num.Task * first * math.Sqrt(1/n+1/c)
		a, b := 1/(num.HeadWide*num.HeadWide*head*head), 1/(sigma*sigma)
		head = min(max((a*head+b*shown)/(a+b), 0), 0.95*first)
	}
	usual := first - head // time of a later task with as many units
	every = saturating(usual, num.Every+num.EveryPart*m.launch.was)
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

// taskSize returns the expected units of a task; NaN if unknown.
func (m *Model) taskSize(j int, k dag.StageIndex, i int) float64 {
	if st := &m.stages[j][k]; st.seen.records && i >= 0 && i < st.n {
		return st.units[i]
	}
	return math.NaN()
}
