package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// learnStages computes the posterior of each stage's own change.
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

// recency returns the weight of each task that has ended. A weight halves with every Numbers.Waves tasks per core
// that ended later.
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

// kind returns 1 for a head (the first task on its core or in its container, or of its stage there), else 0.
func (e *ended) kind() int {
	if e.first || e.cold {
		return 1
	}
	return 0
}

// learnKnown computes the posterior of the change of a stage that the profile has.
func (m *Model) learnKnown(st *stage) {
	num := m.numbers
	st.origin = schedule.Profiled
	prior := num.Change * num.Change
	// Heads of a stage share the residual of their overhead; the residuals of other tasks are independent.
	sum, weight := 0.0, 1/prior
	weights := m.recency(st)
	var residuals []float64
	var took, of, over, n [2]float64
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		work, o := m.expected(st, e)
		kind, w := e.kind(), weights[i]
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

// The prior mean and standard deviation of the logarithm of a task's milliseconds before any task has ended. They
// only divide the time among stages: no estimate is shown then.
const (
	usualTask      = 6.5
	usualTaskSigma = 1.5
)

// learnNew finds how long tasks take in stages that no profile has: by the stage's own tasks, else by the mean task
// of the run.
func (m *Model) learnNew() {
	num := m.numbers
	sum, count := 0.0, 0.0
	took, units := 0.0, 0.0 // milliseconds and units of stages with records
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
		if st.prior.N > 0 || st.single && st.origin == schedule.Observed || m.learnSeen(st) {
			add(st)
		}
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
				st.change.mean = math.Log(usual) + num.UnseenRead
			}
		}
		st.own = estimators.NewFactors(nil, num.Task)
	})
}

// learnSeen computes the change of a stage that no profile has from its own tasks. It reports whether these show it.
func (m *Model) learnSeen(st *stage) bool {
	num := m.numbers
	g := st.watched()
	if len(st.seen.ended) == 0 && !(g.n > 0) {
		return false
	}
	st.origin = schedule.Observed
	weights := m.recency(st)
	took, of, n := [2]float64{g.took}, [2]float64{g.work}, [2]float64{g.n}
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		kind, w := e.kind(), weights[i]
		took[kind] += w * max(m.workOf(e), 1)
		of[kind] += w * st.work[e.task]
		n[kind] += w
	}
	logs, weight := 0.0, 0.0 // weighted sum of the logarithms of a task's milliseconds, and its weight
	if n[0] > 0 {
		w := 1 / (num.Task * num.Task / n[0])
		logs, weight = logs+w*math.Log(took[0]/of[0]), weight+w
	}
	if n[1] > 0 {
		v, shown := num.FirstHeadSigma*num.FirstHeadSigma+num.Task*num.Task/n[1], math.Log(took[1]/of[1])-num.FirstHead
		w := 1 / v
		if weight > 0 {
			// First tasks far from the others follow another ratio: their weight is Huber's (1964).
			w /= max(1, math.Abs(shown-logs/weight)/(2*math.Sqrt(v+1/weight)))
		}
		logs, weight = logs+w*shown, weight+w
	}
	// Remaining tasks differ systematically from those that have ended: the code becomes faster, and the input has an
	// order.
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
	return true
}

// workOf returns the milliseconds that an ended task took beyond the start of its own container. The start is from
// the task's reports. Without reports the start is the expected one, and at least leastWork of the task remains as
// work.
func (m *Model) workOf(e *ended) float64 {
	if e.up >= 0 || e.over == 0 {
		return e.worked()
	}
	return max(e.took-m.pace.loaded*e.over, leastWork*e.took)
}

// leastWork is the least part of a task that counts as work.
const leastWork = 0.05

// width returns the number of running tasks in a stage of a MapReduce job; 0 for other stages.
func (m *Model) width(st *stage) int {
	if !st.single {
		return 0
	}
	return len(st.seen.running)
}

// reads reports whether a stage reads what other stages have written for its tasks.
func (m *Model) reads(j int, k dag.StageIndex) bool { return len(m.sources(j, k)) > 0 }
