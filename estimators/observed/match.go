package observed

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A match says which job of which profile is which job of the run. A nil match knows nothing.
type match struct {
	plan *dag.Plan
	jobs []int // by job of the run, -1 where the profile has none
}

// matchProfile picks the first profile in which most jobs of the run are recognised. In a profile of the same script: by the
// name in the DAG with the same feature, else by feature and aliases, else by the place in the DAG (the paper's debug run is the same
// script on other data). A profile of another name is taken only for a copy of the script: as many jobs, and most of
// them known by feature and aliases. One job that happens to look alike is no ground for a number.
func matchProfile(s *dag.Snapshot) *match {
	var best *match
	most := 0
	for _, p := range s.Plan.Profiles {
		m, n := matchPlan(s.Plan, p)
		if n > most {
			best, most = m, n
		}
	}
	return best
}

// Fits says in how many jobs a profile knows a run's. It is a profile of this run's script if that is more than half of them.
func Fits(run, profile *dag.Plan) (jobs int, script bool) {
	_, n := matchPlan(run, profile)
	return n, 2*n > len(run.Jobs)
}

func matchPlan(run, profile *dag.Plan) (*match, int) {
	m := &match{plan: profile, jobs: make([]int, len(run.Jobs))}
	used := make([]bool, len(profile.Jobs))
	n := 0
	for j := range m.jobs {
		m.jobs[j] = -1
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
				if m.jobs[i] < 0 && !used[j] && same(&run.Jobs[i], &profile.Jobs[j], i, j) {
					m.jobs[i], used[j] = j, true
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

// agree says that two names do not contradict each other: a job that is not submitted has no feature yet.
func agree(a, b string) bool { return a == "" || b == "" || a == b }

// samePlace says that both plans have the same shape and the jobs the same predecessors in it.
func samePlace(run, profile *dag.Plan, i, j int) bool {
	if len(run.Jobs) != len(profile.Jobs) {
		return false
	}
	return i == j && len(run.Jobs[i].After) == len(profile.Jobs[j].After)
}

// job returns the profile's job for job j of the run, nil where it has none.
func (m *match) job(j int) *dag.Job {
	if m == nil || m.jobs[j] < 0 {
		return nil
	}
	return &m.plan.Jobs[m.jobs[j]]
}

func (m *match) overheads() *dag.Overheads {
	if m == nil {
		return nil
	}
	return &m.plan.Overheads
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
