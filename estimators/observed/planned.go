package observed

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// Costs is the cost model of a run: the paper's where the plan, or a profile of the same jobs, tells what every task
// costs on slots; else what the run's own counters show, with what the plan tells as one more profile.
func Costs(run dag.Run) estimators.Costs { return costs(run, Options{}) }

// With is Costs with other options.
func With(opt Options) estimators.Model {
	return func(run dag.Run) estimators.Costs { return costs(run, opt) }
}

func costs(run dag.Run, opt Options) estimators.Costs {
	now := run.Now()
	if planned := plannedCosts(now); planned != nil {
		paper := estimators.Paper(estimators.ObservedSlowdown)
		if planned == now {
			return keyed(run, paper(run), opt)
		}
		return keyed(run, profiledCosts{paper(newest(run, planned)), planned, matchProfile(now).residuals()}, opt)
	}
	if tellsAny(now.Plan) {
		run = newest(run, itsOwnProfile(now))
	}
	return New(run, opt)
}

// newest is the run with s in place of its newest snapshot.
func newest(run dag.Run, s *dag.Snapshot) dag.Run {
	n := len(run.Window) - 1
	return dag.Run{Window: append(run.Window[:n:n], s), Anchors: run.Anchors}
}

// itsOwnProfile is the snapshot with its plan among the profiles, before all others.
func itsOwnProfile(s *dag.Snapshot) *dag.Snapshot {
	out, plan, profile := *s, *s.Plan, *s.Plan
	profile.Profiles = nil
	plan.Profiles = append([]*dag.Plan{&profile}, s.Plan.Profiles...)
	out.Plan = &plan
	return &out
}

// tellsAny says whether a plan knows what some tasks cost.
func tellsAny(plan *dag.Plan) bool {
	for j := range plan.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			for _, pipe := range plan.Jobs[j].Phase(k).Pipelines {
				if pipe.Alpha.Known() {
					return true
				}
			}
		}
	}
	return false
}

// profiledCosts are the paper's costs of a plan that a profile completes.
type profiledCosts struct {
	estimators.Costs
	planned *dag.Snapshot
	known   []dag.Residual
}

// Completed is the snapshot with the plan that the profile completes.
func (p profiledCosts) Completed() *dag.Snapshot { return p.planned }

// Residuals are those of the profile.
func (p profiledCosts) Residuals() []dag.Residual { return p.known }

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
