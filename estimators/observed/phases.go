package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// A phase is what is known of a phase's costs.
type phase struct {
	seen    stat
	alpha   float64    // milliseconds a unit, set-up excluded; NaN where nothing is known
	nodes   *nodePaces // how much slower than alpha a node is
	origin  schedule.Origin
	sel     float64   // tuples written for each unit; NaN unknown
	sizes   []float64 // units by task; nil: mean for all
	mean    float64   // units of a task; NaN unknown
	prior   []float64 // work by task as a profile has it, used where alpha or its size is unknown
	assumed float64   // work of a task, used where alpha or its size is unknown
	// mapsDone says of a reduce phase that every map output exists.
	mapsDone bool
	groups   *groupWork // of a reduce phase that goes by its key groups, else nil
}

// learnPhases finds each phase's rate and sizes.
func (m *Model) learnPhases(profile *profiles.Match, opt Options) {
	s := m.Snapshot
	m.phases = make([][2]phase, len(s.Jobs))
	m.priors = make([][2]prior, len(s.Jobs))
	for j := range s.Jobs {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			m.phases[j][k].seen = m.observe(k, &s.Jobs[j].Stages[k])
			m.tellPlanned(j, k)
			m.priors[j][k] = m.priorOf(profile.Job(j), k)
		}
	}
	m.inputs, m.inputSigma = m.growthOfInputs(profile)
	m.learnNodes()
	m.warnNodes()
	slow := m.slowdowns(profile)
	m.warnProfile(s, profile, slow)
	// What a job reads follows from what the jobs before it write.
	for _, j := range m.order() {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			m.learnPhase(j, k, profile, slow)
		}
	}
	m.learnGroups(profile, slow)
	later := laterWork
	if opt.LaterWork > 0 {
		later = opt.LaterWork
	}
	m.assume(m.levels(), later)
}

// levels are the jobs' waves; all 0 where the plan is no DAG.
func (m *Model) levels() []int {
	out := make([]int, len(m.phases))
	if graph, err := dag.NewGraph(m.Snapshot.Plan); err == nil {
		for j := range out {
			out[j] = graph.Level(j)
		}
	}
	return out
}

// order is the jobs, each after those that it comes after; as they stand where the plan is no DAG.
func (m *Model) order() []int {
	if graph, err := dag.NewGraph(m.Snapshot.Plan); err == nil {
		return graph.Order()
	}
	out := make([]int, len(m.phases))
	for j := range out {
		out[j] = j
	}
	return out
}

func (m *Model) learnPhase(j int, k dag.StageIndex, profile *profiles.Match, slow *slowdown) {
	ph, known := &m.phases[j][k], profile.Job(j)
	st := &ph.seen
	alpha, weight := st.alpha()
	if st.dwarfed() {
		alpha, weight = math.NaN(), 0
	}
	ph.alpha, ph.origin, ph.sel, ph.mean = alpha, schedule.Observed, math.NaN(), math.NaN()
	if st.out > 0 && st.bytes > 0 {
		ph.sel = st.out / st.bytes
	}
	n := m.Snapshot.Plan.Jobs[j].Stages[k].Count()
	if known != nil {
		prior := &m.priors[j][k]
		ratio := m.inputRatio(j, k, known)
		if prior.total > 0 {
			ph.sizes, ph.mean = scaledSizes(prior, k, n, st.known, ratio)
			ratio = ph.mean / prior.total * float64(len(prior.sizes))
		} else {
			ph.sizes, ph.mean = knownSizes(k, n, st.known)
		}
		if m.drowned(k, prior, ratio, profile.Overheads()) {
			prior.alpha, prior.work = math.NaN(), nil
		}
		if p := prior.alpha * slow.of(j, k); !math.IsNaN(p) {
			if weight > 0 && p > 0 {
				ph.alpha = taskcost.Blend(weight, weight/alpha, p, taskcost.PriorMS)
			} else if weight == 0 {
				ph.alpha, ph.origin = p, schedule.Profiled
			}
		}
		if math.IsNaN(ph.sel) {
			ph.sel = prior.sel
		}
		ph.prior = prior.scaledWork(n, slow.of(j, k)*ratio)
	} else {
		ph.sizes, ph.mean = knownSizes(k, n, st.known)
		if k == dag.Map && m.byLength(j) {
			ph.sizes, ph.mean = unordered(n, st.known)
		}
	}
	if math.IsNaN(ph.alpha) || math.IsNaN(ph.mean) {
		ph.origin = schedule.Assumed
		if len(ph.prior) > 0 {
			ph.origin = schedule.Profiled
		}
	}
	ph.nodes = m.nodes
	ph.mapsDone = mapsEnd(&m.Snapshot.Plan.Jobs[j], &m.Snapshot.Jobs[j]).Known()
}

// knownSizes spreads the sizes that reports told over a phase of n tasks. Splits are sorted largest first
// (docs/facts/hadoop.md F), so a map that has not started is as large as the nearest one before it at most; of reduces
// nothing is known but the mean.
func knownSizes(k dag.StageIndex, n int, seen []known) ([]float64, float64) {
	if len(seen) == 0 {
		return nil, math.NaN()
	}
	sum, least, most := 0.0, math.Inf(1), 0.0
	for _, s := range seen {
		sum += s.units
		least, most = min(least, s.units), max(most, s.units)
	}
	mean := sum / float64(len(seen))
	if most <= least*1.02 {
		return nil, mean
	}
	sizes := make([]float64, n)
	for _, s := range seen {
		if s.task < n {
			sizes[s.task] = s.units
		}
	}
	last := mean
	if k == dag.Map {
		last = most
	}
	total := 0.0
	for i, v := range sizes {
		if v > 0 && k == dag.Map {
			last = v
		}
		if v == 0 {
			sizes[i] = last
		}
		total += sizes[i]
	}
	return sizes, total / float64(max(n, 1))
}

// units of a task, NaN unknown.
func (ph *phase) size(i int) float64 {
	if i < len(ph.sizes) {
		return ph.sizes[i]
	}
	return ph.mean
}

// work of a whole task that starts on the node.
func (ph *phase) work(i int, node int32) (float64, schedule.Origin) {
	if w := ph.groups.of(i); !math.IsNaN(w) {
		return w, ph.origin
	}
	if w := ph.alpha * ph.seen.reduces.effort(ph.size(i)); !math.IsNaN(w) {
		return w * ph.factor(node), ph.origin
	}
	w, origin := ph.unmeasured(i)
	return w * ph.factor(node), origin
}

// unmeasured is the work of a task whose rate or size is not known: a profile's, else an assumption.
func (ph *phase) unmeasured(i int) (float64, schedule.Origin) {
	if i < len(ph.prior) {
		return ph.prior[i], schedule.Profiled
	}
	return ph.assumed, schedule.Assumed
}

// factor is how much longer than alpha a unit takes on a node.
func (ph *phase) factor(node int32) float64 { return ph.nodes.factor(node) }

// same is how many tasks from i on are of one size.
func (ph *phase) same(i, n int) int {
	if ph.groups != nil {
		return ph.groups.same(i)
	}
	if len(ph.sizes) == 0 {
		return max(n-i, 1)
	}
	k := i + 1
	for k < len(ph.sizes) && ph.sizes[k] == ph.sizes[i] {
		k++
	}
	return k - i
}
