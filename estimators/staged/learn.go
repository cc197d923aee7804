package staged

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Learn turns what a run has shown into a profile: a plan with the records and costs of each stage's tasks, and with
// pauses. Failed and killed attempts are left out; stages of which nothing was seen stay without costs.
func Learn(run dag.Run) *dag.Plan {
	s := *run.Now()
	s.Profiles = nil
	bare := s.Plan
	m := New(dag.Run{}.Append(&s))
	out := &dag.Plan{
		Name: bare.Name, Engine: bare.Engine, Whole: bare.Whole, Cluster: bare.Cluster, Driver: bare.Driver,
		Overheads: m.snapshot.Plan.Overheads,
	}
	out.Cluster.Nodes = nil
	out.Overheads.SetupMin, out.Overheads.Cold = bare.Overheads.SetupMin, 0
	if m.start.firsts > 0 {
		out.Overheads.Cold = taskcost.Duration(m.start.extra)
	}
	out.Jobs = make([]dag.Job, len(bare.Jobs))
	for j := range bare.Jobs {
		job := bare.Jobs[j]
		job.Stages = make([]dag.Stage, len(bare.Jobs[j].Stages))
		for k := range job.NumStages() {
			job.Stages[k] = m.learned(j, k)
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

// learned is a stage with what its finished tasks have shown.
func (m *Model) learned(j int, k dag.StageIndex) dag.Stage {
	plan, l := m.snapshot.Plan.Jobs[j].Stages[k], &m.stages[j][k]
	out := dag.Stage{
		Name: plan.Name, After: plan.After, MemoryMB: plan.MemoryMB, Cores: plan.Cores,
		MaxRunning: plan.MaxRunning, Pool: plan.Pool, Tasks: plan.Tasks, Known: plan.Known,
	}
	if len(l.seen.ended) == 0 {
		return out
	}
	in, wrote, extent := profiles.Blank(plan.Tasks), profiles.Blank(plan.Tasks), profiles.Blank(plan.Tasks)
	for _, e := range l.seen.ended {
		wrote[e.task], extent[e.task] = e.out, math.Round(e.work)
		if l.seen.records {
			in[e.task] = e.units
		}
	}
	out.Out, out.Extent = profiles.Series(wrote), profiles.Series(extent)
	if l.seen.records && l.seen.units > 0 {
		work := dag.Pipeline{
			Tuples: profiles.Series(in),
			Alpha:  dag.Uniform(profiles.Round(l.seen.work / l.seen.units)),
		}
		out.Pipelines = []dag.Pipeline{work}
		if out.Copies() {
			free := dag.Pipeline{Tuples: work.Tuples, Alpha: dag.Uniform(0)} // copying and sorting is part of the work
			out.Pipelines = []dag.Pipeline{free, free, work}
		}
	}
	return out
}
