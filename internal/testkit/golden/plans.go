package golden

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// PhaseOf makes a phase of equal tasks; costs are alternately tuples and alpha of each pipeline.
func PhaseOf(n int, tuplesAndAlpha ...float64) dag.Stage {
	p := dag.Stage{Tasks: n, Known: true}
	for i := 0; i < len(tuplesAndAlpha); i += 2 {
		p.Pipelines = append(p.Pipelines, dag.Pipeline{
			Tuples: dag.Uniform(tuplesAndAlpha[i]),
			Alpha:  dag.Uniform(tuplesAndAlpha[i+1]),
		})
	}
	return p
}

// SlowPlan has two map-only jobs of ten tasks, 1000 tuples of 10 ms each.
func SlowPlan() *dag.Plan {
	return &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 5, ReduceSlots: 1, Setup: time.Second},
		Jobs: []dag.Job{
			{Node: "j1", Stages: dag.MapReduce(PhaseOf(10, 1000, 10), PhaseOf(0))},
			{Node: "j2", After: []int{0}, Stages: dag.MapReduce(PhaseOf(10, 1000, 10),
				PhaseOf(2, 100, 1, 100, 1, 100, 1))},
		},
	}
}

// Running is a snapshot in which five maps of job 1 have each done k tuples.
func Running(plan *dag.Plan, at dag.Instant, k float64) *dag.Snapshot {
	s := &dag.Snapshot{Plan: plan, At: at, State: dag.Running, Jobs: plan.BlockedJobs()}
	s.Jobs[0].Submitted, s.Jobs[0].Started, s.Jobs[0].Finished = 0, 0, 0
	for i := range 5 {
		a := dag.Attempt{Task: int32(i), State: dag.AttemptRunning, Slot: int32(i), End: dag.NoInstant}
		a.Done[0] = k
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
	}
	return s
}

// RunOf is the run of some snapshots.
func RunOf(snapshots ...*dag.Snapshot) (run dag.Run) {
	for _, s := range snapshots {
		run = run.Append(s)
	}
	return run
}

// OneJob has four maps of 10 s on two slots, then two reduces of 20 s.
func OneJob() *dag.Plan {
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 2}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(PhaseOf(4, 1000, 10), PhaseOf(2, 0, 0, 0, 0, 1000, 20))},
	}}
}
