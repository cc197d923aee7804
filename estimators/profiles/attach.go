package profiles

import (
	"path"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

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
