package observed

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Reduces by their key groups (package nearestfit). A job goes by them where this run has shown, or an earlier one,
// that they tell more than its bytes: groups that have ended are predicted from those before them, by NearestFit and by
// the linear model, and the errors are compared (groups_judge.go). Until there is evidence the linear model stands.

// learnGroups finds the jobs whose reduces are told by their key groups.
func (m *Model) learnGroups(profile *profiles.Match, slow *slowdown) {
	m.groups = make([]*jobGroups, len(m.phases))
	if m.learning {
		return
	}
	for j := range m.phases {
		known := profile.Job(j)
		if m.Snapshot.Jobs[j].Groups == nil && !measured(known) || m.Snapshot.Jobs[j].State.Ended() ||
			m.over(j, dag.Reduce) {
			continue
		}
		g := m.newJobGroups(j, known, slow)
		if g == nil {
			continue
		}
		m.groups[j] = g
		if w := g.choose(); w != nil {
			m.phases[j][dag.Reduce].goBy(w)
			m.warnGroups(g)
		}
	}
}

// goBy makes key groups tell the work of a phase.
func (ph *phase) goBy(w *groupWork) { ph.groups, ph.origin = w, w.origin }

// ByGroups says whether the model goes by the key groups of a job.
func (m *Model) ByGroups(job int) bool {
	return job < len(m.phases) && m.phases[job][dag.Reduce].groups != nil
}

// inForm is the model with the work of reduces predicted in one form, nil where no job that is left has the data for
// it.
func (m *Model) inForm(f estimators.GroupForm) *Model {
	var out *Model
	for j, g := range m.groups {
		if g == nil {
			continue
		}
		w := g.inForm(f)
		if w == nil {
			continue
		}
		if out == nil {
			forced := *m
			forced.phases = slices.Clone(m.phases)
			out = &forced
		}
		out.phases[j][dag.Reduce].goBy(w)
	}
	return out
}
