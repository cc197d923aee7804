package staged

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Pauses of Tez where neither the run nor a profile tells them (docs/facts/tez.md T6, T7 and the corrections).
const (
	defaultLaunch = 2 * time.Second         // a DAG's submission to its first task
	defaultStart  = 2500 * time.Millisecond // a new container's launch
	defaultFinish = 300 * time.Millisecond
	defaultIdle   = 7500 * time.Millisecond // kept for five to ten seconds, at random
)

// complete returns the snapshot with a plan that can be replayed: numbers of tasks and edges that the profile knows,
// and pauses.
func complete(s *dag.Snapshot, profile *profiles.Match) *dag.Snapshot {
	out, plan := *s, *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	for j := range plan.Jobs {
		job, known := &plan.Jobs[j], profile.Job(j)
		bare := !readsAny(job)
		for k := range job.Stages {
			stage := &job.Stages[k]
			was := profiles.Stage(known, stage.Name)
			if !stage.Known {
				stage.Tasks, stage.Known = 1, true
				if was != nil && was.Known {
					stage.Tasks = was.Tasks
				}
			}
			if bare && was != nil {
				stage.After = edgesLike(job, k, known, was)
			}
		}
	}
	if ancestors(&plan) {
		was := dag.Overheads{}
		if o := profile.Overheads(); o != nil {
			was = *o
		}
		o := &plan.Overheads
		o.Launch = orElse(o.Launch, was.Launch, defaultLaunch)
		o.SetupMin = orElse(o.SetupMin, was.SetupMin, defaultStart)
		o.Finish = orElse(o.Finish, was.Finish, defaultFinish)
		o.Idle = orElse(o.Idle, was.Idle, defaultIdle)
		o.Cold = orElse(o.Cold, was.Cold)
	}
	out.Plan = &plan
	return &out
}

func orElse(all ...time.Duration) time.Duration {
	for _, d := range all {
		if d > 0 {
			return d
		}
	}
	return 0
}

// ancestors reports whether a job's containers are used again, so that starting one is no part of a task.
func ancestors(p *dag.Plan) bool {
	for j := range p.Jobs {
		if p.Jobs[j].Rules == dag.AncestorsFirst {
			return true
		}
	}
	return false
}

func readsAny(job *dag.Job) bool {
	for k := range job.Stages {
		if len(job.Stages[k].After) > 0 {
			return true
		}
	}
	return false
}

// edgesLike are the edges of the profile's stage, to the stages of the same names that come before.
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
