package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// Learn turns what a run has shown into a profile: a plan with costs, sizes and overheads, for later runs of the same
// script. Failed and killed attempts are left out; phases of which nothing was seen stay without costs.
// Learn of a run in the middle is what is known by then.
func Learn(run dag.Run) *dag.Plan {
	m := New(run, Options{learning: true})
	s := m.Snapshot
	out := &dag.Plan{Name: s.Plan.Name, Cluster: s.Plan.Cluster, Overheads: s.Plan.Overheads}
	if m.fifo {
		out.Cluster.Setup = millis(m.setup.alone)
		out.Overheads.SetupMin, out.Overheads.SetupPer, out.Overheads.Cold = 0, 0, 0
	} else {
		out.Overheads.SetupMin, out.Overheads.SetupPer = millis(m.setup.alone), millis(m.setup.each)
	}
	if seen, ok := m.coldSeen(); ok {
		out.Overheads.Cold = millis(seen)
	}
	out.Jobs = make([]dag.Job, len(s.Plan.Jobs))
	for j := range out.Jobs {
		job := s.Plan.Jobs[j]
		job.Map = m.learnedMap(j)
		job.Reduce = m.learnedReduce(j)
		out.Jobs[j] = job
	}
	return out
}

// coldSeen is how much longer the first batch took to start than the law says, where its start-ups were seen.
func (m *Model) coldSeen() (float64, bool) {
	sum, n := 0.0, 0.0
	for _, st := range allStarts(m.Snapshot) {
		if took, ok := m.startup(st.kind, st.a, st.mapsEnd); ok && m.setup.isCold(st.a) {
			sum += took - m.setup.at(m.setup.together[st.a])
			n++
		}
	}
	return max(sum/n, 1), n > 0
}

// learnedMap gives a map phase its tuples and rate. Where no reports tell of work, all tasks' time beyond start-up is
// work.
func (m *Model) learnedMap(j int) dag.Phase {
	plan, ph := m.Snapshot.Plan.Jobs[j].Map, &m.phases[j][dag.Map]
	out := dag.Phase{Tasks: plan.Tasks, Known: plan.Known}
	in, wrote, bytes, extent := m.columns(j, dag.Map, plan.Tasks)
	if alpha, _ := ph.seen.alpha(); !math.IsNaN(alpha) {
		out.Pipelines = []dag.Pipeline{{Tuples: series(in), Alpha: dag.Uniform(round(alpha))}}
	}
	out.Out, out.Bytes, out.Extent = series(wrote), series(bytes), series(extent)
	return out
}

// learnedReduce gives a reduce phase its tuples and the time for each; copy and sort take no work of their own.
func (m *Model) learnedReduce(j int) dag.Phase {
	plan, st := m.Snapshot.Plan.Jobs[j].Reduce, &m.phases[j][dag.Reduce].seen
	out := dag.Phase{Tasks: plan.Tasks, Known: plan.Known}
	in, wrote, bytes, extent := m.columns(j, dag.Reduce, plan.Tasks)
	if st.finished > 0 && st.in > 0 {
		none := dag.Pipeline{Tuples: series(in), Alpha: dag.Uniform(0)}
		out.Pipelines = []dag.Pipeline{none, none, {Tuples: series(in), Alpha: dag.Uniform(round(st.workMS / st.in))}}
	}
	out.Out, out.Bytes, out.Extent = series(wrote), series(bytes), series(extent)
	out.Groups = m.learnedGroups(j)
	return out
}

// columns are the finished tasks' figures, NaN where a task has none.
func (m *Model) columns(j int, k dag.Kind, n int) (in, wrote, bytes, extent []float64) {
	in, wrote, bytes, extent = blank(n), blank(n), blank(n), blank(n)
	last := 0
	if k == dag.Reduce {
		last = dag.Work
	}
	for i := range m.Snapshot.Jobs[j].Phase(k).Attempts {
		a := &m.Snapshot.Jobs[j].Phase(k).Attempts[i]
		if a.State != dag.AttemptSucceeded || int(a.Task) >= n || !a.End.Known() || !a.Start.Known() {
			continue
		}
		in[a.Task], wrote[a.Task], bytes[a.Task] = a.Done[last], a.Out, a.Bytes
		extent[a.Task] = float64(a.End - a.Start)
	}
	return in, wrote, bytes, extent
}

func blank(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}

// series stores equal values once. A phase of which nothing is known has no series.
func series(v []float64) dag.Series {
	known, uniform := false, true
	for _, x := range v {
		known = known || !math.IsNaN(x)
		uniform = uniform && x == v[0]
	}
	switch {
	case !known:
		return dag.Series{}
	case uniform:
		return dag.Uniform(v[0])
	}
	return dag.Each(v)
}

// round keeps six digits: a profile is read by people too.
func round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, 6-math.Ceil(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
