package paper

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// plannedCosts are costs by the plan alone.
var plannedCosts = Model(FixedSlowdown([4]float64{1, 1, 1, 1}))

func everyScenario() []estimators.Scenario { return append(estimators.Scenarios(), Others()...) }

// slowPlan has two map-only jobs of ten tasks, 1000 tuples of 10 ms each.
func slowPlan() *dag.Plan {
	return &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 5, ReduceSlots: 1, Setup: time.Second},
		Jobs: []dag.Job{
			{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(10, 1000, 10), golden.PhaseOf(0))},
			{Node: "j2", After: []int{0}, Stages: dag.MapReduce(golden.PhaseOf(10, 1000, 10),
				golden.PhaseOf(2, 100, 1, 100, 1, 100, 1))},
		},
	}
}

// running is a snapshot in which five maps of job 1 have each done k tuples.
func running(plan *dag.Plan, at dag.Instant, k float64) *dag.Snapshot {
	s := &dag.Snapshot{Plan: plan, At: at, State: dag.Running, Jobs: plan.BlockedJobs()}
	s.Jobs[0].Submitted, s.Jobs[0].Started, s.Jobs[0].Finished = 0, 0, 0
	for i := range 5 {
		a := dag.Attempt{Task: int32(i), State: dag.AttemptRunning, Slot: int32(i), End: dag.NoInstant}
		a.Done[0] = k
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
	}
	return s
}

// runOf is the run of some snapshots.
func runOf(snapshots ...*dag.Snapshot) (run dag.Run) {
	for _, s := range snapshots {
		run = run.Append(s)
	}
	return run
}
