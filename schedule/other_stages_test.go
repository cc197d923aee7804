package schedule_test

import (
	"errors"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// TestSlotsForOtherStages checks that slots of maps and reduces run no other stages, as in a damaged recording.
func TestSlotsForOtherStages(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		stages := make([]dag.Stage, n)
		for k := range stages {
			stages[k] = dag.Stage{Name: "s", Tasks: 2, Known: true}
		}
		p := &dag.Plan{
			Cluster: dag.Cluster{Policy: dag.FIFO, MapSlots: 1, ReduceSlots: 1},
			Jobs:    []dag.Job{{Node: "j", Stages: stages}},
		}
		s := &dag.Snapshot{Plan: p, State: dag.Running, Jobs: p.BlockedJobs()}
		_, err := schedule.Replay(s, func(schedule.Task) schedule.Cost { return schedule.Cost{} }, schedule.Options{})
		if stuck := new(schedule.StuckError); !errors.As(err, &stuck) || stuck.Job != "j" {
			t.Errorf("%d stages: %v", n, err)
		}
	}
}
