package cost

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Learn returns a profile of a run: a plan with the records and times of each stage's tasks, and with pauses. It
// leaves out failed and killed attempts. Stages without finished tasks have no costs.
func Learn(run dag.Run) *dag.Plan {
	s := *run.Now()
	s.Profiles = nil
	bare := s.Plan
	m := newModel(newest(run, &s), Options{})
	if bare.OnlyMapReduce() {
		return m.learnMapReduce()
	}
	cold, n := m.coldExtra()
	out := &dag.Plan{
		Name: bare.Name, Engine: bare.Engine, Whole: bare.Whole, Cluster: bare.Cluster, Driver: bare.Driver,
		Overheads: m.s.Plan.Overheads,
	}
	out.Cluster.Nodes = nil
	out.Overheads.SetupMin, out.Overheads.Finish, out.Overheads.Cold = bare.Overheads.SetupMin, bare.Overheads.Finish, 0
	if n > 0 {
		out.Overheads.Cold = taskcost.Duration(cold)
	}
	out.Jobs = make([]dag.Job, len(bare.Jobs))
	for j := range bare.Jobs {
		job := bare.Jobs[j]
		job.Stages = make([]dag.Stage, len(bare.Jobs[j].Stages))
		for k := range job.NumStages() {
			job.Stages[k] = m.learned(j, k, cold)
		}
		out.Jobs[j] = job
		if js := &s.Jobs[j]; js.Finished.Known() {
			if last := js.LastSuccess(); last.Known() && js.Finished > last {
				out.Overheads.Finish = js.Finished.Sub(last)
			}
		}
	}
	return out
}

// newest returns the run with s in place of its newest snapshot.
func newest(run dag.Run, s *dag.Snapshot) dag.Run {
	n := len(run.Window) - 1
	return dag.Run{Window: append(run.Window[:n:n], s), Anchors: run.Anchors}
}

// coldExtra returns how much longer the first task on a core or container takes than others of its stage, in
// milliseconds: the mean over n tasks. The comparison is at the same number of records, by the rate of the others. If
// a stage has no others on executors, half of the first task counts as extra.
func (m *Model) coldExtra() (mean float64, n int) {
	sum := 0.0
	m.each(func(_ int, _ dag.StageIndex, st *stage) {
		rate := st.warmRate()
		for i := range st.seen.ended {
			if e := &st.seen.ended[i]; e.cold && e.took > 0 && !m.launch.apart(e.start) && (m.executors() || rate > 0) {
				less := e.took / 2
				if !math.IsNaN(rate) {
					less = max(0, e.took-rate*e.units)
				}
				sum, n = sum+less, n+1
			}
		}
	})
	return sum / float64(max(n, 1)), n
}

// warmRate returns the milliseconds per unit of tasks that are not the first on their core; NaN if there are none.
func (st *stage) warmRate() float64 {
	took, units := 0.0, 0.0
	for i := range st.seen.ended {
		if e := &st.seen.ended[i]; !e.cold {
			took, units = took+e.took, units+e.units
		}
	}
	if !(units > 0) {
		return math.NaN()
	}
	return took / units
}

// learned returns a stage with the costs of its finished tasks. The extra time of the first task on a core is
// removed.
func (m *Model) learned(j int, k dag.StageIndex, cold float64) dag.Stage {
	plan, st := m.s.Plan.Jobs[j].Stages[k], &m.stages[j][k]
	out := dag.Stage{
		Name: plan.Name, After: plan.After, MemoryMB: plan.MemoryMB, Cores: plan.Cores,
		MaxRunning: plan.MaxRunning, Pool: plan.Pool, Tasks: plan.Tasks, Known: plan.Known,
		Pause: taskcost.Duration(st.pause),
	}
	if len(st.seen.ended) == 0 {
		return out
	}
	rate := st.warmRate()
	in, wrote, extent := profiles.Blank(plan.Tasks), profiles.Blank(plan.Tasks), profiles.Blank(plan.Tasks)
	took, units := 0.0, 0.0
	for i := range st.seen.ended {
		e := &st.seen.ended[i]
		t := e.workOf(rate, cold)
		took, units = took+t, units+e.units
		wrote[e.task], extent[e.task] = e.out, math.Round(t)
		if st.seen.records {
			in[e.task] = e.units
		}
	}
	out.Out, out.Extent = profiles.Series(wrote), profiles.Series(extent)
	if st.seen.records && units > 0 {
		work := dag.Pipeline{Tuples: profiles.Series(in), Alpha: dag.Uniform(profiles.Round(took / units))}
		if out.Pipelines = []dag.Pipeline{work}; out.Copies() {
			free := dag.Pipeline{Tuples: work.Tuples, Alpha: dag.Uniform(0)} // copying and sorting is part of the work
			out.Pipelines = []dag.Pipeline{free, free, work}
		}
	}
	return out
}

// workOf returns the milliseconds of a task without the extra time of the first task on a core.
func (e *ended) workOf(rate, cold float64) float64 {
	switch {
	case !e.cold:
		return e.took
	case math.IsNaN(rate):
		return e.took / 2
	}
	return min(e.took, max(rate*e.units, e.took-cold))
}
