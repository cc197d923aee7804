package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// A job to come has as many maps a file as in the profile: its splits may be many a file, or files a split.
func TestMapsOfJobsToCome(t *testing.T) {
	plan := func(reduces int, known bool, maps int) *dag.Plan {
		first := dag.Job{Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: 5, Known: true},
			dag.Stage{Tasks: reduces, Known: true})}
		return &dag.Plan{
			Name: "q",
			Jobs: []dag.Job{
				first,
				{Node: "b", After: []int{0}, Stages: dag.MapReduce(dag.Stage{Tasks: maps, Known: known},
					dag.Stage{Known: known})},
			},
		}
	}
	for _, c := range []struct {
		name     string
		profiles []*dag.Plan
		want     int
	}{
		{"no profile: one a file", nil, 8},
		{"one a file in the profile", []*dag.Plan{plan(4, true, 4)}, 8},
		{"three a file in the profile", []*dag.Plan{plan(4, true, 12)}, 24},
		{"all files in one", []*dag.Plan{plan(4, true, 1)}, 2},
		{"a profile that knows nothing of the job", []*dag.Plan{plan(4, false, 0)}, 8},
	} {
		p := plan(8, false, 0)
		s := &dag.Snapshot{
			Plan: p, Profiles: c.profiles, Stale: dag.NoInstant,
			Jobs: []dag.JobState{
				{Finished: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages)},
				{
					Submitted: dag.NoInstant, Finished: dag.NoInstant,
					Stages: make([]dag.StageState, dag.MapReduceStages),
				},
			},
		}
		if got := New(dag.Run{Window: []*dag.Snapshot{s}},
			Options{}).Snapshot.Plan.Jobs[1].Stages[dag.Map].Tasks; got != c.want {
			t.Errorf("%s: %d maps, want %d", c.name, got, c.want)
		}
	}
}
