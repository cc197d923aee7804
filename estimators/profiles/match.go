// Package profiles finds, joins and shortens profiles: plans with the costs that earlier runs of a script have shown.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package profiles

import (
	"github.com/paratimer/paratimer/dag"
)

// A Match maps the jobs of a run to those of a profile. A nil Match has no profile.
type Match struct {
	Plan *dag.Plan // the profile
	Jobs []int     // by job of the run, -1 if the profile has none
}

// Find returns the match of the profile that recognizes most jobs of the run; the first one of equals. In a profile
// of the same script jobs match by the name in the DAG with the same feature, else by feature and aliases, else by
// the place in the DAG (the paper's debug run is the same script on other data). A profile of another name only
// matches if it is a copy of the script: as many jobs, and most of them recognized by feature and aliases. One
// similar job is not enough.
func Find(s *dag.Snapshot) *Match {
	var best *Match
	most := 0
	for _, p := range s.Profiles {
		m, n := matchPlan(s.Plan, p)
		if n > most {
			best, most = m, n
		}
	}
	return best
}

// Fits returns the number of a run's jobs that a profile recognizes. script reports whether they are more than
// half, so that the profile is of this run's script.
func Fits(run, profile *dag.Plan) (jobs int, script bool) {
	_, n := matchPlan(run, profile)
	return n, 2*n > len(run.Jobs)
}

func matchPlan(run, profile *dag.Plan) (*Match, int) {
	m := &Match{Plan: profile, Jobs: make([]int, len(run.Jobs))}
	used := make([]bool, len(profile.Jobs))
	n := 0
	for j := range m.Jobs {
		m.Jobs[j] = -1
	}
	rules := []func(a, b *dag.Job, i, j int) bool{
		func(a, b *dag.Job, i, j int) bool {
			return a.Node == b.Node && agree(a.Feature, b.Feature) && agree(a.Alias, b.Alias)
		},
		func(a, b *dag.Job, i, j int) bool {
			return a.Feature != "" && a.Feature == b.Feature && a.Alias == b.Alias
		},
		func(a, b *dag.Job, i, j int) bool {
			return agree(a.Feature, b.Feature) && agree(a.Alias, b.Alias) && samePlace(run, profile, i, j)
		},
	}
	script := run.Name == profile.Name || sameScript(run.Name, profile.Name)
	if !script {
		rules = rules[1:2]
	}
	for _, same := range rules {
		for i := range run.Jobs {
			for j := range profile.Jobs {
				if m.Jobs[i] < 0 && !used[j] && same(&run.Jobs[i], &profile.Jobs[j], i, j) {
					m.Jobs[i], used[j] = j, true
					n++
				}
			}
		}
	}
	if !script && (len(run.Jobs) != len(profile.Jobs) || 2*n <= len(run.Jobs)) {
		return nil, 0
	}
	return m, n
}

// agree reports whether two names do not contradict each other: a job that is not submitted has no feature yet.
func agree(a, b string) bool { return a == "" || b == "" || a == b }

// samePlace reports whether both plans have the same number of jobs, and i and j the same place and number of
// predecessors.
func samePlace(run, profile *dag.Plan, i, j int) bool {
	if len(run.Jobs) != len(profile.Jobs) {
		return false
	}
	return i == j && len(run.Jobs[i].After) == len(profile.Jobs[j].After)
}

// Job returns the profile's job for job j of the run, nil if it has none.
func (m *Match) Job(j int) *dag.Job {
	if m == nil || m.Jobs[j] < 0 {
		return nil
	}
	return &m.Plan.Jobs[m.Jobs[j]]
}

// Stage returns the stage of a job that has the name; nil if the job is nil or has none.
func Stage(job *dag.Job, name string) *dag.Stage {
	if job != nil {
		for k := range job.Stages {
			if job.Stages[k].Name == name {
				return &job.Stages[k]
			}
		}
	}
	return nil
}

// Overheads returns those of the profile, nil if there is none.
func (m *Match) Overheads() *dag.Overheads {
	if m == nil {
		return nil
	}
	return &m.Plan.Overheads
}

// Residuals returns the errors of the ranges of the profile's runs, oldest first.
func (m *Match) Residuals() []dag.Residual {
	if m == nil {
		return nil
	}
	return m.Plan.Residuals
}

// Align returns, for each job of plan, the same job of other, -1 for none. Jobs are recognized as in a profile; the
// names of the scripts do not count. script reports whether most jobs are recognized: other is the same script,
// maybe edited.
func Align(plan, other *dag.Plan) (jobs []int, script bool) {
	same := *other
	same.Name = plan.Name
	m, n := matchPlan(plan, &same)
	return m.Jobs, 2*n > len(plan.Jobs)
}
