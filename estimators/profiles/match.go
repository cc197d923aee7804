// Package profiles finds, joins and shortens profiles: plans with the costs that earlier runs of a script have shown.
//
// # Stability
//
// Young: names may change in a minor version, and the changelog lists it (CONTRIBUTING.md).
package profiles

import (
	"cmp"
	"path"
	"regexp"
	"slices"

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
	m := &Match{Plan: profile, Jobs: slices.Repeat([]int{-1}, len(run.Jobs))}
	used := make([]bool, len(profile.Jobs))
	n := 0
	rules := []func(a, b *dag.Job, i, j int) bool{
		func(a, b *dag.Job, i, j int) bool {
			return a.Node == b.Node && agree(a.Feature, b.Feature) && agree(a.Alias, b.Alias)
		},
		func(a, b *dag.Job, i, j int) bool {
			return a.Feature != "" && a.Feature == b.Feature && a.Alias == b.Alias
		},
		func(a, b *dag.Job, i, j int) bool {
			place := len(run.Jobs) == len(profile.Jobs) && i == j && len(a.After) == len(b.After)
			return place && agree(a.Feature, b.Feature) && agree(a.Alias, b.Alias)
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

// Overheads returns those of the profile; all are 0, unknown, if there is none.
func (m *Match) Overheads() (o dag.Overheads) {
	if m != nil {
		o = m.Plan.Overheads
	}
	return o
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

// An open plan only has the announced stages. A profile of the same program has the others. Pair recognizes its
// stages.

// extend renames the stages of a snapshot's profiles to those of the run. It adds the stages to come from the first
// profile that fits. An open plan stays open if the profile does not recognize the stage that the run submitted last.
func extend(s *dag.Snapshot, given []*dag.Plan) {
	if len(s.Plan.Jobs) != 1 {
		return
	}
	s.Profiles = nil
	complete, submitted := s.State.Ended(), &s.Plan.Jobs[0]
	for _, p := range given {
		a := recognize(submitted, &s.Jobs[0], p)
		if a == nil {
			s.Profiles = append(s.Profiles, p)
			continue
		}
		renamed := a.renamed(s.Plan, p)
		s.Profiles = append(s.Profiles, renamed)
		if !complete {
			a.complete(s, &renamed.Jobs[0])
			complete = true
			knows := a.of[len(a.of)-1] >= 0 // the stage that the run submitted last
			s.Plan.Open = s.Plan.Open && !knows
		}
	}
}

// An alignment maps the stages of a run's job to those of a profile's.
type alignment struct {
	of    []int // by stage of the run: the profile's, -1 for none
	taken []int // by stage of the profile: the run's, -1 for none
	ahead []bool
}

var (
	againSuffix = regexp.MustCompile(` #\d+$`)
	madeSuffix  = regexp.MustCompile(` \[RDD \d+\]$`)
)

// placeOf returns the part of a stage's name that locates it in the program.
func placeOf(name string) string {
	return madeSuffix.ReplaceAllString(againSuffix.ReplaceAllString(name, ""), "")
}

// fitRatio is the share of a run's stages that must be recognized in a profile of the same program.
const fitRatio = 0.5

// recognize finds the stages of a run in a profile. It returns nil if too few are recognized.
func recognize(run *dag.Job, state *dag.JobState, profile *dag.Plan) *alignment {
	if len(profile.Jobs) != 1 {
		return nil
	}
	known := &profile.Jobs[0]
	a := &alignment{
		of:    Pair(seenOf(run, state), traitsOf(known)).Of,
		taken: slices.Repeat([]int{-1}, len(known.Stages)),
	}
	n := 0
	for k, i := range a.of {
		if i >= 0 {
			a.taken[i] = k
			n++
		}
	}
	if float64(n) < fitRatio*float64(len(run.Stages)) || n == 0 {
		return nil
	}
	a.lookAhead(known)
	return a
}

// lookAhead marks the profile's stages to come: those that have no recognized stage among their successors.
func (a *alignment) lookAhead(known *dag.Job) {
	past := make([]bool, len(known.Stages))
	for i := len(known.Stages) - 1; i >= 0; i-- {
		past[i] = past[i] || a.taken[i] >= 0
		for _, e := range known.Stages[i].After {
			past[e.From] = past[e.From] || past[i]
		}
	}
	a.ahead = make([]bool, len(known.Stages))
	for i := range a.ahead {
		a.ahead[i] = !past[i]
	}
}

// renamed returns the profile with the run's names for its stages. Others keep theirs, unless the run uses them.
func (a *alignment) renamed(run, profile *dag.Plan) *dag.Plan {
	out := *profile
	out.Jobs = dag.CloneJobs(profile.Jobs)
	job, of := &out.Jobs[0], &run.Jobs[0]
	out.Name, job.Node, job.Feature, job.Alias = run.Name, of.Node, of.Feature, of.Alias
	used := make(map[string]bool, len(of.Stages))
	for k := range of.Stages {
		used[of.Stages[k].Name] = true
	}
	for i := range job.Stages {
		if k := a.taken[i]; k >= 0 {
			job.Stages[i].Name = of.Stages[k].Name
			continue
		}
		for used[job.Stages[i].Name] {
			job.Stages[i].Name += "'"
		}
		used[job.Stages[i].Name] = true
	}
	return &out
}

// complete adds the stages to come to the snapshot, after the submitted ones.
func (a *alignment) complete(s *dag.Snapshot, known *dag.Job) {
	jobs := dag.CloneJobs(s.Plan.Jobs)
	states := dag.CloneStates(s.Jobs)
	job := &jobs[0]
	at := slices.Clone(a.taken)
	for i := range known.Stages {
		was := &known.Stages[i]
		if !a.ahead[i] || !was.Known {
			continue
		}
		to := dag.Stage{
			Name: was.Name, Title: was.Title, Tasks: was.Tasks, Known: true, Cores: was.Cores, Pool: was.Pool,
			Pause: was.Pause, Pipelines: make([]dag.Pipeline, 1),
		}
		for _, e := range was.After {
			if k := at[e.From]; k >= 0 {
				e.From = dag.StageIndex(k) //nolint:gosec // an index
				to.After = append(to.After, e)
			}
		}
		slices.SortFunc(to.After, func(x, y dag.Edge) int { return cmp.Compare(x.From, y.From) })
		at[i] = len(job.Stages)
		job.Stages = append(job.Stages, to)
		states[0].Stages = append(states[0].Stages, dag.StageState{})
	}
	s.Plan.Jobs, s.Jobs = jobs, states
}

// Attach returns the snapshot with profiles. Until a job of the run has shown the DAG (an application shows its
// configuration only once its master is up), the jobs of a profile of the same name replace the plan's: they are
// expected to come.
func Attach(s *dag.Snapshot, profiles []*dag.Plan) *dag.Snapshot {
	if len(profiles) == 0 {
		return s
	}
	out := *s
	out.Profiles = profiles
	// For an application, the profile has the stages to come.
	grows := s.Plan.Open || s.Plan.Cluster.Policy == dag.Executors && !s.State.Ended()
	if !grows && dagKnown(s) {
		return &out
	}
	plan := *s.Plan
	out.Plan = &plan
	if grows {
		extend(&out, profiles)
		return &out
	}
	for _, p := range profiles {
		if sameScript(s.Plan.Name, p.Name) && standIn(&out, p) {
			break
		}
	}
	return &out
}

// dagKnown reports whether a job has shown its configuration.
func dagKnown(s *dag.Snapshot) bool {
	for j := range s.Plan.Jobs {
		if job := &s.Plan.Jobs[j]; job.MapReduce.MapMB > 0 || len(job.After) > 0 || s.Jobs[j].State.Ended() {
			return true
		}
	}
	return len(s.Plan.Jobs) == 0
}

// sameScript compares the file names of two scripts' paths.
func sameScript(a, b string) bool { return a != "" && path.Base(a) == path.Base(b) }

// standIn replaces the snapshot's jobs by the profile's, the submitted ones first. It reports whether they fit.
func standIn(s *dag.Snapshot, p *dag.Plan) bool {
	graph, err := dag.NewGraph(p)
	if err != nil {
		return false
	}
	roots := graph.Levels()[0]
	if len(roots) < len(s.Jobs) {
		return false
	}
	jobs := make([]dag.Job, len(p.Jobs))
	states := p.BlockedJobs()
	for j := range p.Jobs {
		jobs[j] = p.Jobs[j]
		jobs[j].Stages = dag.Bare(jobs[j].Stages)
	}
	for i, state := range s.Jobs {
		j := roots[i]
		states[j] = state
		if stages := s.Plan.Jobs[i].Stages; len(stages) == 1 && !stages[0].Known && len(state.Stages[0].Attempts) == 0 {
			states[j].Stages = make([]dag.StageState, len(jobs[j].Stages)) // nothing is known of them yet
		} else {
			jobs[j].Stages = stages
		}
	}
	s.Jobs = states
	s.Plan.Jobs = slices.Clip(jobs)
	return true
}
