package cost

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A prior describes the tasks of a stage in the profile, or in the run's own plan.
type prior struct {
	profiles.Tasks
	cores int     // number of tasks that were the first on a core; 0: unknown
	in    float64 // records that the stages before it wrote for it; 0: unknown
	root  bool    // it reads no other stage
}

// priorOf returns the prior of a stage: from the run's own plan, else from the profile. It is empty if neither has
// costs.
func (m *Model) priorOf(j int, k dag.StageIndex, st *stage) prior {
	own := &m.s.Plan.Jobs[j].Stages[k]
	cores := 0
	if m.executors() {
		cores = m.s.Plan.Cluster.Cores
	}
	if p := (prior{Tasks: profiles.TasksIn(own, st.single, st.bytes)}); p.N > 0 {
		p.cores = cores
		return p
	}
	known := m.profile.Job(j)
	was := profiles.Stage(known, own.Name)
	if known != nil && st.single {
		was = &known.Stages[k]
	}
	if was == nil {
		return prior{}
	}
	p := prior{Tasks: profiles.TasksIn(was, st.single, st.bytes)}
	if p.cores = m.profile.Plan.Cluster.Cores; p.cores <= 0 {
		p.cores = cores
	}
	p.root = p.N > 0 && (!st.single || len(m.s.Plan.Jobs[j].After) == 0)
	for _, e := range was.After {
		if from := &known.Stages[e.From]; e.Kind != dag.Broadcast {
			p.root = false
			p.in += profiles.Total(from.Out, from.Count())
		}
	}
	return p
}

// asTasks makes each task one unit, because this run does not report records.
func (p *prior) asTasks() {
	p.Records, p.in, p.Total = false, 0, float64(p.N)
	for i := range p.Units {
		p.Units[i] = 1
	}
}
