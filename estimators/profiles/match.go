// Package profiles finds, joins and shortens profiles: plans with the costs that earlier runs of a script have shown.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package profiles

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A Match says which job of which profile is which job of a run. A nil Match knows nothing.
type Match struct {
	Plan *dag.Plan // the profile
	Jobs []int     // by job of the run, -1 where the profile has none
}

// Find picks the first profile in which most jobs of the run are recognised. In a profile of the same script: by the
// name in the DAG with the same feature, else by feature and aliases, else by the place in the DAG (the paper's debug
// run is the same script on other data). A profile of another name is taken only for a copy of the script: as many
// jobs, and most of them known by feature and aliases. One job that happens to look alike is no ground for a number.
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

// Fits says in how many jobs a profile knows a run's. It is a profile of this run's script if that is more than half of
// them.
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

// agree says that two names do not contradict each other: a job that is not submitted has no feature yet.
func agree(a, b string) bool { return a == "" || b == "" || a == b }

// samePlace says that both plans have the same shape and the jobs the same predecessors in it.
func samePlace(run, profile *dag.Plan, i, j int) bool {
	if len(run.Jobs) != len(profile.Jobs) {
		return false
	}
	return i == j && len(run.Jobs[i].After) == len(profile.Jobs[j].After)
}

// Job returns the profile's job for job j of the run, nil where it has none.
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

// Overheads returns those of the profile, nil where there is none.
func (m *Match) Overheads() *dag.Overheads {
	if m == nil {
		return nil
	}
	return &m.Plan.Overheads
}

// Residuals returns how wrong the ranges of the profile's runs were, oldest first.
func (m *Match) Residuals() []dag.Residual {
	if m == nil {
		return nil
	}
	return m.Plan.Residuals
}

// InputSigma is the standard deviation of the logarithm of an input's size, against the profile's, where nothing tells
// it: that of the steps between the runs that the profile is learned from.
func (m *Match) InputSigma() float64 {
	if m == nil {
		return 0
	}
	wide := math.Log(unknownInput) / tenthAbove
	sum, weight := unknownWeight*wide*wide, unknownWeight
	sizes := m.Plan.InputSizes
	for i := 1; i < len(sizes); i++ {
		if step := math.Log(sizes[i] / sizes[i-1]); !math.IsNaN(step) && !math.IsInf(step, 0) {
			sum, weight = sum+step*step, weight+1
		}
	}
	return min(math.Sqrt(sum/weight), wide)
}

// How far the input's size may differ from the profile's before a run has reported any: the profile may be of a sample,
// or the input may have grown.
const (
	// unknownInput is how many times as large or as small the input may be, where the profile is of one run: eight of
	// ten times within. A profile of a sample is off by far more.
	unknownInput = 3
	// unknownWeight is how much that weighs against each step from one run to the next.
	unknownWeight = 0.1
	// tenthAbove is the standard normal distribution's 0.9 quantile.
	tenthAbove = 1.2816
)

// Align says which job of other each job of plan is, -1 for none, in the way in which a profile's jobs are recognised;
// the names of the scripts do not count. script says that most of them are: other is the same script, maybe an edited
// one.
func Align(plan, other *dag.Plan) (jobs []int, script bool) {
	same := *other
	same.Name = plan.Name
	m, n := matchPlan(plan, &same)
	return m.Jobs, 2*n > len(plan.Jobs)
}
