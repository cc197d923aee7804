package observed

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// keyedCosts are the paper's costs, but for the reduces of jobs that go by their key groups: a plan tells a reduce's time by its
// records, and it is the linear model that has to be beaten.
type keyedCosts struct {
	estimators.Costs
	model *Model
}

// keyed is costs with key groups where there are any.
func keyed(run dag.Run, costs estimators.Costs, opt Options) estimators.Costs {
	now := run.Now()
	if !anyGroups(now) {
		return costs
	}
	if tellsAny(now.Plan) {
		run = newest(run, itsOwnProfile(now))
	}
	return keyedCosts{costs, New(run, opt)}
}

// anyGroups says whether anything tells of key groups: the run, its plan or a profile.
func anyGroups(s *dag.Snapshot) bool {
	planned := func(p *dag.Plan) bool {
		return slices.ContainsFunc(p.Jobs, func(j dag.Job) bool { return j.Reduce.Groups != nil })
	}
	return slices.ContainsFunc(s.Jobs, func(j dag.JobState) bool { return j.Groups != nil }) ||
		planned(s.Plan) || slices.ContainsFunc(s.Plan.Profiles, planned)
}

func (c keyedCosts) by(job int, k dag.Kind) bool { return k == dag.Reduce && c.model.ByGroups(job) }

// Left is the model's where key groups tell a reduce.
func (c keyedCosts) Left(t schedule.Task) schedule.Cost {
	if c.by(t.Job, t.Kind) {
		return c.model.Left(t)
	}
	return c.Costs.Left(t)
}

// Full is the model's where key groups tell a reduce.
func (c keyedCosts) Full(job int, k dag.Kind, i int) float64 {
	if c.by(job, k) {
		return c.model.Full(job, k, i)
	}
	return c.Costs.Full(job, k, i)
}

// Rem is the model's where key groups tell a reduce.
func (c keyedCosts) Rem(job int, k dag.Kind, i int) float64 {
	if c.by(job, k) {
		return c.model.Rem(job, k, i)
	}
	return c.Costs.Rem(job, k, i)
}

// Warned says which jobs go by their key groups.
func (c keyedCosts) Warned() []dag.Warning {
	return slices.DeleteFunc(c.model.Warned(), func(w dag.Warning) bool { return w.Code != dag.WarnKeyGroups })
}

// Residuals are those of the profile that the costs rest on.
func (c keyedCosts) Residuals() []dag.Residual { return c.model.Residuals() }

// ByGroups says whether a job's reduces go by their key groups.
func (c keyedCosts) ByGroups(job int) bool { return c.model.ByGroups(job) }

// InForm is the same costs with reduces in one form.
func (c keyedCosts) InForm(f estimators.GroupForm) estimators.Costs {
	forced, ok := c.model.InForm(f).(*Model)
	if !ok {
		return nil
	}
	return keyedCosts{c.Costs, forced}
}

// KeyGroups is what the model knows of a job's key groups.
func (c keyedCosts) KeyGroups(job int) (*dag.Groups, estimators.GroupTime) {
	return c.model.KeyGroups(job)
}
