package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Learn turns what a run has shown into a profile: a plan with costs, sizes and overheads, for later runs of the same
// script. Failed and killed attempts are left out; phases of which nothing was seen stay without costs.
// Learn of a run in the middle is what is known by then.
func Learn(run dag.Run) *dag.Plan {
	if !run.Now().Plan.OnlyMapReduce() {
		return cost.Learn(run)
	}
	m := New(run, Options{learning: true})
	s := m.Snapshot
	out := &dag.Plan{Name: s.Plan.Name, Cluster: s.Plan.Cluster, Overheads: s.Plan.Overheads}
	if m.fifo {
		out.Cluster.Setup = taskcost.Duration(m.setup.alone)
		out.Overheads.SetupMin, out.Overheads.SetupPer, out.Overheads.Cold = 0, 0, 0
	} else {
		out.Overheads.SetupMin, out.Overheads.SetupPer = taskcost.Duration(m.setup.alone),
			taskcost.Duration(m.setup.each)
	}
	if seen, ok := m.coldSeen(); ok {
		out.Overheads.Cold = taskcost.Duration(seen)
	}
	out.Jobs = make([]dag.Job, len(s.Plan.Jobs))
	for j := range out.Jobs {
		job := s.Plan.Jobs[j]
		job.Stages = dag.MapReduce(m.learnedMap(j), m.learnedReduce(j))
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
func (m *Model) learnedMap(j int) dag.Stage {
	plan, ph := m.Snapshot.Plan.Jobs[j].Stages[dag.Map], &m.phases[j][dag.Map]
	out := dag.Stage{Tasks: plan.Tasks, Known: plan.Known}
	in, wrote, bytes, extent := m.columns(j, dag.Map, plan.Tasks)
	if alpha, _ := ph.seen.alpha(); !math.IsNaN(alpha) {
		out.Pipelines = []dag.Pipeline{{Tuples: profiles.Series(in), Alpha: dag.Uniform(profiles.Round(alpha))}}
	}
	out.Out, out.Bytes, out.Extent = profiles.Series(wrote), profiles.Series(bytes), profiles.Series(extent)
	return out
}

// learnedReduce gives a reduce phase its tuples and the time for each; copy and sort take no work of their own.
func (m *Model) learnedReduce(j int) dag.Stage {
	plan, st := m.Snapshot.Plan.Jobs[j].Stages[dag.Reduce], &m.phases[j][dag.Reduce].seen
	out := dag.Stage{Tasks: plan.Tasks, Known: plan.Known}
	in, wrote, bytes, extent := m.columns(j, dag.Reduce, plan.Tasks)
	if st.finished > 0 && st.in > 0 {
		none := dag.Pipeline{Tuples: profiles.Series(in), Alpha: dag.Uniform(0)}
		out.Pipelines = []dag.Pipeline{
			none, none,
			{Tuples: profiles.Series(in), Alpha: dag.Uniform(profiles.Round(st.workMS / st.in))},
		}
	}
	out.Out, out.Bytes, out.Extent = profiles.Series(wrote), profiles.Series(bytes), profiles.Series(extent)
	out.Groups = m.learnedGroups(j)
	return out
}

// columns are the finished tasks' figures, NaN where a task has none.
func (m *Model) columns(j int, k dag.StageIndex, n int) (in, wrote, bytes, extent []float64) {
	in, wrote, bytes, extent = profiles.Blank(n), profiles.Blank(n), profiles.Blank(n), profiles.Blank(n)
	last := 0
	if k == dag.Reduce {
		last = dag.Work
	}
	for i := range m.Snapshot.Jobs[j].Stages[k].Attempts {
		a := &m.Snapshot.Jobs[j].Stages[k].Attempts[i]
		if a.State != dag.AttemptSucceeded || int(a.Task) >= n || !a.End.Known() || !a.Start.Known() {
			continue
		}
		in[a.Task], wrote[a.Task], bytes[a.Task] = a.Done[last], a.Out, a.Bytes
		extent[a.Task] = float64(a.End - a.Start)
	}
	return in, wrote, bytes, extent
}
