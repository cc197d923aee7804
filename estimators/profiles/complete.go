package profiles

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Complete returns the snapshot with a plan that can be replayed: with numbers of tasks, the edges of the profile,
// and overheads unless the plan has the costs of all tasks.
func (m *Match) Complete(s *dag.Snapshot) *dag.Snapshot {
	out, plan := *s, *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	out.Plan = &plan
	if plan.OnlyMapReduce() {
		for _, j := range s.Plan.Order() {
			m.completeJob(&plan, j)
		}
		if !HasCosts(s.Plan) {
			m.expectOverheads(&plan)
			makeRoom(&out)
		}
		return &out
	}
	for j := range plan.Jobs {
		job, known := &plan.Jobs[j], m.Job(j)
		bare := !slices.ContainsFunc(job.Stages, func(s dag.Stage) bool { return len(s.After) > 0 })
		for k := range job.Stages {
			stage := &job.Stages[k]
			if was := Stage(known, stage.Name); bare && was != nil {
				stage.After = edgesLike(job, k, known, was)
			}
			if !stage.Known {
				stage.Tasks, stage.Known = 1, true
				if was := Stage(known, stage.Name); was != nil && was.Known {
					stage.Tasks = was.Tasks
				}
			}
		}
	}
	was := dag.Overheads{}
	if o := m.Overheads(); o != nil {
		was = *o
	}
	o := &plan.Overheads
	o.Cold = cmp.Or(o.Cold, was.Cold)
	if plan.ReusesContainers() {
		o.Launch = cmp.Or(o.Launch, was.Launch, usualLaunch)
		o.SetupMin = cmp.Or(o.SetupMin, was.SetupMin, usualStart)
		o.Finish = cmp.Or(o.Finish, was.Finish, usualFinish)
		o.Idle = cmp.Or(o.Idle, was.Idle, usualIdle)
	}
	return &out
}

// Pauses of Tez if neither the run nor a profile has them (docs/facts/tez.md T6, T7 and the corrections).
const (
	usualLaunch = 2 * time.Second         // a DAG's submission to its first task
	usualStart  = 2500 * time.Millisecond // a new container's launch
	usualFinish = 300 * time.Millisecond
	usualIdle   = 7500 * time.Millisecond // idle containers are kept for five to ten seconds, at random
)

// edgesLike returns the edges of the profile's stage to stages of the same names before it.
func edgesLike(job *dag.Job, k int, known *dag.Job, was *dag.Stage) []dag.Edge {
	var out []dag.Edge
	for _, e := range was.After {
		for from := range k {
			if job.Stages[from].Name == known.Stages[e.From].Name {
				e.From = dag.StageIndex(from) //nolint:gosec // an index
				out = append(out, e)
			}
		}
	}
	return out
}

// HasCosts reports whether a plan has the costs of all of its tasks.
func HasCosts(plan *dag.Plan) bool {
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			p := &plan.Jobs[j].Stages[k]
			if !p.Known || p.Tasks > 0 && len(p.Pipelines) == 0 {
				return false
			}
			for _, pipe := range p.Pipelines {
				if !pipe.Tuples.Known() || !pipe.Alpha.Known() {
					return false
				}
			}
		}
	}
	return true
}
