package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A first report of two records after a start-up of two seconds that nobody has told of is no rate of a second a
// record.
func TestFirstReportIsNoRateWithoutSetup(t *testing.T) {
	const records = 30_000
	s := &dag.Snapshot{
		At: 44_000, State: dag.Running,
		Plan: &dag.Plan{
			Cluster: dag.Cluster{MapSlots: 1, ReduceSlots: 1},
			Jobs: []dag.Job{{
				Node: "pairs",
				Stages: dag.MapReduce(dag.Stage{Tasks: 1, Known: true, Pipelines: make([]dag.Pipeline, 1)},
					dag.Stage{Known: true}),
			}},
		},
		Jobs: []dag.JobState{{
			State: dag.Running, Submitted: 40_000, Started: 40_000, Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	mark := dag.Mark{At: 44_000, Done: 2}
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{{
		State: dag.AttemptRunning, Start: 41_997, End: dag.NoInstant, Done: [dag.Pipelines]float64{2},
		Total:   [dag.Pipelines]float64{records},
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, First: mark, Last: mark, FirstReport: 44_000,
	}}
	m := New(dag.Run{Window: []*dag.Snapshot{s}}, Options{})
	left := m.Left(schedule.Task{Job: 0, Stage: dag.Map, Running: &s.Jobs[0].Stages[dag.Map].Attempts[0]})
	if left.Work.Minutes() > 10 {
		t.Errorf("%v of work are left", left.Work)
	}
}
