package profiles

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestMapsOfJobsToCome checks that a job to come has a map for each file that the jobs before it write, or as many for
// each as in the profile: a file may have many splits, a split many files.
func TestMapsOfJobsToCome(t *testing.T) {
	t.Parallel()
	plan := func(reduces int, known bool, maps int) *dag.Plan {
		return &dag.Plan{Name: "q", Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: 5, Known: true}, dag.Stage{Tasks: reduces, Known: true})},
			{
				Node: "b", After: []int{0},
				Stages: dag.MapReduce(dag.Stage{Tasks: maps, Known: known}, dag.Stage{Known: known}),
			},
		}}
	}
	for _, c := range []struct {
		name     string
		profiles []*dag.Plan
		want     int
	}{
		{"no profile", nil, 8},
		{"one a file", []*dag.Plan{plan(4, true, 4)}, 8},
		{"three a file", []*dag.Plan{plan(4, true, 12)}, 24},
		{"all files in one", []*dag.Plan{plan(4, true, 1)}, 2},
		{"a profile without the job's maps", []*dag.Plan{plan(4, false, 0)}, 8},
	} {
		p := plan(8, false, 0)
		s := &dag.Snapshot{Plan: p, Profiles: c.profiles, Stale: dag.NoInstant, Jobs: p.BlockedJobs()}
		if got := Find(s).Complete(s).Plan.Jobs[1].Stages[dag.Map].Tasks; got != c.want {
			t.Errorf("%s: %d maps, want %d", c.name, got, c.want)
		}
	}
}
