package observed

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// keyed is the paper's costs, but for the reduces of jobs that go by their key groups: a plan tells a reduce's time by
// its records, and it is the linear model that has to be beaten.
func keyed(run dag.Run, paper estimators.Costs, opt Options) estimators.Costs {
	now := run.Now()
	if !anyGroups(now) {
		return paper
	}
	if tellsAny(now.Plan) {
		run = newest(run, itsOwnProfile(now))
	}
	m := New(run, opt)
	by := func(job int, k dag.StageIndex) bool { return k == dag.Reduce && m.ByGroups(job) }
	left := func(m *Model) schedule.Left {
		return func(t schedule.Task) schedule.Cost {
			if t.Stage == dag.Reduce && m.ByGroups(t.Job) {
				return m.Left(t)
			}
			return paper.Left(t)
		}
	}
	out := paper
	out.Left = left(m)
	out.Full = func(job int, k dag.StageIndex, i int) float64 {
		if by(job, k) {
			return m.Full(job, k, i)
		}
		return paper.Full(job, k, i)
	}
	out.Rem = func(job int, k dag.StageIndex, i int) float64 {
		if by(job, k) {
			return m.Rem(job, k, i)
		}
		return paper.Rem(job, k, i)
	}
	out.Warnings = slices.DeleteFunc(slices.Clone(m.Warnings), func(w dag.Warning) bool {
		return w.Code != dag.WarnKeyGroups
	})
	out.Residuals = m.residuals
	out.Groups = m.groupCosts(left)
	return out
}

// anyGroups says whether anything tells of key groups: the run, its plan or a profile.
func anyGroups(s *dag.Snapshot) bool {
	planned := func(p *dag.Plan) bool {
		return slices.ContainsFunc(p.Jobs, func(j dag.Job) bool {
			return j.IsMapReduce() &&
				j.Stages[dag.Reduce].Groups != nil
		})
	}
	return slices.ContainsFunc(s.Jobs, func(j dag.JobState) bool { return j.Groups != nil }) ||
		planned(s.Plan) || slices.ContainsFunc(s.Plan.Profiles, planned)
}
