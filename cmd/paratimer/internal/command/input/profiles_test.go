package input

import (
	"context"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// states is a source of one snapshot for each state of a job, all with one plan.
type states struct {
	plan *dag.Plan
	of   []dag.State
}

func (s *states) Next(context.Context) (*dag.Snapshot, error) {
	job := s.plan.BlockedJobs()
	job[0].State, job[0].Submitted = s.of[0], 1000
	out := &dag.Snapshot{Plan: s.plan, At: 2000, State: s.of[0], Jobs: job, Stale: dag.NoInstant}
	s.of = s.of[1:]
	return out, nil
}

// TestProfileStandsInUntilTheEnd: the jobs of the profile go when the only job of the plan has ended without showing
// the DAG, although the plan is the same.
func TestProfileStandsInUntilTheEnd(t *testing.T) {
	t.Parallel()
	jobs := func(names ...string) (all []dag.Job) {
		for _, name := range names {
			all = append(all, dag.Job{Node: name, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})})
		}
		return all
	}
	source := Profiled{
		Source: &states{&dag.Plan{Name: "a.pig", Jobs: jobs("j1")}, []dag.State{dag.Running, dag.Succeeded}},
		Profiles: func(*dag.Snapshot) []*dag.Plan {
			p := &dag.Plan{Name: "a.pig", Jobs: jobs("j1", "j2", "j3")}
			p.Jobs[1].After, p.Jobs[2].After = []int{0}, []int{1}
			return []*dag.Plan{p}
		},
	}
	for _, want := range []int{3, 1} {
		s, err := source.Next(t.Context())
		if err != nil || len(s.Plan.Jobs) != want || len(s.Jobs) != want {
			t.Fatalf("%d jobs in the plan, %d states, %v: want %d", len(s.Plan.Jobs), len(s.Jobs), err, want)
		}
	}
}
