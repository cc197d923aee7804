package observed

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/staged"
)

// Costs is the cost model of a run: the paper's where the plan tells what every task costs on slots, or in jobs with
// other stages than maps and reduces; that of package staged for other such jobs; else what the run's own counters
// show, with what the plan tells as one more profile.
func Costs(run dag.Run) estimators.Costs { return costs(run, Options{}) }

// With is Costs with other options.
func With(opt Options) estimators.Model {
	return func(run dag.Run) estimators.Costs { return costs(run, opt) }
}

func costs(run dag.Run, opt Options) estimators.Costs {
	now := run.Now()
	switch others := !now.Plan.OnlyMapReduce(); {
	case (others || now.Plan.Cluster.Policy == dag.FIFO) && tellsCosts(now.Plan):
		return keyed(run, estimators.Paper(estimators.ObservedSlowdown)(run), opt)
	case others:
		return staged.Costs(run)
	}
	if tellsAny(now.Plan) {
		run = newest(run, itsOwnProfile(now))
	}
	return New(run, opt).Costs()
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

// tellsAny says whether a plan knows what the tasks of some phase cost.
func tellsAny(plan *dag.Plan) bool {
	unknown := func(p dag.Pipeline) bool { return !p.Alpha.Known() }
	for j := range plan.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			if all := plan.Jobs[j].Stages[k].Pipelines; len(all) > 0 && !slices.ContainsFunc(all, unknown) {
				return true
			}
		}
	}
	return false
}

// tellsCosts says whether a plan knows what every task costs.
func tellsCosts(plan *dag.Plan) bool {
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
