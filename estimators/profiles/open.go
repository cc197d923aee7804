package profiles

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

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
			Name: was.Name, Tasks: was.Tasks, Known: true, Cores: was.Cores, Pool: was.Pool, Pause: was.Pause,
			Pipelines: make([]dag.Pipeline, 1),
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
