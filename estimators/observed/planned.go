package observed

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// Costs is the cost model of a run: the paper's where the plan, or a profile of the same jobs, tells what every task
// costs on slots; else what the run's own counters show.
func Costs(run dag.Run) estimators.Costs {
	now := run.Now()
	planned := plannedCosts(now)
	if planned == nil {
		return New(run, Options{})
	}
	paper := estimators.Paper(estimators.ObservedSlowdown)
	if planned == now {
		return paper(run)
	}
	window := append(run.Window[:len(run.Window)-1:len(run.Window)-1], planned)
	return profiledCosts{paper(dag.Run{Window: window, Anchors: run.Anchors}), planned}
}

// profiledCosts are the paper's costs of a plan that a profile completes.
type profiledCosts struct {
	estimators.Costs
	planned *dag.Snapshot
}

// Completed is the snapshot with the plan that the profile completes.
func (p profiledCosts) Completed() *dag.Snapshot { return p.planned }

// plannedCosts returns the snapshot with a plan that tells what every task costs: the snapshot itself, or one whose jobs
// are completed by a profile that has the same numbers of tasks. It is nil where costs are missing, and on YARN, where
// work is counted in what counters show.
func plannedCosts(s *dag.Snapshot) *dag.Snapshot {
	if s.Plan.Cluster.Policy != dag.FIFO {
		return nil
	}
	if tellsCosts(s.Plan) {
		return s
	}
	profile := matchProfile(s)
	if profile == nil {
		return nil
	}
	out, plan := *s, *s.Plan
	plan.Jobs = append([]dag.Job(nil), s.Plan.Jobs...)
	if plan.Cluster.Setup == 0 {
		plan.Cluster.Setup = profile.plan.Cluster.Setup
	}
	for j := range plan.Jobs {
		known := profile.job(j)
		if known == nil {
			return nil
		}
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			p, from := plan.Jobs[j].Phase(k), known.Phase(k)
			if p.Known && p.Tasks != from.Count() {
				return nil
			}
			if !p.Known || len(p.Pipelines) == 0 {
				*p = *from
			}
		}
	}
	out.Plan = &plan
	if !tellsCosts(&plan) {
		return nil
	}
	return &out
}

// tellsCosts says whether a plan knows what every task costs.
func tellsCosts(plan *dag.Plan) bool {
	for j := range plan.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			p := plan.Jobs[j].Phase(k)
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
