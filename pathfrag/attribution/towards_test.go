package attribution_test

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// TestTowards holds that the chain of a run that goes on ends with the attempt that its end waits for, and without that
// knowledge with the one that has run longest.
func TestTowards(t *testing.T) {
	phase := dag.Stage{Known: true, Tasks: 1}
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(phase, dag.Stage{})},
			{Node: "b", Stages: dag.MapReduce(phase, dag.Stage{})},
		},
	}
	running := func(start dag.Instant) dag.JobState {
		return dag.JobState{
			State: dag.Running, Submitted: start, Started: start, Finished: dag.NoInstant,
			Stages: []dag.StageState{{Attempts: []dag.Attempt{{
				State: dag.AttemptRunning, Start: start, End: dag.NoInstant, CopyEnd: dag.NoInstant,
				SortEnd: dag.NoInstant,
				First:   dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant},
			}}}, {}},
		}
	}
	s := &dag.Snapshot{Plan: plan, At: 9000, Stale: dag.NoInstant, State: dag.Running, Jobs: []dag.JobState{
		running(0),
		running(4000),
	}}
	for _, c := range []struct {
		towards attribution.Attempt
		job     int
		worked  time.Duration
	}{
		{attribution.Attempt{Job: 1}, 1, 5 * time.Second},
		{attribution.Attempt{Job: 0}, 0, 9 * time.Second},
		{attribution.Attempt{Job: 1, Stage: dag.Reduce}, 0, 9 * time.Second}, // nobody is that
	} {
		a, err := attribution.Towards(s, nil, c.towards)
		if err != nil {
			t.Fatal(err)
		}
		if got, last := a.ByCause()[attribution.Work], a.Parts[len(a.Parts)-1].Job; got != c.worked || last != c.job {
			t.Errorf("towards %+v: %v of work, last of job %d; want %v of job %d", c.towards, got, last, c.worked,
				c.job)
		}
	}
}
