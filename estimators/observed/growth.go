package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A profile may come from a sample, and the input may have grown since. Task sizes therefore come from this run where
// it has reported them. The others are the profile's, scaled by what this run has reported.

// inputRatio is how much more a task of the phase gets than in the profile's run, until its own reports tell: of a
// reduce by what the job's maps write, of a map by what the file system says of its input, or by what the jobs before
// it write. One that reads the query's own input gets as much more as those of other such jobs: the profile is of a
// sample, or the input has grown.
func (m *Model) inputRatio(j int, k dag.StageIndex, known *dag.Job) float64 {
	now := &m.Snapshot.Plan.Jobs[j]
	spread := perTask(known.Stages[k].Count(), now.Stages[k].Count())
	var ratio float64
	switch {
	case k == dag.Reduce && recordsOf(&now.Stages[dag.Reduce]).Known():
		ratio = m.growth(j, dag.Reduce) * spread
	case k == dag.Reduce:
		ratio = m.growth(j, dag.Map) * spread
	case !math.IsNaN(m.filesRatio(j, known)):
		return m.filesRatio(j, known)
	case len(now.After) > 0:
		ratio = m.growthBefore(j) * spread
	default:
		return m.inputs
	}
	if math.IsNaN(ratio) {
		return spread
	}
	return ratio
}

// tellPlanned takes the sizes that the run's own plan gives for told where reports have not told them: the number of
// records is known, and what one costs is not (the ParaTimer paper's debug run, section 4.1).
func (m *Model) tellPlanned(j int, k dag.StageIndex) {
	ph, st := &m.Snapshot.Plan.Jobs[j].Stages[k], &m.phases[j][k].seen
	planned := ph.Bytes
	if k == dag.Map || m.fifo {
		planned = recordsOf(ph)
	}
	if !planned.Known() {
		return
	}
	reported := map[int]bool{}
	for _, s := range st.known {
		reported[s.task] = true
	}
	for i := range ph.Count() {
		if u := planned.At(i); u > 0 && !math.IsInf(u, 1) && !reported[i] {
			st.known = append(st.known, known{i, u})
		}
	}
}

// recordsOf are the records that a phase's tasks read.
func recordsOf(ph *dag.Stage) dag.Series {
	if len(ph.Pipelines) == 0 {
		return dag.Series{}
	}
	return ph.Pipelines[len(ph.Pipelines)-1].Tuples
}

// perTask is how much more each task gets where as much is spread over now tasks as over was tasks before; 1 where
// either is unknown.
func perTask(was, now int) float64 {
	if was <= 0 || now <= 0 {
		return 1
	}
	return float64(was) / float64(now)
}

// growth is how many times as much as in the profile's run a phase writes, or reads where nobody has seen it write; of
// reduces that nothing is known of, as many as the maps write. NaN unknown.
func (m *Model) growth(j int, k dag.StageIndex) float64 {
	ph, p := &m.phases[j][k], &m.priors[j][k]
	now := &m.Snapshot.Plan.Jobs[j].Stages[k]
	n, planned := float64(now.Count()), recordsOf(now).Sum(now.Count())
	switch {
	case ph.seen.finished > 0 && ph.seen.out > 0 && p.out > 0:
		return ph.seen.out / float64(ph.seen.finished) * n / p.out
	case ph.mean > 0 && p.total > 0:
		return ph.mean * n / p.total
	case planned > 0 && p.records > 0:
		return planned / p.records
	case k == dag.Reduce:
		return m.growth(j, dag.Map)
	}
	return math.NaN()
}

// growthBefore is how many times as much as in the profile's run the jobs write that job j comes after; NaN where
// nobody can say. Each counts by what it wrote then.
func (m *Model) growthBefore(j int) float64 {
	sum, weight := 0.0, 0.0
	for _, a := range m.Snapshot.Plan.Jobs[j].After {
		k := dag.Reduce
		if m.Snapshot.Plan.Jobs[a].Stages[dag.Reduce].Count() == 0 {
			k = dag.Map
		}
		p, g := &m.priors[a][k], m.growth(a, k)
		w := p.out
		if !(w > 0) {
			w = p.records
		}
		if w > 0 && !math.IsNaN(g) {
			sum, weight = sum+w*g, weight+w
		}
	}
	return sum / weight // NaN where nobody can say
}
